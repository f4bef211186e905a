import { register } from 'node:module';
import '../kit/native/register.js';

register('./reload-hooks.js', import.meta.url);

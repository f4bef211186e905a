import { register } from 'node:module';
import '../../../scripts/typescript.js';

register('./hooks.js', import.meta.url);
process.setSourceMapsEnabled(true);

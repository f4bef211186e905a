import { register } from 'node:module';

// Lets Node import the sources without a build.
register('./typescript-hooks.js', import.meta.url);

import { register } from 'node:module';

// Lets Node import the sources without a build, for scripts and tests.
register('./typescript-hooks.js', import.meta.url);

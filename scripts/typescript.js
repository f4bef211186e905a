import { register } from 'node:module';

// Lets Node itself import the sources without a build: for scripts, and for what of the tests runs
// outside of Jest's own module system.
register('./typescript-hooks.js', import.meta.url);

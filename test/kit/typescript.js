import { register } from 'node:module';

// Lets Node itself import the sources, for what runs outside of Jest's own module system.
register('./typescript-hooks.js', import.meta.url);

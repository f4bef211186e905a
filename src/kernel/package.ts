import { createRequire } from 'node:module';
import path from 'node:path';

const require = createRequire(import.meta.url);

/** The folder of the service's package: of the sources, and of what is built of them. */
export const packageFolder = path.dirname(require.resolve('#package.json'));

/** Of the service, as its package says. */
export const { version } = require('#package.json') as { version: string };

import { createRequire } from 'node:module';
import path from 'node:path';

const require = createRequire(import.meta.url);

export const packageFolder = path.dirname(require.resolve('#package.json'));

export const { version } = require('#package.json') as { version: string };

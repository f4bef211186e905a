import { existsSync } from 'node:fs';
import { describe } from '@jest/globals';
import { executablePath } from './browser.ts';

/** `describe` for what a browser shows. Where there is none a page cannot be looked at; in CI that is a failure. */
export const withBrowser = existsSync(executablePath) || process.env['CI'] === 'true' ? describe : describe.skip;

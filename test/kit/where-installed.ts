import { existsSync } from 'node:fs';
import { describe } from '@jest/globals';

/** `describe` for what needs a program that has this file. Without it that cannot be tried; in CI that is a failure. */
export const whereInstalled = (file: string) =>
  existsSync(file) || process.env['CI'] === 'true' ? describe : describe.skip;

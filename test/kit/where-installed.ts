import { existsSync } from 'node:fs';
import { describe } from '@jest/globals';

/** `describe` for tests that need a program. Without the program they are skipped, but fail in CI. */
export const describeIfInstalled = (file: string) =>
  existsSync(file) || process.env['CI'] === 'true' ? describe : describe.skip;

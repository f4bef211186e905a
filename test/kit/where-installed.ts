import { existsSync } from 'node:fs';
import { describe } from '@jest/globals';

/** `describe` for tests that need a package. Without it they are skipped, with a line, but fail in CI. */
export function describeIf(isInstalled: boolean, name: string) {
  if (isInstalled || process.env['CI'] === 'true') return describe;
  console.warn(`skipped: ${name} is missing`);
  return describe.skip;
}

/** @param file a program of the package */
export const describeIfInstalled = (file: string) => describeIf(existsSync(file), file);

import { describe, expect, test } from '@jest/globals';
import { createRequire } from 'node:module';
import path from 'node:path';

interface TestFile {
  path: string;
}
type Sequencer = new (options: { contexts: object[]; globalConfig: object }) => { sort(tests: TestFile[]): TestFile[] };

const Sequencer = createRequire(import.meta.url)('./native/sequencer.cjs') as Sequencer;
const rootDir = path.resolve('.');
const files = Array.from({ length: 10 }, (_, index) => ({ path: path.join(rootDir, `test/${index}.test.ts`) }));

const order = (seed: number, tests = files) =>
  new Sequencer({ contexts: [], globalConfig: { randomize: true, rootDir, seed } }).sort(tests);

describe('the random order of test files', () => {
  test('has each file once', () => {
    expect(order(1)).toHaveLength(files.length);
    expect(new Set(order(1))).toEqual(new Set(files));
  });

  test('depends on the seed alone', () => {
    expect(order(1, files.toReversed())).toEqual(order(1));
    expect(order(2)).not.toEqual(order(1));
  });
});

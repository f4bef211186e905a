import { expect, test } from '@jest/globals';
import { Stryker } from '@stryker-mutator/core';
import type { LogLevel, MutantResult } from '@stryker-mutator/api/core';
import { readFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { explanations } from './survivors.ts';

interface Target {
  /** Files with a rule. */
  files: readonly string[];
  /** They state the rule. Only they run. */
  tests: readonly string[];
  /** Whether the files cache results, which must not reach the next mutant. */
  isStateful?: boolean;
}

/** A mutant that no test finds. */
interface Survivor {
  file: string;
  /** Its first line, before and after the mutation. */
  was: string;
  is: string;
}

/** Registers the test that the target's tests find its mutants. */
export function testMutants(target: Target): void {
  test('the tests find at least nine of ten mutants, and the others are explained', async () => {
    const { count, survivors, slow } = await mutate(target);
    const explained = target.files.flatMap((file) =>
      (explanations[file] ?? []).flatMap(({ was, is }) => is.map((each): Survivor => ({ file, was, is: each }))),
    );
    // A mutant that only takes longer is found by time on a slow machine.
    const late = slow.filter((each) => explained.some((one) => compare(one, each) === 0));
    expect([...survivors, ...late].sort(compare)).toEqual(explained.sort(compare));
    expect(survivors.length / count).toBeLessThanOrEqual(0.1);
    // A quiet machine needs up to five minutes for a target.
  }, 1_800_000);
}

const compare = (one: Survivor, other: Survivor) => JSON.stringify(one).localeCompare(JSON.stringify(other), 'en');

const nodeArgs = ['--import', './test/mutants/register.js'];

/** @returns the number of mutants, the mutants that no test finds, and the explained ones that take too long */
async function mutate({ files, tests, isStateful }: Target) {
  const mutants = await new Stryker({
    mutate: [...files],
    tests,
    isStateful,
    plugins: [path.resolve('test/mutants/runner.ts')],
    testRunner: 'taskgate',
    coverageAnalysis: 'perTest',
    testRunnerNodeArgs: nodeArgs,
    checkerNodeArgs: nodeArgs,
    // Changed copies of the sources are there.
    tempDirName: path.join(os.tmpdir(), `taskgate-mutants-${process.pid}`),
    cleanTempDir: 'always',
    ignorePatterns: ['/*', '!/{src,test,scripts,packages,client}', '!/*.json', '!/schema.graphql', 'dist'],
    concurrency: 2,
    // Milliseconds. Otherwise a busy machine looks like an endless loop.
    timeoutMS: 30_000,
    reporters: [],
    logLevel: 'error' as LogLevel,
    warnings: false,
  }).runMutationTest();
  const sources = new Map<string, string[]>();
  for (const file of files) sources.set(path.resolve(file), (await readFile(file, 'utf8')).split('\n'));
  const shown = (is: (status: MutantResult['status']) => boolean) =>
    mutants.filter(({ status }) => is(status)).map((mutant) => survivorOf(mutant, sources.get(mutant.fileName)));
  return {
    count: mutants.length,
    survivors: shown((status) => status !== 'Killed' && status !== 'Timeout'),
    slow: shown((status) => status === 'Timeout'),
  };
}

function survivorOf(
  { fileName, location: { start, end }, replacement }: MutantResult,
  lines: readonly string[] = [],
): Survivor {
  const [first = '', last = ''] = [lines[start.line - 1], lines[end.line - 1]];
  const mutated = first.slice(0, start.column - 1) + replacement + last.slice(end.column - 1);
  const onOneLine = (text: string) => text.trim().replaceAll(/\s+/g, ' ');
  return { file: path.relative('', fileName), was: onOneLine(first), is: onOneLine(mutated) };
}

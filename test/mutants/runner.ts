import type { StrykerOptions } from '@stryker-mutator/api/core';
import { commonTokens, declareClassPlugin, PluginKind, tokens } from '@stryker-mutator/api/plugin';
import {
  type CompleteDryRunResult,
  determineHitLimitReached,
  type DryRunOptions,
  DryRunStatus,
  type MutantRunOptions,
  type MutantRunResult,
  type TestResult,
  type TestRunner,
  TestStatus,
  toMutantRunResult,
} from '@stryker-mutator/api/test-runner';
import { expect } from 'expect';
import fc from 'fast-check';
import * as circus from 'jest-circus';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

type Block = circus.State['rootDescribeBlock'];
type Test = Extract<Block['children'][number], { type: 'test' }>;

/** The instrumented code reads and writes it. */
const shared: {
  activeMutant?: string | undefined;
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
  currentTestId?: string | undefined;
  mutantCoverage?: CompleteDryRunResult['mutantCoverage'];
} = ((globalThis as Record<string, unknown>)['__stryker__'] ??= {});

const testsIn = (block: Block | Test): Test[] =>
  block.type === 'test' ? [block] : block.children.flatMap((child) => testsIn(child));

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Runs test files by Jest's own functions in Stryker's process, which loads them once for many mutants. */
class Runner implements TestRunner {
  static inject = tokens(commonTokens.options);
  readonly #files: readonly string[];
  readonly #isStateful: boolean;
  /** Of the loaded files. */
  #version = 0;
  #tests: Map<Test, string> | undefined;
  #filter: ReadonlySet<string> | undefined;
  #results: TestResult[] = [];
  /** Milliseconds of each test's last run. */
  readonly #durations = new Map<string, number>();

  constructor({ tests, isStateful }: StrykerOptions) {
    this.#files = tests as string[];
    this.#isStateful = isStateful === true;
    circus.addEventHandler(this.#handle);
  }

  capabilities() {
    return { reloadEnvironment: true };
  }

  async dryRun(_options: DryRunOptions): Promise<CompleteDryRunResult> {
    await this.#run();
    // Mutants of code that runs at loading load the files again. If the second loading alone fails, each of them seems found.
    this.#tests = undefined;
    const tests = await this.#run();
    return { status: DryRunStatus.Complete, tests, mutantCoverage: shared.mutantCoverage };
  }

  async mutantRun({
    activeMutant,
    testFilter,
    hitLimit,
    reloadEnvironment,
  }: MutantRunOptions): Promise<MutantRunResult> {
    if (reloadEnvironment || this.#isStateful) this.#tests = undefined;
    // Stryker allows 100 times the hits of all tests: an endless loop reaches them after half a minute.
    const limit = hitLimit === undefined ? undefined : hitLimit / 20;
    // Active during the loading too, for mutants of code that runs then.
    Object.assign(shared, {
      activeMutant: activeMutant.id,
      hitLimit: limit,
      hitCount: limit === undefined ? undefined : 0,
    });
    const tests = await this.#run(testFilter);
    const timeout = determineHitLimitReached(shared.hitCount, limit);
    delete shared.activeMutant;
    return toMutantRunResult(timeout ?? { status: DryRunStatus.Complete, tests });
  }

  async #run(filter?: readonly string[]): Promise<TestResult[]> {
    this.#filter = filter && new Set(filter);
    this.#results = [];
    try {
      const tests = await this.#load();
      for (const test of tests.keys()) test.errors = [];
      this.#sort(circus.getState().rootDescribeBlock, tests);
      await circus.run();
    } catch (error) {
      this.#results.push({ ...failure, id: 'loading', name: 'loading', failureMessage: messageOf(error) });
    }
    return this.#results;
  }

  async #load(): Promise<Map<Test, string>> {
    if (this.#tests) return this.#tests;
    // The same choices in each run: a mutant is always found, or never.
    fc.configureGlobal({ seed: 1 });
    Object.assign(globalThis, { [Symbol.for('taskgate.jest')]: { ...circus, expect } });
    circus.resetState();
    circus.getState().testTimeout = testTimeout;
    this.#version += 1;
    for (const file of this.#files) await import(`${pathToFileURL(path.resolve(file)).href}?version=${this.#version}`);
    const tests = testsIn(circus.getState().rootDescribeBlock);
    return (this.#tests = new Map(tests.map((test, index) => [test, String(index)])));
  }

  /** Short tests run first: most mutants are found by one. */
  #sort(block: Block, ids: ReadonlyMap<Test, string>): void {
    const durationOf = (child: Block | Test) =>
      testsIn(child).reduce((sum, test) => sum + (this.#durations.get(ids.get(test) ?? '') ?? 0), 0);
    block.children.sort((one, other) => durationOf(one) - durationOf(other));
    for (const child of block.children) if (child.type === 'describeBlock') this.#sort(child, ids);
  }

  readonly #handle = (event: circus.Event) => {
    if (event.name !== 'test_start' && event.name !== 'test_done') return;
    const { test } = event;
    const id = this.#tests?.get(test) ?? '';
    if (event.name === 'test_start') {
      // The first failure finds the mutant.
      const isSkipped =
        this.#filter?.has(id) === false || this.#results.some(({ status }) => status === failure.status);
      test.mode = isSkipped ? 'skip' : undefined;
      shared.currentTestId = id;
      return;
    }
    delete shared.currentTestId;
    const result = { id, name: test.name, timeSpentMs: test.duration ?? 0 };
    this.#durations.set(id, result.timeSpentMs);
    this.#results.push(
      test.errors.length === 0
        ? { ...result, status: TestStatus.Success }
        : { ...result, status: TestStatus.Failed, failureMessage: test.errors.flat().map(messageOf).join('\n') },
    );
  };
}

const testTimeout = 120_000;
const failure = { status: TestStatus.Failed, timeSpentMs: 0 } as const;

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, 'taskgate', Runner)];

// eslint-disable-next-line no-restricted-imports -- what it waits for needs the processor meanwhile
import { setTimeout as pause } from 'node:timers/promises';
import type { Entrance } from './service.ts';

/** Milliseconds after which what is waited for is given up: before Jest gives up the test, which cannot say what it was. */
const patienceMs = 90_000;

/** Milliseconds between two questions: what is waited for needs the processor that asking takes. */
const pauseMs = { first: 1, longest: 50 };

/** @throws where it did not come in time, saying what was waited for */
export async function inTime<Result>(what: string, coming: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    // Who has gone on with something else keeps no process waiting for it.
    timer = setTimeout(() => reject(tooLate(what)), patienceMs).unref();
  });
  return Promise.race([coming, late]).finally(() => clearTimeout(timer));
}

/**
 * Asks again and again until it is so, less often the longer it takes.
 * @throws where it does not come about in time, saying what was waited for
 */
export async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  // No test lets the time of this clock pass.
  const end = process.hrtime.bigint() + BigInt(patienceMs) * 1_000_000n;
  for (let wait = pauseMs.first; !(await isSo()); wait = Math.min(2 * wait, pauseMs.longest)) {
    if (process.hrtime.bigint() > end) throw tooLate(what);
    await pause(wait);
  }
}

/** Waits until the service says that it is ready. */
export const untilReady = ({ anonymous }: Pick<Entrance, 'anonymous'>): Promise<void> =>
  until('/readyz is 200', async () => (await anonymous.get('/readyz')).status === 200);

const tooLate = (what: string) => new Error(`waited ${patienceMs / 1000} seconds for: ${what}`);

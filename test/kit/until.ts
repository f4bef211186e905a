// eslint-disable-next-line no-restricted-imports -- the awaited work needs the processor
import { setTimeout as pause } from 'node:timers/promises';
import type { Entrance } from './service.ts';

/** Shorter than Jest's timeout, whose error has no description. */
const patienceMs = 90_000;

/** The awaited work needs the processor too. */
const pauseMs = { first: 1, longest: 50 };

/** @throws with the description if it is late */
export async function inTime<Result>(what: string, coming: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    // The timer must not keep the process alive.
    timer = setTimeout(() => reject(tooLate(what)), patienceMs).unref();
  });
  return Promise.race([coming, late]).finally(() => clearTimeout(timer));
}

/**
 * Checks with growing pauses.
 * @throws with the description if it is late
 */
export async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  // No test fakes this clock.
  const end = process.hrtime.bigint() + BigInt(patienceMs) * 1_000_000n;
  for (let wait = pauseMs.first; !(await isSo()); wait = Math.min(2 * wait, pauseMs.longest)) {
    if (process.hrtime.bigint() > end) throw tooLate(what);
    await pause(wait);
  }
}

export const untilReady = ({ anonymous }: Pick<Entrance, 'anonymous'>): Promise<void> =>
  until('/readyz is 200', async () => (await anonymous.get('/readyz')).status === 200);

const tooLate = (what: string) => new Error(`waited ${patienceMs / 1000} seconds for: ${what}`);

import { setTimeout as delay } from 'node:timers/promises';
import { log } from '../kernel/logger.ts';
import type { Server } from './server.ts';

/** Least milliseconds between two starts: a server that ends at once, or does not start, is not tried without end. */
const pauseMs = 1000;

/**
 * Has a server that ends by itself (killed, or crashed for want of disk or memory) started again, for as long as it takes.
 * PostgreSQL recovers all that was committed. Meanwhile the database is unavailable, and the service continues.
 * @param startAgain starts it at the same endpoint and on the same files, until its signal is aborted
 * @returns the server, whichever runs; its `ended` settles once it was stopped
 */
export function keepRunning<Running extends Server>(
  first: Running,
  startAgain: (signal: AbortSignal) => Promise<Server>,
): Running {
  const stopping = new AbortController();
  const { signal } = stopping;
  const isStopping = () => signal.aborted;
  let current: Server = first;

  async function started(): Promise<Server | undefined> {
    for (let tries = 1; !isStopping(); tries += 1) {
      const begun = performance.now();
      try {
        return await startAgain(signal);
      } catch (error) {
        if (isStopping()) break;
        log[tries === 1 ? 'error' : 'debug'](
          { error },
          'the embedded database does not start again: it will be tried on',
        );
        await pause(begun);
      }
    }
    return undefined;
  }

  const pause = (begun: number) =>
    delay(Math.max(0, begun + pauseMs - performance.now()), undefined, { signal }).catch(() => undefined);

  async function run() {
    for (let begun = -Infinity; ;) {
      await current.ended;
      if (isStopping()) return;
      log.error('the embedded database has ended by itself: it is started again');
      await pause(begun);
      begun = performance.now();
      const next = await started();
      if (!next) return;
      current = next;
      if (isStopping()) await current.stop();
    }
  }

  const ended = run();
  return {
    ...first,
    ended,
    async stop() {
      stopping.abort();
      await current.stop();
      await ended;
    },
  };
}

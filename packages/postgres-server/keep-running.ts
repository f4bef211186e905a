import { setTimeout as delay } from 'node:timers/promises';
import { log } from '@taskgate/base';
import type { Server } from './server.ts';

/** Pause between two starts. */
const pauseMs = 1000;

/**
 * Restarts a server that ends unexpectedly, for example because the disk is full, until it starts. PostgreSQL recovers
 * all committed data.
 * @param startAgain must use the same endpoint and files
 * @returns the current server; its `ended` settles after `stop`
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
          'the embedded database does not restart: another attempt follows',
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
      log.error('the embedded database has ended unexpectedly: restarting it');
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

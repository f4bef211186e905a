import { log } from '@taskgate/base';
import { wait } from '@taskgate/postgres';
import type { Connections } from '../../platform/database.ts';
import { beginPeriod, type EndedPeriod, findEndedPeriod, noteRaised, raiseStarts } from './data.ts';

/** Some 10 ms. */
const batchSize = 100;
/** Retries while writers or readers hold locks. */
const [tries, retryMs] = [100, 100];

/**
 * Takes a step of pruning, once an hour. The log has three periods of half the retention each. The oldest is emptied
 * when the next begins, an hour after all spaces start after it: changes are kept for the retention, and at most half
 * of it longer. Writers wait for one batch at most.
 * @param days of retention
 */
export async function pruneChanges(connections: Connections, days: number): Promise<boolean> {
  const period = await findEndedPeriod(connections, days);
  if (!period) return false;
  if (!period.isRaised && (await raiseAll(connections, period))) await noteRaised(connections, period);
  return period.isUnread && forget(connections, period, days);
}

/** False if a writer holds a space too long. */
async function raiseAll(connections: Connections, period: EndedPeriod): Promise<boolean> {
  for (let [after, left]: [string | null, number] = ['', tries]; after !== null;) {
    const { last, held } = await raiseStarts(connections, period, after, batchSize);
    if (held === 0) after = last;
    else if (left-- > 0) await wait(retryMs);
    else return false;
  }
  return true;
}

async function forget(connections: Connections, period: EndedPeriod, days: number): Promise<boolean> {
  for (let left = tries; left > 0; left -= 1) {
    if (await beginPeriod(connections, period)) {
      log.info('old changes were pruned');
      return true;
    }
    await wait(retryMs);
    const now = await findEndedPeriod(connections, days);
    if (now?.number !== period.number || !now.isUnread) return false;
  }
  return false;
}

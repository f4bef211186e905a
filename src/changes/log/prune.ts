import { wait } from '../../database/retry.ts';
import { log } from '../../kernel/logger.ts';
import { beginPeriod, type EndedPeriod, findEndedPeriod, noteRaised, raiseStarts } from './data.ts';

/** Spaces that a statement raises: some 10 ms. */
const batchSize = 100;
/** How often it tries again where writers hold spaces, or readers the partition, and the milliseconds in between. */
const [tries, retryMs] = [100, 100];

/**
 * Takes the next step to forget old changes, one an hour: the log is kept by periods of half the days, and the oldest of three is emptied
 * when the next one begins, an hour after all spaces begin after it. So changes are kept for the days, and for half as many more at most.
 * Writers never wait longer than for a batch.
 * @param days for which changes are kept
 * @returns whether a period was forgotten
 */
export async function pruneChanges(days: number): Promise<boolean> {
  const period = await findEndedPeriod(days);
  if (!period) return false;
  if (!period.isRaised && (await raiseAll(period))) await noteRaised(period);
  return period.isUnread && forget(period, days);
}

/** @returns false where a writer holds a space for too long */
async function raiseAll(period: EndedPeriod): Promise<boolean> {
  for (let [after, left]: [string | null, number] = ['', tries]; after !== null;) {
    const { last, held } = await raiseStarts(period, after, batchSize);
    if (held === 0) after = last;
    else if (left-- > 0) await wait(retryMs);
    else return false;
  }
  return true;
}

async function forget(period: EndedPeriod, days: number): Promise<boolean> {
  for (let left = tries; left > 0; left -= 1) {
    if (await beginPeriod(period)) {
      log.info('old changes were pruned');
      return true;
    }
    await wait(retryMs);
    const now = await findEndedPeriod(days);
    if (now?.number !== period.number || !now.isUnread) return false;
  }
  return false;
}

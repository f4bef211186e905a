import { transaction } from '../database/transaction.ts';
import type { Clock } from './clock.ts';
import { end, type Ended, type ClaimedDelivery } from './queue-data.ts';
import { planDigestAfter } from './digests.ts';
import { plannedMails } from './metrics.ts';
import { findDigestUsers, insertDigest } from './digest-data.ts';

/**
 * Ends a digest and plans the next one: as one transaction, so that the chain of days never breaks.
 * @returns whether it was still this process that had it
 */
export const endDigest = (clock: Clock, taken: ClaimedDelivery, ended: Ended): Promise<boolean> =>
  transaction([`digest ${taken.userId ?? ''}`], async (tx) => {
    if (!(await end(clock, taken, ended, tx))) return false;
    const [user] = await findDigestUsers(tx, clock, [taken.userId ?? '']);
    const next = user && planDigestAfter(user, taken.occurrence);
    if (!next) return true;
    await insertDigest(tx, { userId: user.userId, ...next });
    plannedMails.inc({ kind: 'DIGEST' });
    return true;
  });

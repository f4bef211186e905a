import type { Connections } from '../platform/database.ts';
import { transaction } from '../platform/transaction.ts';
import type { Clock } from './clock.ts';
import { end, type Ended, type ClaimedDelivery } from './queue-data.ts';
import { planDigestAfter } from './digests.ts';
import { plannedMails } from './metrics.ts';
import { findDigestUsers, insertDigest } from './digest-data.ts';

/**
 * Ends a digest and plans the next one in one transaction, so no day is missed.
 * @returns the digest's id, if this process still had the lease
 */
export const endDigest = (
  connections: Connections,
  clock: Clock,
  claimed: ClaimedDelivery,
  ended: Ended,
): Promise<Set<string>> =>
  transaction(connections, [`digest ${claimed.userId ?? ''}`], async (tx) => {
    const ours = await end(tx, clock, [claimed], ended);
    if (ours.size === 0) return ours;
    const [user] = await findDigestUsers(tx, clock, [claimed.userId ?? '']);
    const next = user && planDigestAfter(user, claimed.occurrence);
    if (!next) return ours;
    await insertDigest(tx, { userId: user.userId, ...next });
    plannedMails.inc({ kind: 'DIGEST' });
    return ours;
  });

import type { Ended } from '@taskgate/outbox';
import type { Clock, Queryable } from '@taskgate/postgres';
import type { Connections } from '../platform/database.ts';
import { transaction } from '../platform/transaction.ts';
import { findDigestUsers, insertDigest, queueSpace } from './digest-data.ts';
import { planDigestAfter } from './digests.ts';
import { plannedMails } from './metrics.ts';
import type { ClaimedDelivery } from './outbox-data.ts';
import { queueSpacesOf } from './reminder-data.ts';

type EndIn = (database: Queryable) => Promise<Set<string>>;

/** Ends deliveries of one kind, with the consequences. @returns ids of the deliveries that this process still held */
export function endDeliveries(
  connections: Connections,
  clock: Clock,
  deliveries: readonly ClaimedDelivery[],
  { status }: Ended,
  endIn: EndIn,
): Promise<Set<string>> {
  const [first] = deliveries;
  if (first?.kind === 'DIGEST') return endDigest(connections, clock, first, endIn);
  if (first?.kind === 'REMINDER' && status === 'SKIPPED') return endSkippedReminders(connections, deliveries, endIn);
  return endIn(connections);
}

/** Queues the spaces of the tasks for planning, because tasks or preferences may have changed. */
const endSkippedReminders = (
  connections: Connections,
  deliveries: readonly ClaimedDelivery[],
  endIn: EndIn,
): Promise<Set<string>> =>
  transaction(connections, [`reminders ${deliveries[0]?.userId ?? ''}`], async (tx) => {
    const ours = await endIn(tx);
    await queueSpacesOf(
      tx,
      deliveries.filter(({ id }) => ours.has(id)).flatMap(({ taskId }) => taskId ?? []),
    );
    return ours;
  });

/** Plans the next digest in the same transaction, so no day is missed. */
const endDigest = (
  connections: Connections,
  clock: Clock,
  { userId, occurrence }: ClaimedDelivery,
  endIn: EndIn,
): Promise<Set<string>> =>
  transaction(connections, [`digest ${userId ?? ''}`], async (tx) => {
    const ours = await endIn(tx);
    if (ours.size === 0 || userId === null) return ours;
    await queueSpace(tx, userId);
    const [user] = await findDigestUsers(tx, clock, [userId]);
    const next = user && planDigestAfter(user, occurrence);
    if (!next) return ours;
    await insertDigest(tx, { userId, ...next });
    plannedMails.inc({ kind: 'DIGEST' });
    return ours;
  });

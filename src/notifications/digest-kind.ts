import { transaction } from '../platform/transaction.ts';
import { findDigestTasks, findDigestUser, findDigestUsers, insertDigest, queueSpace } from './digest-data.ts';
import { digestDays, digestRefusal, mailOfDigest, planDigestAfter, skippedDigests } from './digests.ts';
import type { Message } from './encryption.ts';
import { type Composing, type End, isLate, type Omitted, skipped } from './kind.ts';
import { maxTasks } from './mails/digest-mail.ts';
import { plannedMails } from './metrics.ts';
import type { ClaimedDelivery } from './outbox-data.ts';

export async function composeDigest(
  { connections, clock }: Composing,
  delivery: ClaimedDelivery,
  unsubscribeUrl: string,
): Promise<Message | Omitted> {
  const user = await findDigestUser(connections, clock, delivery.userId ?? '');
  const refusal = user ? digestRefusal(user) : skippedDigests.off;
  if (!user || refusal !== undefined) return skipped(refusal ?? skippedDigests.off);
  if (isLate(delivery)) return skipped(skippedDigests.late);
  const days = digestDays(user);
  const rows = await findDigestTasks(connections, user.userId, days, maxTasks);
  if (rows.length === 0) return skipped(skippedDigests.empty);
  return { to: user.email, ...mailOfDigest(days, rows, unsubscribeUrl) };
}

/** Plans the next digest in the same transaction, so no day is missed. */
export const endDigest: End = ({ connections, clock }, [{ userId, occurrence }], _ended, endIn) =>
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

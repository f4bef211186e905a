import type { DeliveryQueue } from '../generated/prisma/enums.ts';
import type { ClaimedDelivery } from './outbox-data.ts';

/** Number of mails that a process sends at once from each queue. A slow mail server delays only the retries. */
export const concurrency: Readonly<Record<DeliveryQueue, number>> = {
  CODE: 8,
  CODE_RETRY: 4,
  NOTICE: 6,
  REMINDER: 12,
  DIGEST: 12,
  RETRY: 8,
};

/** Queues of first attempts. */
export const firstLanes = ['CODE', 'NOTICE', 'REMINDER', 'DIGEST'] as const;

/** Maximum number of separate reminder mails for a user in a minute. Further reminders share one mail. */
const singleReminders = 3;

/** Maximum number of reminder mails for a user in an hour, and seconds until further ones are retried. */
const [mailsAnHour, fullSeconds] = [120, 300];

export const delayOf = (claimed: readonly ClaimedDelivery[]): number =>
  claimed.some(({ kind, mailsOfHour }) => kind === 'REMINDER' && mailsOfHour >= mailsAnHour) ? fullSeconds : 0;

type Batch = readonly [ClaimedDelivery, ...ClaimedDelivery[]];

export function batchesOf(claimed: readonly ClaimedDelivery[]): Batch[] {
  const [first, ...others] = claimed.filter(({ kind }) => kind === 'REMINDER');
  if (!first || first.remindersOfMinute + others.length + 1 <= singleReminders) return claimed.map((each) => [each]);
  return [[first, ...others], ...claimed.filter(({ kind }) => kind !== 'REMINDER').map((each): Batch => [each])];
}

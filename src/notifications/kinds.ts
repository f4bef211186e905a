import { groupBy } from '@taskgate/base';
import type { DeliveryKind, DeliveryQueue } from '../generated/prisma/enums.ts';
import { composeDigest, endDigest } from './digest-kind.ts';
import { composeActivity, endActivity } from './activity-kind.ts';
import { alone, type Deliveries, type Kind, type Unsubscribing } from './kind.ts';
import type { ClaimedDelivery } from './outbox-data.ts';
import { composeReminders, endReminders } from './reminder-kind.ts';
import { composeWritten } from './written-kind.ts';

/** Number of mails that a process sends at once from each queue. A slow mail server delays only the retries. */
export const lanes: Readonly<Record<DeliveryQueue, number>> = {
  CODE: 8,
  CODE_RETRY: 4,
  NOTICE: 6,
  REMINDER: 12,
  DIGEST: 12,
  ACTIVITY: 8,
  RETRY: 8,
};

const again = 'You can turn them on again in your preferences.';

/** The kinds of mails. The generated column `queue` repeats their lanes (`test/notifications/kinds`). */
export const kinds = {
  CODE: { notifies: 'address', lane: 'CODE', retryLane: 'CODE_RETRY', compose: alone(composeWritten) },
  NOTICE: { notifies: 'address', lane: 'NOTICE', retryLane: 'RETRY', compose: alone(composeWritten) },
  TEST: { notifies: 'address', lane: 'NOTICE', retryLane: 'RETRY', compose: alone(composeWritten) },
  /** Skipped for a reason of `skippedReminders`. */
  REMINDER: {
    notifies: 'user',
    lane: 'REMINDER',
    retryLane: 'RETRY',
    separateAMinute: 3,
    anHour: 120,
    compose: composeReminders,
    end: endReminders,
    unsubscribing: {
      preference: 'taskRemainders',
      off: 'false',
      letter: 'r',
      question: {
        title: 'Stop all reminders?',
        text: 'You will get no more mails that remind you of tasks.',
        button: 'Stop all reminders',
      },
      done: { title: 'Reminders are off', text: `You get no more mails that remind you of tasks. ${again}` },
    },
  },
  /** Skipped for a reason of `skippedDigests`. */
  DIGEST: {
    notifies: 'user',
    lane: 'DIGEST',
    retryLane: 'RETRY',
    compose: alone(composeDigest),
    end: endDigest,
    unsubscribing: {
      preference: 'dailyDigest',
      off: 'false',
      letter: 'd',
      question: {
        title: 'Stop the daily digest?',
        text: 'You will get no more mails about your day.',
        button: 'Stop the daily digest',
      },
      done: { title: 'The daily digest is off', text: `You get no more mails about your day. ${again}` },
    },
  },
  /** Skipped for a reason of `skippedActivity`. The database plans it (`plan_activity_mails`). */
  ACTIVITY: {
    notifies: 'user',
    lane: 'ACTIVITY',
    retryLane: 'RETRY',
    anHour: 120,
    compose: composeActivity,
    end: endActivity,
    unsubscribing: {
      preference: 'activityMails',
      off: 'NONE',
      letter: 'a',
      question: {
        title: 'Stop mails about tasks?',
        text: 'You will get no more mails about assignments, mentions and comments.',
        button: 'Stop these mails',
      },
      done: {
        title: 'Mails about tasks are off',
        text: `You get no more mails about assignments, mentions and comments. ${again}`,
      },
    },
  },
} as const satisfies Record<DeliveryKind, Kind>;

/** Kinds whose mails are written when they are planned. */
export type WrittenKind = {
  [Name in DeliveryKind]: (typeof kinds)[Name]['notifies'] extends 'address' ? Name : never;
}[DeliveryKind];

export const kindOf = ({ kind }: Pick<ClaimedDelivery, 'kind'>): Kind => kinds[kind];

/** Queues of first attempts. */
export const firstLanes = [...new Set(Object.values(kinds).map(({ lane }) => lane))];

export const unsubscribings: readonly Unsubscribing[] = Object.values<Kind>(kinds).flatMap(
  ({ unsubscribing }) => unsubscribing ?? [],
);

/** Seconds until mails beyond the limit of an hour are retried. */
const fullSeconds = 300;

/** Seconds that the claimed deliveries of a user wait. */
export const delayOf = (claimed: readonly ClaimedDelivery[]): number =>
  claimed.some((delivery) => delivery.mailsOfHour >= (kindOf(delivery).anHour ?? Infinity)) ? fullSeconds : 0;

/** Groups the claimed deliveries of a user by mail. */
export const batchesOf = (claimed: readonly ClaimedDelivery[]): Deliveries[] =>
  [...groupBy(claimed, ({ kind }) => kind).values()].flatMap((deliveries): Deliveries[] => {
    const [first] = deliveries;
    const { separateAMinute = Infinity } = kindOf(first);
    const isMany = first.ofMinute + deliveries.length > separateAMinute;
    return isMany ? [deliveries] : deliveries.map((each) => [each]);
  });

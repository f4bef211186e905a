import type { Ended } from '@taskgate/outbox';
import type { Clock, Queryable } from '@taskgate/postgres';
import type { Preferences } from '../generated/prisma/client.ts';
import type { DeliveryQueue } from '../generated/prisma/enums.ts';
import type { Connections } from '../platform/database.ts';
import type { Message } from './encryption.ts';
import type { ClaimedDelivery } from './outbox-data.ts';

export interface Composing {
  connections: Connections;
  clock: Clock;
  /** The first secret signs and encrypts. All secrets decrypt. */
  secrets: readonly string[];
  /** URL of the application's pages, without a trailing slash. */
  appUrl: string;
}

/** Deliveries of one kind to one recipient. */
export type Deliveries = readonly [ClaimedDelivery, ...ClaimedDelivery[]];

export type Omitted = Exclude<Ended, { status: 'SENT' }> | { later: Date };

export interface Composition {
  /** Undefined if nothing is left to send. */
  message: Message | undefined;
  sent: readonly ClaimedDelivery[];
  omitted: readonly { delivery: ClaimedDelivery; why: Omitted }[];
}

interface Page {
  title: string;
  text: string;
}

/** A link at the end of mails of a kind turns them off. */
export interface Unsubscribing {
  preference: keyof Preferences;
  /** SQL of the setting's value if the user wants no such mails. */
  off: 'false' | 'NONE';
  /** Names the preference in links. */
  letter: string;
  question: Page & { button: string };
  done: Page;
}

/**
 * Ends deliveries, with the consequences in the same transaction.
 * @param endIn ends only the deliveries
 * @returns ids of the deliveries that this process still held
 */
export type End = (
  ending: Pick<Composing, 'connections' | 'clock'>,
  deliveries: Deliveries,
  ended: Ended,
  endIn: (database: Queryable) => Promise<Set<string>>,
) => Promise<Set<string>>;

interface Traits {
  /** An address, which is in the mail from the start and may have no account, or a user, at their current address. */
  notifies: 'address' | 'user';
  /** Queues of first attempts and of retries. Mails of one queue do not wait for other queues. */
  lane: DeliveryQueue;
  retryLane: DeliveryQueue;
  /** Maximum number of separate mails for a user in a minute. Further deliveries share one mail. */
  separateAMinute?: number;
  /** Maximum number of mails for a user in an hour. Further ones wait. */
  anHour?: number;
  /** Consequences of the end of a delivery, in its transaction. */
  end?: End;
}

/** Composes a mail from current data, without the deliveries that have no reason any more. */
type Compose<Link extends unknown[]> = (
  composing: Composing,
  deliveries: Deliveries,
  ...link: Link
) => Promise<Composition>;

/** A kind of mail. */
export type Kind = Traits &
  (
    | { compose: Compose<[]>; unsubscribing?: never }
    | { compose: Compose<[unsubscribeUrl: string]>; unsubscribing: Unsubscribing }
  );

/** Reasons for FAILED. They never quote the mail server, whose text may name other people. */
export const failedDeliveries = {
  refused: 'The mail server rejected the mail.',
  givenUp: 'The mail server could not be reached, or did not accept the mail in time.',
} as const;

export const skipped = (reason: string): Omitted => ({ status: 'SKIPPED', reason });
export const failed = (reason: string): Omitted => ({ status: 'FAILED', reason });

export const isExpired = ({ expiresAt, now }: ClaimedDelivery) => expiresAt <= now;

/** Whether the first attempt is too late, because no process ran before. */
export const isLate = (delivery: ClaimedDelivery) => delivery.attempts === 1 && isExpired(delivery);

/** Composes a mail about one delivery. */
export const alone =
  <Link extends unknown[]>(
    compose: (composing: Composing, delivery: ClaimedDelivery, ...link: Link) => Promise<Message | Omitted>,
  ): Compose<Link> =>
  async (composing, [delivery], ...link) => {
    const composed = await compose(composing, delivery, ...link);
    if (!('to' in composed)) return { message: undefined, sent: [], omitted: [{ delivery, why: composed }] };
    if (!isExpired(delivery)) return { message: composed, sent: [delivery], omitted: [] };
    return { message: undefined, sent: [], omitted: [{ delivery, why: failed(failedDeliveries.givenUp) }] };
  };

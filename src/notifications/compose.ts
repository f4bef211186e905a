import type { Ended } from '@taskgate/outbox';
import type { Clock } from '@taskgate/postgres';
import type { Connections } from '../platform/database.ts';
import { findDigestUser, findDigestTasks } from './digest-data.ts';
import { digestDays, digestRefusal, mailOfDigest, skippedDigests } from './digests.ts';
import { decrypt, type Message } from './encryption.ts';
import { maxTasks } from './mails/digest-mail.ts';
import { reminderMail, remindersMail } from './mails/reminder-mail.ts';
import type { ClaimedDelivery } from './outbox-data.ts';
import { findReminders, type ReminderToSend } from './reminder-data.ts';
import { planAgain, skippedReminders } from './reminders.ts';
import { type MailPreference, unsubscribeUrl } from './unsubscribe.ts';

export interface Composing {
  connections: Connections;
  clock: Clock;
  /** The first secret signs and encrypts. All secrets decrypt. */
  secrets: readonly string[];
  /** Origin without a trailing slash. */
  publicUrl: string;
}

class UnknownSecret extends Error {
  override readonly name = 'UnknownSecret';
}

export interface Composed {
  message: Message;
  unsubscribeUrl?: string;
}

export type Omitted = Exclude<Ended, { status: 'SENT' }> | { later: Date };

const skipped = (reason: string): Omitted => ({ status: 'SKIPPED', reason });
const failed = (reason: string): Omitted => ({ status: 'FAILED', reason });

export interface Composition {
  /** Undefined if nothing is left to send. */
  mail: Composed | undefined;
  sent: readonly ClaimedDelivery[];
  omitted: readonly { delivery: ClaimedDelivery; why: Omitted }[];
}

/** Reasons for FAILED. They never quote the mail server, whose text may name other people. */
export const failedDeliveries = {
  refused: 'The mail server rejected the mail.',
  givenUp: 'The mail server could not be reached, or did not accept the mail in time.',
} as const;

/**
 * Composes a mail to one recipient from current data.
 * @param deliveries reminders, or one delivery of another kind
 * @throws UnknownSecret; UNAVAILABLE
 */
export async function compose(composing: Composing, deliveries: readonly ClaimedDelivery[]): Promise<Composition> {
  const [first] = deliveries;
  if (first?.kind === 'REMINDER') return composeReminders(composing, first.userId, deliveries);
  if (!first) return { mail: undefined, sent: [], omitted: [] };
  const composed = first.kind === 'DIGEST' ? await composeDigest(composing, first) : composeWritten(composing, first);
  if (!('message' in composed)) return { mail: undefined, sent: [], omitted: [{ delivery: first, why: composed }] };
  if (!isExpired(first)) return { mail: composed, sent: [first], omitted: [] };
  return { mail: undefined, sent: [], omitted: [{ delivery: first, why: failed(failedDeliveries.givenUp) }] };
}

function composeWritten({ secrets }: Composing, delivery: ClaimedDelivery): Composed | Omitted {
  const message = delivery.message && decrypt(secrets, delivery.id, delivery.message);
  if (message) return { message };
  if (isExpired(delivery)) return failed('The service no longer has the key that encrypted the mail.');
  // Another process may have the secret.
  throw new UnknownSecret();
}

const isExpired = ({ expiresAt, now }: ClaimedDelivery) => expiresAt <= now;

/** Whether the first attempt is too late, because no process ran before. */
const isLate = (delivery: ClaimedDelivery) => delivery.attempts === 1 && isExpired(delivery);

const linkOf = ({ secrets, publicUrl }: Composing, userId: string, kind: MailPreference) =>
  unsubscribeUrl(secrets[0] ?? '', publicUrl, userId, kind);

async function composeReminders(
  composing: Composing,
  userId: string | null,
  deliveries: readonly ClaimedDelivery[],
): Promise<Composition> {
  const taskIds = deliveries.flatMap(({ taskId }) => taskId ?? []);
  const factsOf =
    userId === null ? new Map<string, ReminderToSend>() : await findReminders(composing.connections, userId, taskIds);
  const decided = deliveries.map((delivery) => {
    const facts = factsOf.get(delivery.taskId ?? '');
    return { delivery, facts, why: whyOmitted(delivery, facts) };
  });
  const omitted = decided.flatMap(({ delivery, why }) => (why ? [{ delivery, why }] : []));
  const kept = decided.flatMap(({ delivery, facts, why }) => (why || !facts ? [] : [{ delivery, facts }]));
  const tasks = kept.map(({ delivery, facts: { title, projectName, task } }) => {
    return { title, projectName, dueAt: delivery.dueAt ?? delivery.at, isAllDay: task?.dueTime === null };
  });
  const [[first], [task]] = [kept.map(({ facts }) => facts), tasks];
  if (!first || !task || userId === null) return { mail: undefined, sent: [], omitted };
  const reader = { timeZone: first.timeZone, unsubscribeUrl: linkOf(composing, userId, 'taskRemainders') };
  const mail = tasks.length === 1 ? reminderMail({ ...task, ...reader }) : remindersMail(tasks, reader);
  const composed = { message: { to: first.email, ...mail }, unsubscribeUrl: reader.unsubscribeUrl };
  return { mail: composed, sent: kept.map(({ delivery }) => delivery), omitted };
}

function whyOmitted(delivery: ClaimedDelivery, facts: ReminderToSend | undefined): Omitted | undefined {
  const plan = facts ? planAgain(facts, delivery.dueAt) : { reason: skippedReminders.deleted };
  if (plan.reason !== undefined) return skipped(plan.reason);
  if (isLate(delivery)) return skipped(skippedReminders.late);
  if (plan.at > delivery.now) return { later: plan.at };
  return isExpired(delivery) ? failed(failedDeliveries.givenUp) : undefined;
}

async function composeDigest(composing: Composing, delivery: ClaimedDelivery): Promise<Composed | Omitted> {
  const { userId } = delivery;
  const { connections, clock } = composing;
  const user = userId === null ? undefined : await findDigestUser(connections, clock, userId);
  const refusal = user ? digestRefusal(user) : skippedDigests.off;
  if (!user || refusal !== undefined) return skipped(refusal ?? skippedDigests.off);
  if (isLate(delivery)) return skipped(skippedDigests.late);
  const days = digestDays(user);
  const rows = await findDigestTasks(connections, user.userId, days, maxTasks);
  if (rows.length === 0) return skipped(skippedDigests.empty);
  const url = linkOf(composing, user.userId, 'dailyDigest');
  return { message: { to: user.email, ...mailOfDigest(days, rows, url) }, unsubscribeUrl: url };
}

/** Returns the address of a delivery, or its id if decryption fails, and the domain. */
export function recipientOf({ secrets }: Composing, { id, email, message }: ClaimedDelivery): [string, string] {
  const address = email ?? (message ? decrypt(secrets, id, message)?.to : undefined) ?? id;
  return [address, address.slice(address.lastIndexOf('@') + 1)];
}

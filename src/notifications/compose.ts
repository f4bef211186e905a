import type { Clock } from './clock.ts';
import type { ClaimedDelivery, Ended } from './queue-data.ts';
import { findDigestUser, findDigestTasks } from './digest-data.ts';
import { digestDays, digestRefusal, mailOfDigest, skippedDigests } from './digests.ts';
import { decrypt, type Message } from './encryption.ts';
import { maxTasks } from './mails/digest-mail.ts';
import { reminderMail, remindersMail } from './mails/reminder-mail.ts';
import { findReminders, type ReminderToSend } from './reminder-data.ts';
import { planAgain, skippedReminders } from './reminders.ts';
import { type MailPreference, unsubscribeUrl } from './unsubscribe.ts';

export interface Composing {
  clock: Clock;
  /** The first signs and encrypts, all decrypt. */
  secrets: readonly string[];
  /** Origin of the service as users see it, without a slash at the end. */
  publicUrl: string;
}

/** No secret of this process is the one that a mail was encrypted by. */
class UnknownSecret extends Error {
  override readonly name = 'UnknownSecret';
}

export interface Composed {
  message: Message;
  /** Ends mails of its kind. */
  unsubscribeUrl?: string;
}

/** Why a delivery that is due is no part of a mail: it is not to be sent, for a reason, or at a later moment. */
export type Left = Exclude<Ended, { status: 'SENT' }> | { later: Date };

const skipped = (reason: string): Left => ({ status: 'SKIPPED', reason });
const failed = (reason: string): Left => ({ status: 'FAILED', reason });

export interface Composition {
  /** Undefined: nothing is left to be sent. */
  mail: Composed | undefined;
  /** Those that the mail is of. */
  sent: readonly ClaimedDelivery[];
  left: readonly { delivery: ClaimedDelivery; why: Left }[];
}

/** What a FAILED delivery tells its user: nothing that the mail server said, which may name others. */
export const failedDeliveries = {
  refused: 'The mail server refuses the mail.',
  givenUp: 'The mail server could not be reached, or did not take the mail, for as long as it was tried.',
} as const;

/**
 * Makes the mail of deliveries to one recipient, of what is so now: what they were planned for may have changed since.
 * @param deliveries reminders, or one of another kind
 * @throws UnknownSecret; UNAVAILABLE
 */
export async function compose(composing: Composing, deliveries: readonly ClaimedDelivery[]): Promise<Composition> {
  const [first] = deliveries;
  if (first?.kind === 'REMINDER') return composeReminders(composing, first.userId, deliveries);
  if (!first) return { mail: undefined, sent: [], left: [] };
  const composed = first.kind === 'DIGEST' ? await composeDigest(composing, first) : composeWritten(composing, first);
  if (!('message' in composed)) return { mail: undefined, sent: [], left: [{ delivery: first, why: composed }] };
  if (!isExpired(first)) return { mail: composed, sent: [first], left: [] };
  return { mail: undefined, sent: [], left: [{ delivery: first, why: failed(failedDeliveries.givenUp) }] };
}

function composeWritten({ secrets }: Composing, delivery: ClaimedDelivery): Composed | Left {
  const message = delivery.message && decrypt(secrets, delivery.id, delivery.message);
  if (message) return { message };
  if (isExpired(delivery)) return failed('The service no longer has the key that the mail was kept under.');
  // A process that was started with another one may have it.
  throw new UnknownSecret();
}

const isExpired = ({ expiresAt, now }: ClaimedDelivery) => expiresAt <= now;

/** Whether a delivery has come to be sent for the first time when it was too late for it, as no process ran before. */
const isLate = (delivery: ClaimedDelivery) => delivery.attempts === 1 && isExpired(delivery);

const linkOf = ({ secrets, publicUrl }: Composing, userId: string, kind: MailPreference) =>
  unsubscribeUrl(secrets[0] ?? '', publicUrl, userId, kind);

async function composeReminders(
  composing: Composing,
  userId: string | null,
  deliveries: readonly ClaimedDelivery[],
): Promise<Composition> {
  const taskIds = deliveries.flatMap(({ taskId }) => taskId ?? []);
  const factsOf = userId === null ? new Map<string, ReminderToSend>() : await findReminders(userId, taskIds);
  const decided = deliveries.map((delivery) => {
    const facts = factsOf.get(delivery.taskId ?? '');
    return { delivery, facts, why: whyLeft(delivery, facts) };
  });
  const left = decided.flatMap(({ delivery, why }) => (why ? [{ delivery, why }] : []));
  const kept = decided.flatMap(({ delivery, facts, why }) => (why || !facts ? [] : [{ delivery, facts }]));
  const tasks = kept.map(({ delivery, facts: { title, projectName, task } }) => {
    return { title, projectName, dueAt: delivery.dueAt ?? delivery.at, isAllDay: task?.dueTime === null };
  });
  const [[first], [task]] = [kept.map(({ facts }) => facts), tasks];
  if (!first || !task || userId === null) return { mail: undefined, sent: [], left };
  const reader = { timeZone: first.timeZone, unsubscribeUrl: linkOf(composing, userId, 'taskRemainders') };
  const mail = tasks.length === 1 ? reminderMail({ ...task, ...reader }) : remindersMail(tasks, reader);
  const composed = { message: { to: first.email, ...mail }, unsubscribeUrl: reader.unsubscribeUrl };
  return { mail: composed, sent: kept.map(({ delivery }) => delivery), left };
}

/** Why a reminder is not to be sent now; undefined: it is. */
function whyLeft(delivery: ClaimedDelivery, facts: ReminderToSend | undefined): Left | undefined {
  const plan = facts ? planAgain(facts, delivery.dueAt) : { reason: skippedReminders.deleted };
  if (plan.reason !== undefined) return skipped(plan.reason);
  if (isLate(delivery)) return skipped(skippedReminders.late);
  if (plan.at > delivery.now) return { later: plan.at };
  return isExpired(delivery) ? failed(failedDeliveries.givenUp) : undefined;
}

async function composeDigest(composing: Composing, delivery: ClaimedDelivery): Promise<Composed | Left> {
  const { userId } = delivery;
  const user = userId === null ? undefined : await findDigestUser(composing.clock, userId);
  const refusal = user ? digestRefusal(user) : skippedDigests.off;
  if (!user || refusal !== undefined) return skipped(refusal ?? skippedDigests.off);
  if (isLate(delivery)) return skipped(skippedDigests.late);
  const days = digestDays(user);
  const rows = await findDigestTasks(user.userId, days, maxTasks);
  if (rows.length === 0) return skipped(skippedDigests.empty);
  const url = linkOf(composing, user.userId, 'dailyDigest');
  return { message: { to: user.email, ...mailOfDigest(days, rows, url) }, unsubscribeUrl: url };
}

/** Where a delivery goes to; what cannot be decrypted goes nowhere that others go to. */
export function addressOf({ secrets }: Composing, { id, email, message }: ClaimedDelivery): string {
  return email ?? (message ? decrypt(secrets, id, message)?.to : undefined) ?? id;
}

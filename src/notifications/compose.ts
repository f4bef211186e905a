import type { Clock } from './clock.ts';
import type { ClaimedDelivery } from './queue-data.ts';
import { findDigestUser, findFirstDigestTasks } from './digest-data.ts';
import { digestDays, digestRefusal, mailOfDigest, skippedDigests } from './digests.ts';
import { decrypt, type Message } from './encryption.ts';
import { maxTasks } from './mails/digest-mail.ts';
import { reminderMail } from './mails/reminder-mail.ts';
import { findReminder } from './reminder-data.ts';
import { planReminder, skippedReminders } from './reminders.ts';
import { type MailPreference, unsubscribeUrl } from './unsubscribe.ts';

/** What mails are made with. */
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

/** What is to be done with a delivery that is due: to send it, not to, for a reason, or to leave it for a later moment. */
export type Composition =
  | {
      message: Message;
      /** Ends mails of its kind. */
      unsubscribeUrl?: string;
    }
  | { skipped: string }
  | { failed: string }
  | { later: Date };

/**
 * Makes the mail of a delivery, of what is so now: what it was planned for may have changed since.
 * @throws UnknownSecret; UNAVAILABLE
 */
export async function compose(composing: Composing, taken: ClaimedDelivery): Promise<Composition> {
  if (taken.kind === 'REMINDER') return composeReminder(composing, taken);
  if (taken.kind === 'DIGEST') return composeDigest(composing, taken);
  const message = taken.message && decrypt(composing.secrets, taken.id, taken.message);
  if (message) return { message };
  if (taken.expiresAt <= taken.now)
    return { failed: 'The service no longer has the key that the mail was kept under.' };
  // A process that was started with another one may have it.
  throw new UnknownSecret();
}

/** Whether a delivery has come to be sent for the first time when it was too late for it, as no process ran before. */
const isLate = ({ attempts, expiresAt, now }: ClaimedDelivery) => attempts === 1 && expiresAt <= now;

const linkOf = ({ secrets, publicUrl }: Composing, userId: string, kind: MailPreference) =>
  unsubscribeUrl(secrets[0] ?? '', publicUrl, userId, kind);

async function composeReminder(composing: Composing, taken: ClaimedDelivery): Promise<Composition> {
  const { taskId, userId, dueAt, now } = taken;
  const facts = taskId && userId ? await findReminder(taskId, userId) : undefined;
  if (!facts?.task || userId === null) return { skipped: skippedReminders.deleted };
  const plan = planReminder(facts);
  if (plan.reason !== undefined) return { skipped: plan.reason };
  if (plan.dueAt.getTime() !== dueAt?.getTime()) return { skipped: skippedReminders.moved };
  if (isLate(taken)) return { skipped: skippedReminders.late };
  if (plan.at > now) return { later: plan.at };
  const { email, title, projectName, task, timeZone } = facts;
  const url = linkOf(composing, userId, 'taskRemainders');
  const isAllDay = task.dueTime === null;
  const mail = reminderMail({ title, projectName, dueAt, isAllDay, timeZone, unsubscribeUrl: url });
  return { message: { to: email, ...mail }, unsubscribeUrl: url };
}

async function composeDigest(composing: Composing, taken: ClaimedDelivery): Promise<Composition> {
  const { userId } = taken;
  const user = userId === null ? undefined : await findDigestUser(composing.clock, userId);
  const refusal = user ? digestRefusal(user) : skippedDigests.off;
  if (!user || refusal !== undefined) return { skipped: refusal ?? skippedDigests.off };
  if (isLate(taken)) return { skipped: skippedDigests.late };
  const days = digestDays(user);
  const rows = await findFirstDigestTasks(user.userId, days, maxTasks);
  if (rows.length === 0) return { skipped: skippedDigests.empty };
  const url = linkOf(composing, user.userId, 'dailyDigest');
  return { message: { to: user.email, ...mailOfDigest(days, rows, url) }, unsubscribeUrl: url };
}

import type { Clock } from '../../src/notifications/clock.ts';
import type { Service } from '../kit/service.ts';
import { mailboxOf, type SmtpSink } from '../kit/smtp-sink.ts';
import { signUpByMail, type User } from '../kit/users.ts';

/** A delivery as its user sees it. */
export interface ToldDelivery {
  id: string;
  at: string;
  status: 'PLANNED' | 'SENT' | 'SKIPPED' | 'FAILED';
  reason: string | null;
  sentAt: string | null;
}

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** A clock that is stopped until the test moves it. */
export class HeldClock implements Clock {
  heldAt: Date;

  constructor(at: string) {
    this.heldAt = new Date(at);
  }

  set(at: string | number | Date): void {
    this.heldAt = new Date(at);
  }

  /** Moves it by milliseconds. */
  pass(ms: number): void {
    this.heldAt = new Date(this.heldAt.getTime() + ms);
  }
}

/** Plans all that there is to plan, and sends what is due. */
export async function settle({ services }: Service): Promise<void> {
  await services.planner.run();
  // It plans in rounds: what was written while one was under way is of the next.
  await services.planner.run();
  await services.mailer.drain();
  // What follows what has ended, such as the next digest.
  await services.planner.run();
}

/** Moves the clock to a moment, and does what is to be done then. */
export async function settleAt(service: Service, clock: HeldClock, at: string | number | Date): Promise<void> {
  clock.set(at);
  await settle(service);
}

const fields = 'id at status reason sentAt';

/** The caller's own reminders of a task. */
export async function remindersOf(user: User, taskId: string): Promise<ToldDelivery[]> {
  const query = `query ($id: ID!) { task(id: $id) { reminders { ${fields} } } }`;
  const { task } = await user.data<{ task: { reminders: ToldDelivery[] } }>(query, { id: taskId });
  return task.reminders;
}

/** The caller's own deliveries. */
export async function deliveriesOf(user: User, first = 500): Promise<ToldDelivery[]> {
  const query = `query ($first: Int) { deliveries(first: $first) { ${fields} } }`;
  const { deliveries } = await user.data<{ deliveries: ToldDelivery[] }>(query, { first });
  return deliveries;
}

/** Sets preferences. */
export const prefer = (user: User, input: Record<string, unknown>): Promise<unknown> =>
  user.data('mutation ($input: UpdatePreferencesInput!) { updatePreferences(input: $input) { timeZone } }', { input });

/** Makes an account whose code comes by SMTP. */
export const signUpBy = (service: Service, sink: SmtpSink): Promise<User> =>
  signUpByMail({ ...service, anonymous: service.anonymous, mailbox: mailboxOf(sink) });

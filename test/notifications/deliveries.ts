import type { Clock } from '@taskgate/postgres';
import type { Service } from '../kit/service.ts';
import { mailboxOf, type SmtpSink } from '../kit/smtp-sink.ts';
import { signUpByMail, type User } from '../kit/users.ts';

export interface ListedDelivery {
  id: string;
  at: string;
  status: 'PLANNED' | 'SENT' | 'SKIPPED' | 'FAILED';
  reason: string | null;
  sentAt: string | null;
}

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

export class FixedClock implements Clock {
  now: Date;

  constructor(at: string) {
    this.now = new Date(at);
  }

  set(at: string | number | Date): void {
    this.now = new Date(at);
  }

  advance(ms: number): void {
    this.now = new Date(this.now.getTime() + ms);
  }
}

/** Plans everything, and sends the due mails. */
export async function planAndSend({ services }: Service): Promise<void> {
  await services.planner.run();
  // A change during a round of the planner belongs to the next round.
  await services.planner.run();
  await services.mailer.drain();
  // Plans the successors of ended deliveries, such as the next digest.
  await services.planner.run();
}

export async function planAndSendAt(service: Service, clock: FixedClock, at: string | number | Date): Promise<void> {
  clock.set(at);
  await planAndSend(service);
}

const fields = 'id at status reason sentAt';

export async function remindersOf(user: User, taskId: string): Promise<ListedDelivery[]> {
  const query = `query ($id: ID!) { task(id: $id) { reminders { ${fields} } } }`;
  const { task } = await user.data<{ task: { reminders: ListedDelivery[] } }>(query, { id: taskId });
  return task.reminders;
}

export async function deliveriesOf(user: User, first = 500): Promise<ListedDelivery[]> {
  const query = `query ($first: Int) { deliveries(first: $first) { ${fields} } }`;
  const { deliveries } = await user.data<{ deliveries: ListedDelivery[] }>(query, { first });
  return deliveries;
}

export const changePreferences = (user: User, input: Record<string, unknown>): Promise<unknown> =>
  user.data('mutation ($input: UpdatePreferencesInput!) { updatePreferences(input: $input) { timeZone } }', { input });

export const signUpBy = (service: Service, sink: SmtpSink): Promise<User> =>
  signUpByMail({ ...service, anonymous: service.anonymous, mailbox: mailboxOf(sink) });

import type { Clock } from '../../src/notifications/clock.ts';
import type { Service } from '../kit/service.ts';
import { mailboxOf, type SmtpSink } from '../kit/smtp-sink.ts';
import { signUpByMail, type User } from '../kit/users.ts';

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

export class HeldClock implements Clock {
  heldAt: Date;

  constructor(at: string) {
    this.heldAt = new Date(at);
  }

  set(at: string | number | Date): void {
    this.heldAt = new Date(at);
  }

  pass(ms: number): void {
    this.heldAt = new Date(this.heldAt.getTime() + ms);
  }
}

/** Plans everything, and sends the due mails. */
export async function settle({ services }: Service): Promise<void> {
  await services.planner.run();
  // A change during a round of the planner belongs to the next round.
  await services.planner.run();
  await services.mailer.drain();
  // Plans the successors of ended deliveries, such as the next digest.
  await services.planner.run();
}

export async function settleAt(service: Service, clock: HeldClock, at: string | number | Date): Promise<void> {
  clock.set(at);
  await settle(service);
}

const fields = 'id at status reason sentAt';

export async function remindersOf(user: User, taskId: string): Promise<ToldDelivery[]> {
  const query = `query ($id: ID!) { task(id: $id) { reminders { ${fields} } } }`;
  const { task } = await user.data<{ task: { reminders: ToldDelivery[] } }>(query, { id: taskId });
  return task.reminders;
}

export async function deliveriesOf(user: User, first = 500): Promise<ToldDelivery[]> {
  const query = `query ($first: Int) { deliveries(first: $first) { ${fields} } }`;
  const { deliveries } = await user.data<{ deliveries: ToldDelivery[] }>(query, { first });
  return deliveries;
}

export const prefer = (user: User, input: Record<string, unknown>): Promise<unknown> =>
  user.data('mutation ($input: UpdatePreferencesInput!) { updatePreferences(input: $input) { timeZone } }', { input });

export const signUpBy = (service: Service, sink: SmtpSink): Promise<User> =>
  signUpByMail({ ...service, anonymous: service.anonymous, mailbox: mailboxOf(sink) });

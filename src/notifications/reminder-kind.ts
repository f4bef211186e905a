import { transaction } from '../platform/transaction.ts';
import {
  type Composing,
  type Composition,
  type Deliveries,
  type End,
  failed,
  failedDeliveries,
  isExpired,
  isLate,
  type Omitted,
  skipped,
} from './kind.ts';
import { reminderMail, remindersMail } from './mails/reminder-mail.ts';
import type { ClaimedDelivery } from './outbox-data.ts';
import { findReminders, queueSpacesOf, type ReminderToSend } from './reminder-data.ts';
import { planAgain, skippedReminders } from './reminders.ts';

export async function composeReminders(
  { connections }: Composing,
  deliveries: Deliveries,
  unsubscribeUrl: string,
): Promise<Composition> {
  const [{ userId }] = deliveries;
  const factsOf = await findReminders(connections, userId ?? '', taskIdsOf(deliveries));
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
  if (!first || !task) return { message: undefined, sent: [], omitted };
  const reader = { timeZone: first.timeZone, unsubscribeUrl };
  const mail = tasks.length === 1 ? reminderMail({ ...task, ...reader }) : remindersMail(tasks, reader);
  return { message: { to: first.email, ...mail }, sent: kept.map(({ delivery }) => delivery), omitted };
}

const taskIdsOf = (deliveries: readonly ClaimedDelivery[]) => deliveries.flatMap(({ taskId }) => taskId ?? []);

function whyOmitted(delivery: ClaimedDelivery, facts: ReminderToSend | undefined): Omitted | undefined {
  const plan = facts ? planAgain(facts, delivery.dueAt) : { reason: skippedReminders.deleted };
  if (plan.reason !== undefined) return skipped(plan.reason);
  if (isLate(delivery)) return skipped(skippedReminders.late);
  if (plan.at > delivery.now) return { later: plan.at };
  return isExpired(delivery) ? failed(failedDeliveries.givenUp) : undefined;
}

/** Queues the spaces of skipped reminders for planning, because their tasks or preferences may have changed. */
export const endReminders: End = ({ connections }, deliveries, { status }, endIn) =>
  status === 'SKIPPED'
    ? transaction(connections, [`reminders ${deliveries[0].userId ?? ''}`], async (tx) => {
        const ours = await endIn(tx);
        await queueSpacesOf(tx, taskIdsOf(deliveries.filter(({ id }) => ours.has(id))));
        return ours;
      })
    : endIn(connections);

import { transaction } from '../platform/transaction.ts';
import { findActivity, noteMailed, planActivity } from './activity-data.ts';
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
import { activityMail, limits } from './mails/activity-mail.ts';

/** Reasons for SKIPPED. */
export const skippedActivity = {
  off: 'Mails about tasks are off.',
  empty: 'Everything was read, or is gone.',
} as const;

/** Composes a mail. After a downtime, it is sent at once. */
export async function composeActivity(
  { connections, appUrl }: Composing,
  [delivery]: Deliveries,
  unsubscribeUrl: string,
): Promise<Composition> {
  const omit = (why: Omitted) => ({ message: undefined, sent: [], omitted: [{ delivery, why }] });
  const activity = await findActivity(connections, delivery.userId ?? '', limits);
  const [first, ...others] = activity?.tasks ?? [];
  if (!activity || !first)
    return omit(skipped(activity?.isOff === false ? skippedActivity.empty : skippedActivity.off));
  if (isExpired(delivery) && !isLate(delivery)) return omit(failed(failedDeliveries.givenUp));
  const mail = activityMail({ ...activity, tasks: [first, ...others], appUrl, unsubscribeUrl });
  const thread = others.length === 0 ? first.id : undefined;
  const sent = [{ ...delivery, reported: activity.reported }];
  return { message: { to: activity.email, thread, ...mail }, sent, omitted: [] };
}

/**
 * Notes the reported events, and plans the next mail in the same transaction. Either a new event waits for this
 * transaction, or this one waits for the event (`planActivity`): none is forgotten.
 */
export const endActivity: End = ({ connections }, [{ userId, reported }], { status }, endIn) =>
  transaction(connections, [`activity ${userId ?? ''}`], async (tx) => {
    const ours = await endIn(tx);
    if (ours.size === 0 || userId === null) return ours;
    // A mail that could not be sent would fail again.
    if (status !== 'SKIPPED') await noteMailed(tx, userId, status === 'SENT' ? reported : undefined);
    await planActivity(tx, userId);
    return ours;
  });

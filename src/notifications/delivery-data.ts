import { groupBy } from '@taskgate/base';
import { type Clock, nowOf, runSql, readOnPrimary, seconds } from '@taskgate/postgres';
import { Prisma } from '../generated/prisma/client.ts';
import type { DeliveryKind, DeliveryStatus } from '../generated/prisma/enums.ts';
import type { Database } from '../platform/database.ts';
import type { Viewer } from '../platform/context.ts';
import { orNotFound } from '../platform/errors.ts';
import { isInSpacesOf, isMembershipOf } from '../platform/policy.ts';
import { isRecent } from '../platform/recent.ts';
import {
  dueKey,
  type FactRow,
  factColumns,
  factJoins,
  factsOf,
  isRemindedOf,
  keptReminders,
  type ReminderPair,
} from './reminder-data.ts';
import { planAgain, reminderAhead } from './reminders.ts';

const { sql } = Prisma;

export interface Delivery {
  id: string;
  at: Date;
  status: DeliveryStatus;
  reason: string | null;
  sentAt: Date | null;
}

type DeliveryRow = FactRow<ReminderPair> & Delivery & { dueAt: Date | null };

const deliveryColumns = sql`
  pair.id, pair.at, pair.status, pair.reason, pair.sent_at AS "sentAt", pair.due_at AS "dueAt", ${factColumns}`;

/** Shows a planned reminder as the sender would decide now. */
function shown({ id, at, status, reason, sentAt, dueAt, ...facts }: DeliveryRow): Delivery {
  const row = { id, at, status, reason, sentAt };
  if (status !== 'PLANNED' || !dueAt) return row;
  const plan = planAgain(factsOf(facts as FactRow<ReminderPair>), dueAt);
  return plan.reason === undefined ? { ...row, at: plan.at } : { ...row, status: 'SKIPPED', reason: plan.reason };
}

const latestFirst = (one: Delivery, other: Delivery) =>
  other.at.getTime() - one.at.getTime() || (one.id < other.id ? 1 : -1);

/** Condition that the viewer's credential covers a delivery. Mails without a task belong to the personal space. */
const isReached = (viewer: Viewer) =>
  viewer.credential.spaceIds
    ? sql`CASE WHEN task_id IS NULL THEN ${viewer.inboxId !== null}
        ELSE task_id IN (SELECT id FROM tasks WHERE ${isInSpacesOf(viewer)}) END`
    : sql`true`;

/** Includes reminders that have no row yet. */
export async function findDeliveries(viewer: Viewer, clock: Clock, first: number): Promise<Delivery[]> {
  const rows = await readOnPrimary<DeliveryRow>(
    viewer,
    sql`/* findDeliveries */
      SELECT ${deliveryColumns} FROM (
        SELECT * FROM deliveries WHERE user_id = ${viewer.id} AND ${isReached(viewer)} ORDER BY at DESC, id DESC LIMIT ${first}
      ) AS pair ${factJoins}`,
  );
  const ahead = await findLastAhead(viewer, clock, first);
  return [...rows.map(shown), ...ahead].sort(latestFirst).slice(0, first);
}

/** Finds the latest reminders that have no row yet. The index needs the condition `IS NOT NULL`. */
async function findLastAhead(viewer: Viewer, clock: Clock, first: number): Promise<Delivery[]> {
  const last = (isTimed: Prisma.Sql) => sql`
    SELECT task.id FROM memberships AS member CROSS JOIN LATERAL (
      SELECT id, ${dueKey} AS key FROM tasks AS task
      WHERE space_id = member.space_id AND ${isRemindedOf} AND ${isTimed} AND ${dueKey} IS NOT NULL
      ORDER BY ${dueKey} DESC LIMIT ${first}
    ) AS task
    WHERE ${isMembershipOf(viewer, 'member')} ORDER BY key DESC LIMIT ${first}`;
  const rows = await findAhead(
    viewer,
    clock,
    sql`(${last(sql`due_time IS NOT NULL`)}) UNION ALL (${last(sql`due_time IS NULL`)})`,
  );
  if (rows.length === 0) return [];
  const kept = await readOnPrimary<{ id: string }>(
    viewer,
    sql`/* findRowsOfReminders */ SELECT id FROM deliveries WHERE id = ANY (${rows.map(({ id }) => id)})`,
  );
  const rowIds = new Set(kept.map(({ id }) => id));
  return rows.filter(({ id }) => !rowIds.has(id));
}

/** Computes the reminders that the planner will make. @param tasks statement that selects the ids of tasks */
async function findAhead(viewer: Viewer, clock: Clock, tasks: Prisma.Sql) {
  const rows = await readOnPrimary<FactRow<ReminderPair>>(
    viewer,
    sql`/* findRemindersAhead */
      SELECT ${factColumns}, ${nowOf(clock)} AS now
      FROM (SELECT each.id AS task_id, ${viewer.id}::text AS user_id FROM (${tasks}) AS each (id)) AS pair ${factJoins}`,
  );
  return rows.flatMap((row) => {
    const facts = factsOf<ReminderPair>(row);
    const reminder = reminderAhead(facts.taskId, viewer.id, facts.now, facts);
    return reminder ? [{ ...reminder, taskId: facts.taskId }] : [];
  });
}

/** Finds the viewer's reminders of each task: the planned one, then past ones, latest first. */
export async function findReminders(viewer: Viewer, clock: Clock, taskIds: readonly string[]): Promise<Delivery[][]> {
  const rows = await readOnPrimary<DeliveryRow>(
    viewer,
    sql`/* findReminders */
        SELECT ${deliveryColumns} FROM unnest(${[...taskIds]}::text[]) AS each (id)
        CROSS JOIN LATERAL (
          SELECT * FROM deliveries WHERE task_id = each.id AND user_id = ${viewer.id}
          ORDER BY (status = 'PLANNED') DESC, at DESC, id DESC LIMIT ${keptReminders}
        ) AS pair ${factJoins}`,
  );
  const ahead = await findAhead(viewer, clock, sql`SELECT unnest(${[...taskIds]}::text[])`);
  const rowIds = new Set(rows.map(({ id }) => id));
  const all = [
    ...rows.map((row) => ({ ...shown(row), taskId: row.taskId })),
    ...ahead.filter(({ id }) => !rowIds.has(id)),
  ];
  const byTask = groupBy(all, ({ taskId }) => taskId);
  const isPast = ({ status }: Delivery) => Number(status !== 'PLANNED');
  const plannedFirst = (one: Delivery, other: Delivery) => isPast(one) - isPast(other) || latestFirst(one, other);
  return taskIds.map((id) => (byTask.get(id) ?? []).sort(plannedFirst).slice(0, keptReminders));
}

/** Finds the seconds until another mail of the kind is allowed. Null if one is allowed now. */
export async function findWait(
  tx: Database,
  userId: string,
  kind: DeliveryKind,
  { quota, windowSeconds }: { quota: number; windowSeconds: number },
): Promise<number | null> {
  const [row] = await runSql<{ wait: number }>(
    tx,
    sql`
      SELECT extract(epoch FROM created_at + ${seconds(windowSeconds)} - statement_timestamp())::float8 AS wait
      FROM deliveries WHERE user_id = ${userId} AND kind = ${kind}::"DeliveryKind"
        AND ${isRecent('created_at', windowSeconds)}
      ORDER BY created_at DESC OFFSET ${quota - 1} LIMIT 1`,
  );
  return row?.wait ?? null;
}

export async function findAddress(tx: Database, userId: string): Promise<string> {
  const user = orNotFound(await tx.user.findUnique({ where: { id: userId }, select: { email: true } }), 'User');
  return user.email;
}

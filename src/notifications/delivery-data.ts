import DataLoader from 'dataloader';
import { Prisma } from '../generated/prisma/client.ts';
import type { DeliveryKind, DeliveryStatus } from '../generated/prisma/enums.ts';
import type { Database } from '../database/database.ts';
import { runSql, runWithin } from '../database/statements.ts';
import { budgetOf, type Viewer } from '../kernel/context.ts';
import { orNotFound } from '../kernel/errors.ts';
import { groupBy } from '../kernel/group.ts';
import { seconds } from './queue-data.ts';
import { keptReminders } from './reminder-data.ts';

const { sql, raw } = Prisma;

/** A delivery as its user sees it. */
export interface Delivery {
  id: string;
  at: Date;
  status: DeliveryStatus;
  reason: string | null;
  sentAt: Date | null;
}

const shown = raw('id, at, status, reason, sent_at AS "sentAt"');

/** Those of the viewer, by their moments, the latest first. */
export const findDeliveries = (viewer: Viewer, first: number): Promise<Delivery[]> =>
  runWithin<Delivery>(
    budgetOf(viewer),
    sql`/* findDeliveries */
      SELECT ${shown} FROM deliveries WHERE user_id = ${viewer.id} ORDER BY at DESC, id DESC LIMIT ${first}`,
  );

/** Loads the viewer's own reminders of tasks, by task: the planned one, then those of the past, the latest first. */
export const reminderLoader = (viewer: Viewer): DataLoader<string, Delivery[]> =>
  new DataLoader(async (taskIds: readonly string[]) => {
    const rows = await runWithin<Delivery & { taskId: string }>(
      budgetOf(viewer),
      sql`/* findReminders */
        SELECT delivery.* FROM unnest(${[...taskIds]}::text[]) AS task (id)
        CROSS JOIN LATERAL (
          SELECT ${shown}, task_id AS "taskId" FROM deliveries WHERE task_id = task.id AND user_id = ${viewer.id}
          ORDER BY (status = 'PLANNED') DESC, at DESC, id DESC LIMIT ${keptReminders}
        ) AS delivery`,
    );
    const byTask = groupBy(rows, ({ taskId }) => taskId);
    return taskIds.map((id) => byTask.get(id) ?? []);
  });

/** Seconds until the viewer may have another mail of a kind, as so many a time are allowed; null: now. */
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
        AND created_at > statement_timestamp() - ${seconds(windowSeconds)}
      ORDER BY created_at DESC OFFSET ${quota - 1} LIMIT 1`,
  );
  return row?.wait ?? null;
}

/** The address of an account that is known to exist. */
export async function findAddress(tx: Database, userId: string): Promise<string> {
  const user = orNotFound(await tx.user.findUnique({ where: { id: userId }, select: { email: true } }), 'User');
  return user.email;
}

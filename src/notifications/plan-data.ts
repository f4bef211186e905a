import { type Clock, runSql } from '@taskgate/postgres';
import { Prisma } from '../generated/prisma/client.ts';
import type { Connections } from '../platform/database.ts';
import { LogReader } from '../platform/log-reader.ts';
import { isDue, isReady } from './planning-queue-data.ts';
import { isRemindedOf } from './reminder-data.ts';

const { sql } = Prisma;

/** Changed fields that may affect mails. For the fields of users and workspaces see `log_whole_spaces`. */
const decisive = ['dueDate', 'dueTime', 'completed', 'reminder', 'assignees', 'preferences', 'members'];

/** Queues the spaces whose plans the changes may affect. */
export const planReader = new LogReader('planner', {
  changes: sql`
    WITH decisive AS (
      SELECT * FROM page WHERE kind <> 'UPDATED' OR fields && ${decisive}::text[]
    )
    INSERT INTO planning_queue (space_id, at) SELECT space_id, min(at) FROM (
      SELECT space_id, at FROM decisive WHERE type = 'TASK' AND EXISTS (
        SELECT FROM unnest(entity_ids) AS changed (id) JOIN tasks AS task USING (id) WHERE ${isRemindedOf}
      )
      UNION ALL
      SELECT space_id, at FROM decisive WHERE type = 'WORKSPACE'
      UNION ALL
      -- Includes the personal space.
      SELECT member.space_id, at FROM decisive JOIN memberships AS member ON member.user_id = decisive.space_id
      WHERE type = 'USER'
    ) AS space GROUP BY space_id ORDER BY min(at)`,
  spaces: sql`INSERT INTO planning_queue (space_id) SELECT id FROM page`,
});

export interface Work {
  log: boolean;
  queue: boolean;
}

export async function findWork(connections: Connections, clock: Clock): Promise<Work> {
  const [work] = await runSql<Work>(
    connections,
    sql`/* findPlanWork */
      SELECT ${planReader.hasPage} AS log,
        EXISTS (SELECT FROM planning_queue WHERE ${isReady}) OR EXISTS (SELECT FROM planning_queue WHERE ${isDue(clock)}) AS queue`,
  );
  return work ?? { log: false, queue: false };
}

/** Finds the age of the oldest unplanned change in seconds. Ignores retries that wait for their time. */
export async function findPlanLag(connections: Connections): Promise<number> {
  const [row] = await runSql<{ lag: number | null }>(
    connections,
    sql`/* findPlanLag */
      SELECT extract(epoch FROM statement_timestamp() - least(
        (SELECT min(at) FROM planning_queue WHERE ${isReady}), ${planReader.oldest}
      ))::float8 AS lag`,
  );
  return Math.max(0, row?.lag ?? 0);
}

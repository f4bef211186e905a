import { expect, test } from '@jest/globals';
import { kinds } from '../../src/notifications/kinds.ts';
import { createTestDatabase, sqlAt } from '../kit/postgres.ts';

test('the database puts each kind of mail into its queues', async () => {
  const url = await createTestDatabase();
  const rows = await sqlAt<{ kind: string; queues: string[] }>(
    url,
    `WITH inserted AS (
       INSERT INTO deliveries (id, kind, occurrence, at, expires_at, next_at, attempts, task_id, space_id, due_at)
       SELECT kind::text || attempts, kind, '', now(), now(), now(), attempts,
         CASE kind WHEN 'REMINDER' THEN '' END, CASE kind WHEN 'REMINDER' THEN '' END, CASE kind WHEN 'REMINDER' THEN now() END
       FROM unnest(enum_range(NULL::"DeliveryKind")) AS kind CROSS JOIN generate_series(0, 1) AS attempts
       RETURNING kind, attempts, queue
     ) SELECT kind, array_agg(queue::text ORDER BY attempts) AS queues FROM inserted GROUP BY kind`,
  );
  expect(Object.fromEntries(rows.map(({ kind, queues }) => [kind, queues]))).toEqual(
    Object.fromEntries(Object.entries(kinds).map(([kind, { lane, retryLane }]) => [kind, [lane, retryLane]])),
  );
});

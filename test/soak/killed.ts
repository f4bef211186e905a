import { openLockHolder } from '../kit/locks.ts';
import { until } from '../kit/until.ts';
import type { Load, SentWrite } from '../load/load.ts';
import type { Person } from '../load/people.ts';
import type { Request } from '../load/requests.ts';
import type { Installation } from './world.ts';

const blockedStatements = `SELECT FROM pg_stat_activity WHERE application_name = 'taskgate' AND wait_event_type = 'Lock'`;

/**
 * Blocks a write in the middle of its transaction and kills both gateways. The client repeats it until it gets a response.
 * @param locks statements that lock rows, which the write needs too
 * @param state of the data, which must not show a part of the write
 */
export async function sendWithKill(
  world: Installation,
  load: Load,
  {
    person,
    request,
    locks,
    state,
  }: {
    person: Person;
    request: Request;
    locks: readonly [sql: string, values: unknown[]][];
    state: () => Promise<string>;
  },
): Promise<SentWrite> {
  const from = await state();
  const lockHolder = await openLockHolder({ databaseUrl: (await world.database).url });
  for (const [sql, values] of locks) await lockHolder.sql(sql, values);
  const sent = load.send(person, { request });
  try {
    await until('the write waits', async () => (await world.sql(blockedStatements)).length > 0);
    await Promise.all([world.kill(0), world.kill(1)]);
    const now = await state();
    if (now !== from) throw new Error(`a part of the write is there: ${now}, not ${from}`);
  } finally {
    await lockHolder.sql('ROLLBACK');
    await lockHolder.release();
  }
  return sent;
}

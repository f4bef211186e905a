import { isDeepStrictEqual } from 'node:util';
import { errorCodesOf, expired } from '../changes/doors.ts';
import { cursorOfNow, poll, Stream } from '../changes/stream.ts';
import { isReplayed, mutate, newKey, withKey } from '../idempotency/keyed.ts';
import { withTimeout, until } from '../kit/until.ts';
import { signUpByMail } from '../kit/users.ts';
import { listEntities, Replica, SyncStream } from '../sync/replica.ts';
import type { Installation } from './installation.ts';

export const lostHistory = 'asynchronous: acknowledged writes lost';

/**
 * Without synchronous mode, a failover loses the primary's last writes. No client may mistake the new history for the lost one: cursors are refused,
 * streams end, and cached responses for equal revisions are not used.
 * @returns problems
 */
export async function loseHistory(place: Installation): Promise<string[]> {
  const problems: string[] = [];
  const expect = (description: string, found: unknown, wanted: unknown) => {
    if (!isDeepStrictEqual(found, wanted)) problems.push(`${lostHistory}: ${description}: ${JSON.stringify(found)}`);
  };
  const service = await place.find();
  const [primary, setSynchronous] = [
    await place.primary(),
    async (on: boolean) => (await place.primary()).command('PATCH', '/config', { synchronous_mode: on }),
  ];
  const standby = place.other(primary);
  await setSynchronous(false);
  await place.untilReplicating(false);
  const [anna, ben] = [await signUpByMail(await place.access()), await signUpByMail(await place.access())];
  const write = (title: string, key = newKey()) =>
    anna.post<{ todo: { id: string } }>('/api/v2/todo', { title }, withKey(key));
  const syncFrom = async (after: string | null) => {
    const answer = await anna.graphql('query ($after: String) { sync(after: $after) { cursor } }', { after });
    return answer.errors?.[0]?.extensions.code ?? 'none';
  };
  const titles = async () => (await listEntities(anna)).tasks.map(({ title }) => title).sort();

  await write('kept');
  const [kept, bens] = [new Replica(), await cursorOfNow(ben)];
  await kept.pull(anna);
  const changesKept = await cursorOfNow(anna);
  await place.untilEqual();

  await standby.machine.block(primary.machine.address, 5432);
  await until('nobody replicates', async () => (await primary.sql('SELECT FROM pg_stat_replication')).length === 0);
  const streams = [await SyncStream.open(service, anna, kept.cursor), await Stream.open(service, anna)] as const;
  const keys = [newKey(), newKey()] as const;
  const mutation = (key: string) =>
    mutate<object>(anna, 'mutation { createTask(input: { title: "by GraphQL" }) { id } }', { key });
  expect('a write is acknowledged', (await write('by REST', keys[0])).status, 201);
  expect('a mutation is acknowledged', (await mutation(keys[1])).body.errors, undefined);
  const lost = new Replica();
  await lost.pull(anna);
  const changesLost = await cursorOfNow(anna);
  const etag = (await anna.get('/api/v2/todo')).headers.get('etag') ?? '';
  await primary.kill();
  await until('the standby is the primary', standby.isPrimary);
  await until('it is served', async () => (await anna.get('/api/v2/todo')).status === 200);

  expect('the lost tasks are gone', await titles(), ['kept']);
  for (const stream of streams) {
    expect('a stream ends', await withTimeout('the end of a stream', stream.ended), 'CURSOR_EXPIRED');
    stream.close();
  }
  // As many writes as were lost, which reach the same revisions.
  for (const count of [0, 1, 2]) {
    if (count > 0) await write(`found ${count}`);
    const list = await anna.get('/api/v2/todo', { headers: { 'If-None-Match': etag } });
    expect(`a list is answered anew after ${count} writes`, list.status, 200);
    expect(`a replica's cursor after ${count} writes`, await syncFrom(lost.cursor), 'CURSOR_EXPIRED');
    const answers = await withTimeout('answers to a cursor', errorCodesOf(service, anna, changesLost));
    expect(`a cursor of changes after ${count} writes`, answers, expired);
  }
  const [again, mutatedAgain] = [await write('by REST', keys[0]), await mutation(keys[1])];
  expect('a lost key is free', [isReplayed(again), isReplayed(mutatedAgain)], [false, false]);
  expect('a write happens', [again.status, mutatedAgain.body.errors], [201, undefined]);
  expect('all that was written since', await titles(), ['by GraphQL', 'by REST', 'found 1', 'found 2', 'kept']);
  // State from before the loss stays valid.
  await kept.pull(anna);
  expect('a replica that goes on', kept.entities, await listEntities(anna));
  expect('changes that go on', (await poll(anna, changesKept)).nodes.length, 4);
  expect('changes of somebody who lost nothing', (await poll(ben, bens)).nodes, []);

  await standby.machine.unblock(primary.machine.address, 5432);
  primary.startPatroni();
  await place.untilReplicating(false);
  await place.untilEqual();
  await setSynchronous(true);
  await place.untilReplicating();
  return problems;
}

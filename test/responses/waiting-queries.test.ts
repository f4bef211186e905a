import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { log } from '@taskgate/base';
import { loadOf } from '../../packages/work/load.ts';
import { Socket } from '../changes/stream.ts';
import { openLockHolder, type LockHolder, untilWaiting } from '../kit/locks.ts';
import { captureLog, levels } from '../kit/log-lines.ts';
import { makeWorkspace } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { signInAgain, signUp, type User } from '../kit/users.ts';
import { until } from '../kit/until.ts';
import { queryPolicy } from '../../packages/execution/use-turn.ts';

const waitingQueries = () => loadOf('queries').waiting;
const untilQueriesWait = (count: number) => until(`${count} queries wait`, () => waitingQueries() === count);

describe('a query that waits for its turn', () => {
  let service: Service;
  let lockHolder: LockHolder;
  let anna: User;
  let workspace: { id: string };
  let running: Promise<unknown>[];

  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  // Anna's queries fill her slots and wait for the table.
  beforeEach(async () => {
    anna = await signUp(service);
    workspace = await makeWorkspace(anna);
    lockHolder = await openLockHolder(service);
    await lockHolder.sql('LOCK TABLE sections IN ACCESS EXCLUSIVE MODE');
    running = Array.from({ length: queryPolicy.slotsPerKey }, () => anna.data('{ inbox { sections { id } } }'));
    await untilWaiting(service, queryPolicy.slotsPerKey);
  });
  afterEach(async () => {
    await lockHolder.release();
    await Promise.allSettled(running);
  });

  test('is executed when another one has ended', async () => {
    const waitingQuery = anna.data('{ tagCount }');
    await untilQueriesWait(1);
    await lockHolder.release();
    await Promise.all(running);
    expect(await waitingQuery).toEqual({ tagCount: 0 });
    expect(waitingQueries()).toBe(0);
  });

  test.each<[string, (number: number) => Promise<unknown>]>([
    ['a list over REST', (number) => anna.get(`/api/v2/todo?asked=${number}`)],
    ['a filtered list over REST', (number) => anna.get(`/api/v2/todo?completed=false&asked=${number}`)],
    ['a query over HTTP', (number) => anna.data(`query Q${number} { tasks { nodes { id } } }`)],
  ])('delays nobody else, even if 40 wait: %s', async (_label, send) => {
    const ben = await signUp(service);
    let answered = 0;
    const all = Array.from({ length: 40 }, async (_, number) => {
      await send(number);
      answered += 1;
    });
    await until('all queries wait or are answered', () => waitingQueries() + answered >= 40);
    expect({ waiting: waitingQueries(), answered }).toEqual({ waiting: 40, answered: 0 });
    expect(await ben.data('{ tagCount }')).toEqual({ tagCount: 0 });
    expect(waitingQueries()).toBe(40);
    await lockHolder.release();
    await Promise.all([...running, ...all]);
  });

  test('shows nothing of a workspace that the caller is removed from during the wait, over HTTP and WebSocket', async () => {
    const socket = await Socket.ready(service.url, anna.cookie);
    const query = '{ workspaces { id } }';
    const httpQuery = anna.data(query);
    socket.send({ type: 'subscribe', id: '1', payload: { query } });
    await untilQueriesWait(2);
    await service.sql('DELETE FROM memberships WHERE space_id = $1 AND user_id = $2', [workspace.id, anna.id]);
    await lockHolder.release();
    expect(await httpQuery).toEqual({ workspaces: [] });
    expect(await socket.messages.take()).toMatchObject({ type: 'next', payload: { data: { workspaces: [] } } });
    socket.close();
  });

  test('is UNAUTHENTICATED if its session ends during the wait', async () => {
    const otherSession = await signInAgain(service, anna);
    const graphqlQuery = otherSession.graphql('{ tagCount }');
    const restQuery = otherSession.get('/api/v2/tag');
    await untilQueriesWait(2);
    expect(await otherSession.post('/api/v1/user/logout')).toMatchObject({ status: 200 });
    await lockHolder.release();
    expect(await graphqlQuery).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] });
    expect(await restQuery).toMatchObject({ status: 401 });
  });

  test('is dropped when its caller hangs up, which is no error of the service', async () => {
    const { level } = log;
    const captured = captureLog();
    log.level = 'info';
    for (const path of ['/api/v2/tag', '/graphql?query={tagCount}']) {
      const controller = new AbortController();
      const headers = { cookie: anna.cookie ?? '', 'x-graphql-yoga-csrf': '1' };
      const waitingRequest = fetch(`${service.url}${path}`, { headers, signal: controller.signal });
      await untilQueriesWait(1);
      controller.abort();
      await expect(waitingRequest).rejects.toThrow('aborted');
      await untilQueriesWait(0);
    }
    // The log is complete once this is answered.
    await service.anonymous.get('/healthz');
    log.level = level;
    captured.release();
    expect(captured.lines.filter(({ aborted }) => aborted)).toHaveLength(2);
    expect(captured.lines.filter((line) => line.level >= levels.warn)).toEqual([]);
  });
});

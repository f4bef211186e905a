import { randomUUID } from 'node:crypto';
import { makeProject, makeTask, makeWorkspace } from '../kit/make.ts';
import { until } from '../kit/until.ts';
import type { User } from '../kit/users.ts';
import { type Case, comes, ofEach, planActivity, succeeds, times, type World } from './world.ts';

/** Writes of a hundred deleted entities each. */
const afterDeletions = (path: (operation: string) => string, body: (ids: string[]) => object): Case => ({
  async flood({ service, hostile }, signal) {
    const deletions = await Promise.all(
      hostile.map(async (user) => {
        const rows = await service.sql<{ id: string }>('SELECT id FROM tasks WHERE space_id = $1 LIMIT 1200', [
          user.id,
        ]);
        const own = [];
        for (let at = 0; at < rows.length; at += 100) {
          const ids = rows.slice(at, at + 100).map(({ id }) => id);
          const { headers } = await user.delete(`/api/v2/todo/bulk?todoIds=${ids.join()}`);
          own.push({ user, ids, operation: headers.get('x-operation-id') ?? '' });
        }
        return own;
      }),
    );
    const headers = { 'x-graphql-yoga-csrf': '1' };
    return deletions
      .flat()
      .map(({ user, ids, operation }) => user.post(path(operation), body(ids), { headers, signal }));
  },
  ask: ({ neighbour }) => succeeds(neighbour.post('/api/v2/todo', { title: 'x' })),
});

const largeWrites: Record<string, Case> = {
  undo: afterDeletions(
    (operation) => `/api/v2/operations/${operation}/undo`,
    () => ({}),
  ),
  restore: afterDeletions(
    () => '/api/v2/trash/restore',
    (ids) => ({ ids }),
  ),
  emptyTrash: afterDeletions(
    () => '/graphql',
    (ids) => ({ query: 'mutation ($ids: [ID!]) { emptyTrash(ids: $ids) }', variables: { ids } }),
  ),
};

const keyed = `mutation { createTask(input: { title: "x" }) { project { tasks(first: 500) { nodes { id description } } } } }`;

const writeUnderKey = (user: User, signal?: AbortSignal) =>
  user.post('/graphql', { query: keyed }, { headers: { 'Idempotency-Key': randomUUID() }, ...(signal && { signal }) });

/** Writes that read a large response in their transaction. */
const keyedWrites: Record<string, Case> = {
  'writes under keys': {
    flood: (world, signal) => ofEach(world, 40, (user) => writeUnderKey(user, signal)),
    ask: ({ neighbour }) => succeeds(writeUnderKey(neighbour)),
  },
};

/** Comments on a task of each hostile account, whose workspace the neighbour has joined. They mention the neighbour, and go on until the end. */
async function comments({ service, hostile, neighbour }: World, signal: AbortSignal) {
  const tasks = await Promise.all(
    hostile.map(async (user) => {
      const { id: workspaceId } = await makeWorkspace(user);
      await service.sql('INSERT INTO memberships (space_id, user_id) VALUES ($1, $2)', [workspaceId, neighbour.id]);
      const { id: projectId } = await makeProject(user, { workspaceId });
      return { user, path: `/api/v2/todo/${(await makeTask(user, { projectId })).id}/comments` };
    }),
  );
  const body = { text: `Look, @${neighbour.id}` };
  const post = async (user: User, path: string) => {
    for (let comment = 0; comment < 90 && !signal.aborted; comment += 1) await user.post(path, body, { signal });
  };
  return tasks.flatMap(({ user, path }) => times(100, () => post(user, path)));
}

const commentWrites: Record<string, Case> = {
  comments: { flood: comments, ask: ({ neighbour }) => succeeds(neighbour.post('/api/v2/todo', { title: 'x' })) },
  'comments, and a mail': {
    isNoQueue: true,
    flood: comments,
    async ask(world) {
      const { service, sink, neighbour } = world;
      const { id } = await makeTask(neighbour);
      await planActivity(world, id);
      service.services.mailer.wake();
      await comes(sink, neighbour, '');
      const count = async () => (await service.sql('SELECT FROM comments')).length;
      const before = await count();
      await until('the comments go on', async () => (await count()) > before);
    },
  },
};

/** More cases of the queue of writes. */
export const writes: Record<string, Case> = { ...largeWrites, ...keyedWrites, ...commentWrites };

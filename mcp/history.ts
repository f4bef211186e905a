import { z } from 'zod';
import { graphql } from '../rest/graphql.ts';
import { orNotFound } from '../src/platform/errors.ts';
import { nameOf, paging } from './tasks.ts';
import { page, present, reading } from './tool.ts';

const Entry = graphql('fragment EntryOfHistory on Operation { id at client summary undoable actor { id name email } }');

const ListOperations = graphql(
  'query ListOperations($first: Int!, $after: String) { operations(first: $first, after: $after) { pageInfo { hasNextPage endCursor } edges { cursor node { ...EntryOfHistory } } } }',
  [Entry],
);

const ListHistory = graphql(
  'query ListHistoryOfTask($id: ID!, $first: Int!, $after: String) { task(id: $id) { history(first: $first, after: $after) { pageInfo { hasNextPage endCursor } edges { cursor node { operation { ...EntryOfHistory } } } } } }',
  [Entry],
);

const operation = z.object({
  ...{ id: z.string(), at: z.string(), summary: z.string(), undoable: z.boolean() },
  ...{ actor: z.string().optional(), client: z.string().optional() },
});

export const history = reading({
  name: 'history',
  description:
    'Lists changes, newest first, with the person (`actor`), the program (`client`), and whether `undo` can take them back. By default in all spaces, with `taskId` only the changes of that task. Returns a `cursor` if there is more.',
  input: { taskId: z.string().optional(), ...paging },
  output: {
    operations: z.array(operation),
    cursor: z.string().optional(),
  },
  documents: [ListOperations, ListHistory],
  async answer({ taskId, limit = 25, cursor }, caller) {
    const wanted = { first: limit, after: cursor ?? null };
    const list = async () => {
      if (taskId === undefined) return (await caller.run(ListOperations, wanted)).operations;
      const { task } = await caller.run(ListHistory, { id: taskId, ...wanted });
      const { edges, pageInfo } = orNotFound(task, 'Task').history;
      return { pageInfo, edges: edges.map(({ cursor, node }) => ({ cursor, node: node.operation })) };
    };
    const { entries, ...next } = page(await list(), ({ actor, client, ...operation }) => ({
      ...operation,
      ...present({ client, actor: actor && nameOf(actor) }),
    }));
    return { operations: entries, ...next };
  },
});

import type { ResultOf } from 'gql.tada';
import { z } from 'zod';
import { lower } from '../rest/entity.ts';
import { graphql } from '../rest/graphql.ts';
import { orNotFound } from '../src/platform/errors.ts';
import { nameOf, paging } from './tasks.ts';
import { page, shortened } from './result.ts';
import { operationId, Preview, text, tool } from './tool.ts';

const Entry = graphql('fragment EntryOfHistory on Operation { id at client summary undoable actor { id name email } }');

const ListOperations = graphql(
  'query ListOperations($first: Int!, $after: String) { operations(first: $first, after: $after) { pageInfo { hasNextPage } edges { cursor node { ...EntryOfHistory } } } }',
  [Entry],
);

const ListHistory = graphql(
  'query ListHistoryOfTask($id: ID!, $first: Int!, $after: String) { task(id: $id) { history(first: $first, after: $after) { pageInfo { hasNextPage } edges { cursor node { operation { ...EntryOfHistory } } } } } }',
  [Entry],
);

const operation = z.object({
  id: z.string(),
  at: z.string(),
  actor: text,
  client: text,
  summary: z.string(),
  undoable: z.boolean(),
});

export const history = tool({
  description:
    'Lists changes, newest first, with the person (`actor`), the program (`client`), and whether `undo` can take them back. By default in all spaces, with `taskId` only the changes of that task. Returns a `cursor` if there is more.',
  input: { taskId: text, ...paging },
  output: { operations: z.array(operation), cursor: text },
  documents: [ListOperations, ListHistory],
  async answer({ taskId, limit, cursor }, api) {
    const wanted = { first: limit, after: cursor };
    const list = async () => {
      if (taskId === undefined) return (await api.run(ListOperations, wanted)).operations;
      const { task } = await api.run(ListHistory, { id: taskId, ...wanted });
      const { edges, pageInfo } = orNotFound(task, 'Task').history;
      return { pageInfo, edges: edges.map(({ cursor, node }) => ({ cursor, node: node.operation })) };
    };
    const { entries, ...next } = page(await list(), (each) => ({ ...each, actor: each.actor && nameOf(each.actor) }));
    return { operations: entries, ...next };
  },
});

const Undo = graphql(
  'mutation UndoByTool($operationId: ID!) { undo(operationId: $operationId) { applied conflicts { type id field reason } } }',
);

export const undo = tool({
  description:
    'Takes back up to 50 operations, as one operation that `undo` can take back, too. Values that changed since, such as by a person, stay, and are returned as conflicts. `history` has the ids of operations; each call that writes returns its own. With `dryRun` nothing is changed, and the result says what would be.',
  input: {
    operationIds: z.array(z.string()).min(1).max(50).describe('In any order: the newest is undone first.'),
    dryRun: z.boolean().default(false),
  },
  output: {
    undone: z.array(
      z.object({
        operationId: z.string(),
        applied: z.int().describe('Number of entities that were changed back.'),
        conflicts: z.array(z.object({ type: z.string(), id: text, field: text, reason: z.string() })),
        moreConflicts: z.int().describe('Further conflicts, which are too many for the result.').optional(),
      }),
    ),
    operationId,
  },
  documents: [Undo],
  writes: ({ operationIds }) => operationIds.length,
  async answer({ operationIds, dryRun }, api) {
    const all: (ResultOf<typeof Undo>['undo'] & { operationId: string })[] = [];
    // Their ids are in the order of time.
    for (const operationId of [...new Set(operationIds)].sort().reverse()) {
      const place = `operationIds[${operationIds.indexOf(operationId)}]`;
      all.push({ operationId, ...(await api.run(Undo, { operationId }, place)).undo });
    }
    const undone = shortened({ all }).all.map(({ conflicts, ...each }, index) => ({
      ...each,
      conflicts: conflicts.map((conflict) => ({ ...conflict, type: lower(conflict.type) })),
      moreConflicts: (all[index]?.conflicts.length ?? 0) - conflicts.length || undefined,
    }));
    if (dryRun) throw new Preview('a preview', { cause: { undone } });
    return { undone };
  },
});

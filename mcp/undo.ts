import { z } from 'zod';
import { graphql } from '../rest/graphql.ts';
import { documentOf } from './calls.ts';
import { present, Preview, shortened, writing } from './tool.ts';

const mutation = {
  name: 'undo',
  types: { operationId: 'ID!' },
  fragment: graphql('fragment UndoneByTool on UndoPayload { applied conflicts { type id field reason } }'),
};

export const undo = writing({
  name: 'undo',
  description:
    'Takes back up to 50 operations, as one operation that `undo` can take back, too. Values that changed since, such as by a person, stay, and are returned as conflicts. `history` has the ids of operations; each call that writes returns its own. With `dryRun` nothing is changed, and the result says what would be.',
  input: {
    operationIds: z.array(z.string()).min(1).max(50).describe('In any order: the newest is undone first.'),
    dryRun: z.boolean().default(false).optional(),
  },
  output: {
    undone: z.array(
      z.object({
        operationId: z.string(),
        applied: z.int().describe('Number of entities that were changed back.'),
        conflicts: z.array(
          z.object({
            type: z.string(),
            id: z.string().optional(),
            field: z.string().optional(),
            reason: z.string(),
          }),
        ),
        moreConflicts: z.int().describe('Further conflicts, which are too many for the result.').optional(),
      }),
    ),
  },
  documents: [documentOf('undo', [mutation])],
  hasKey: false,
  async answer({ operationIds, dryRun = false }, caller) {
    // Their ids are in the order of time.
    const ids = [...new Set(operationIds)].sort().reverse();
    const results = await caller.mutate(
      ids.map((operationId) => {
        const place = `operationIds[${operationIds.indexOf(operationId)}]`;
        return { mutation, args: { operationId }, place };
      }),
    );
    const lists = Object.fromEntries(results.map(({ conflicts }, index) => [index, conflicts]));
    const shown = shortened(lists, (kept) => ({
      undone: results.map(({ applied, conflicts: all }, index) => {
        const conflicts = kept[index] ?? [];
        return {
          ...{ operationId: ids[index] ?? '', applied },
          conflicts: conflicts.map((each) => present({ ...each, type: each.type.toLowerCase() })),
          ...(conflicts.length < all.length && { moreConflicts: all.length - conflicts.length }),
        };
      }),
    }));
    if (dryRun) throw new Preview(shown);
    return shown;
  },
});

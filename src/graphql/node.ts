import { queryFromInfo } from '@pothos/plugin-prisma';
import type { GraphQLResolveInfo } from 'graphql';
import type { Selection } from '@taskgate/nested-read';
import { builder } from './builder.ts';
import { type Context, signedIn } from '../platform/context.ts';
import { nodeKinds } from '../platform/entities.ts';
import { kindOfId } from '../platform/ids.ts';
import { parse, referencedIds } from '../platform/input.ts';
import { findByIds } from '../platform/visible-entities.ts';

interface Identified {
  id: string;
}

/** Finds visible objects only. */
type FindNodes = (context: Context, ids: readonly string[]) => Promise<Identified[]>;
const otherNodes: FindNodes[] = [];

export const addNodes = (find: FindNodes): void => void otherNodes.push(find);

export const Node = builder.interfaceRef<Identified>('Node').implement({
  description: 'An object with a unique id, which is the same string in REST.',
  fields: (t) => ({ id: t.exposeID('id', { description: 'TypeID. Its prefix names the type.' }) }),
  resolveType: ({ id }) => kindOfId(id),
});

/** Finds objects by one statement for each kind. Missing or invisible ones are null. */
async function findNodes(context: Context, info: GraphQLResolveInfo, ids: readonly string[]) {
  const viewer = signedIn(context);
  const results = await Promise.all([
    ...otherNodes.map((find) => find(context, ids)),
    ...nodeKinds.map(async (kind): Promise<Identified[]> => {
      const wanted = [...new Set(ids)].filter((id) => kindOfId(id) === kind);
      return wanted.length === 0
        ? []
        : findByIds(kind, viewer, wanted, queryFromInfo({ context, info, typeName: kind }) as Selection);
    }),
  ]);
  const byId = new Map(results.flat().map((row) => [row.id, row]));
  return ids.map((id) => byId.get(id) ?? null);
}

builder.queryFields((t) => ({
  node: t.field({
    type: Node,
    nullable: true,
    description: 'The object with the id. Null if it does not exist or the caller may not see it.',
    args: { id: t.arg.id({ required: true, description: 'Id of an object of any type.' }) },
    resolve: async (_root, { id }, context, info) => (await findNodes(context, info, [id]))[0],
  }),
  nodes: t.field({
    type: [Node],
    extensions: { cost: 20, listSize: 10 },
    nullable: { list: false, items: true },
    description:
      'The objects with the ids, in the same order. Null for each one that does not exist or that the caller may not see.',
    args: { ids: t.arg.idList({ required: true, description: 'At most 1,000 ids of objects of any type.' }) },
    resolve: (_root, { ids }, context, info) => findNodes(context, info, parse(referencedIds, ids, 'ids')),
  }),
}));

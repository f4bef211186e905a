import { queryFromInfo } from '@pothos/plugin-prisma';
import type { GraphQLResolveInfo } from 'graphql';
import { builder } from './builder.ts';
import { type Context, signedIn } from '../kernel/context.ts';
import { nodeKinds } from '../kernel/entities.ts';
import { kindOfId } from '../kernel/ids.ts';
import { parse, referredIds } from '../kernel/input.ts';
import { findByIds } from '../nested-read/entities.ts';
import type { Selection } from '../nested-read/read.ts';

interface Identified {
  id: string;
}

/** Finds, of some ids, the objects of a type that the caller may see. */
type FindNodes = (context: Context, ids: readonly string[]) => Promise<Identified[]>;
const otherNodes: FindNodes[] = [];

/** Has `node` and `nodes` find objects that are no rows of a model. */
export const addNodes = (find: FindNodes): void => void otherNodes.push(find);

/** Anything with an id. A TypeID tells its type by itself, and is the same over REST. */
export const Node = builder.interfaceRef<Identified>('Node').implement({
  description: 'Anything that has an id of its own: the same string as over REST.',
  fields: (t) => ({ id: t.exposeID('id', { description: 'TypeID: its prefix says of which type.' }) }),
  resolveType: ({ id }) => kindOfId(id),
});

/** Finds the objects, one statement a kind; null for what does not exist, or not for the caller. */
async function findNodes(context: Context, info: GraphQLResolveInfo, ids: readonly string[]) {
  const viewer = signedIn(context);
  const found = await Promise.all([
    ...otherNodes.map((find) => find(context, ids)),
    ...nodeKinds.map(async (kind): Promise<Identified[]> => {
      const wanted = [...new Set(ids)].filter((id) => kindOfId(id) === kind);
      return wanted.length === 0
        ? []
        : findByIds(kind, viewer, wanted, queryFromInfo({ context, info, typeName: kind }) as Selection);
    }),
  ]);
  const byId = new Map(found.flat().map((row) => [row.id, row]));
  return ids.map((id) => byId.get(id) ?? null);
}

builder.queryFields((t) => ({
  node: t.field({
    type: Node,
    nullable: true,
    description: 'The object with that id; null where there is none, or none that the caller may see.',
    args: { id: t.arg.id({ required: true, description: 'Id of any object.' }) },
    resolve: async (_root, { id }, context, info) => (await findNodes(context, info, [id]))[0],
  }),
  nodes: t.field({
    type: [Node],
    nullable: { list: false, items: true },
    description: 'The objects with those ids, in that order, null where there is none that the caller may see.',
    args: { ids: t.arg.idList({ required: true, description: 'Ids of any objects, at most 1,000.' }) },
    resolve: (_root, { ids }, context, info) => findNodes(context, info, parse(referredIds, ids, 'ids')),
  }),
}));

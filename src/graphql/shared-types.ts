import { queryFromInfo } from '@pothos/plugin-prisma';
import type { GraphQLResolveInfo } from 'graphql';
import type { Selection } from '@taskgate/nested-read';
import { type Context, signedIn } from '../platform/context.ts';
import { rowLoader } from '../platform/loaders.ts';
import { findActors } from '../platform/visible-entities.ts';
import { entities, syncedKinds, typeOf } from '../platform/entities.ts';
import { builder } from './builder.ts';
import { exposed } from './fields.ts';
import { memberFields } from '../platform/member-fields.ts';

export const EntityType = builder.enumType('EntityType', {
  description: 'The type of an entity in sync and history.',
  values: Object.fromEntries(
    syncedKinds.map((kind) => [typeOf(kind), { value: kind, description: entities[kind].sync.description }]),
  ),
});

export const ChangeKind = builder.enumType('ChangeKind', {
  description: 'How an entity changed for the reader.',
  values: {
    CREATED: {
      description: 'New to the reader: created, moved into a space of theirs, or into the requested project.',
    },
    UPDATED: { description: 'Some of its fields changed.' },
    DELETED: {
      description: 'Gone for the reader: deleted, moved out of their spaces, or out of the requested project.',
    },
  },
});

interface PageInfoShape {
  hasNextPage: boolean;
  hasPreviousPage: boolean;
  startCursor?: string | null | undefined;
  endCursor?: string | null | undefined;
}

export const PageInfo = builder.objectRef<PageInfoShape>('PageInfo').implement({
  description: 'The position of a page in its list (Relay cursor connections specification).',
  fields: (t) => ({
    hasNextPage: t.exposeBoolean('hasNextPage', { description: 'Whether the list continues after the page.' }),
    hasPreviousPage: t.exposeBoolean('hasPreviousPage', {
      description: 'Whether the list has entries before the page.',
    }),
    startCursor: t.exposeString('startCursor', { nullable: true, description: 'Cursor of its first entry.' }),
    endCursor: t.exposeString('endCursor', { nullable: true, description: 'Cursor of its last entry.' }),
  }),
});

export const Member = builder.prismaObject('User', {
  variant: 'Member',
  // Only selected columns leave the database.
  select: { id: true },
  description: 'A user as other members of their workspaces see them.',
  fields: (t) => exposed(t, memberFields),
});

/** Batches people with the same selection. Null for a deleted account. */
export function memberLoader(context: Context, info: GraphQLResolveInfo) {
  const selection = queryFromInfo({ context, info, typeName: 'Member' }) as Selection;
  return rowLoader(context, ['members', selection], (ids) => findActors(signedIn(context), ids, selection));
}

for (const type of ['User', Member] as const) {
  builder.prismaObjectField(type, 'image', (t) =>
    t.string({
      nullable: true,
      description: memberFields.image.description,
      select: { avatar: true },
      resolve: ({ avatar }, _args, { publicUrl }) => avatar && `${publicUrl}/avatars/${avatar}`,
    }),
  );
}

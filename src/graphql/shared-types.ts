import { entities, syncedKinds, typeOf } from '../kernel/entities.ts';
import { builder } from './builder.ts';
import { exposed } from './fields.ts';
import { memberFields } from '../kernel/member-fields.ts';

// Types of several modules.

export const EntityType = builder.enumType('EntityType', {
  description: 'A kind of thing that a space holds, or is.',
  values: Object.fromEntries(
    syncedKinds.map((kind) => [typeOf(kind), { value: kind, description: entities[kind].sync.description }]),
  ),
});

export const ChangeKind = builder.enumType('ChangeKind', {
  description: 'What happened to something, as the reader sees it.',
  values: {
    CREATED: { description: 'It is new to the reader: made, moved into their sight, or into the requested project.' },
    UPDATED: { description: 'Fields of it changed.' },
    DELETED: {
      description: 'It is gone for the reader: deleted, moved out of sight, or out of the requested project.',
    },
  },
});

export interface PageInfoShape {
  hasNextPage: boolean;
  hasPreviousPage: boolean;
  startCursor?: string | null | undefined;
  endCursor?: string | null | undefined;
}

export const PageInfo = builder.objectRef<PageInfoShape>('PageInfo').implement({
  description: 'The position of a page in its list (Relay cursor connections specification).',
  fields: (t) => ({
    hasNextPage: t.exposeBoolean('hasNextPage', { description: 'Whether the list continues after the page.' }),
    hasPreviousPage: t.exposeBoolean('hasPreviousPage', { description: 'Whether something comes before the page.' }),
    startCursor: t.exposeString('startCursor', { nullable: true, description: 'Cursor of its first entry.' }),
    endCursor: t.exposeString('endCursor', { nullable: true, description: 'Cursor of its last entry.' }),
  }),
});

export const Member = builder.prismaObject('User', {
  variant: 'Member',
  // Only the selected fields leave the database.
  select: { id: true },
  description: 'What members of a workspace may see of each other.',
  fields: (t) => exposed(t, memberFields),
});

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

import { type EnumType, type Fields, idField, nameField } from '../kernel/fields.ts';

export const tagColor = {
  name: 'TagColor',
  description: 'The colours that a tag can have.',
  values: {
    BLUE: 'Blue.',
    RED: 'Red.',
    GREEN: 'Green.',
    YELLOW: 'Yellow.',
    PURPLE: 'Purple.',
    ORANGE: 'Orange.',
    PINK: 'Pink.',
  },
} as const satisfies EnumType;

/** The fields of a tag: the GraphQL type, inputs, and what REST, batches and the export show, in this order. */
export const tagFields = {
  id: idField('Tag'),
  name: {
    ...nameField,
    description: "Unique among the owner's tags.",
    rest: { description: "Unique among the caller's tags." },
    inputDescription: '1 to 255 characters after trimming, new among the tags.',
  },
  color: {
    type: tagColor,
    nullable: false,
    inputs: ['create', 'update'],
    isNullAbsent: true,
    description: 'Its colour.',
    rest: { description: '' },
    inputDescription: 'Its colour; a new tag without one has a random one.',
  },
} as const satisfies Fields;

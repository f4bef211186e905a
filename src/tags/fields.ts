import { type EnumType, type Fields, idField, nameField } from '../platform/fields.ts';

export const tagColor = {
  name: 'TagColor',
  description: 'Colour of a tag.',
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

/** Fields in GraphQL, inputs, REST, batches and the export. */
export const tagFields = {
  id: idField('Tag'),
  name: {
    ...nameField,
    description: "Unique among the owner's tags.",
    rest: { description: "Unique among the caller's tags." },
    inputDescription: '1 to 255 characters after trimming. No other tag may have it.',
  },
  color: {
    type: tagColor,
    nullable: false,
    inputs: ['create', 'update'],
    isNullAbsent: true,
    description: 'Colour of the tag.',
    rest: { description: '' },
    inputDescription: 'Colour of the tag. Random for a new tag without one.',
  },
} as const satisfies Fields;

import type { EnumType, Fields } from '../kernel/fields.ts';

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

/** The fields of a tag: the GraphQL type, and what REST, batches and the export show, in this order. */
export const tagFields = {
  id: {
    type: { idOf: 'Tag' },
    nullable: false,
    description: 'TypeID with the prefix `tag`.',
    rest: { description: 'Id of the tag.' },
  },
  name: {
    type: 'text',
    nullable: false,
    description: "Unique among the owner's tags.",
    rest: { description: "Unique among the caller's tags." },
  },
  color: { type: tagColor, nullable: false, description: 'Its colour.', rest: { description: '' } },
} as const satisfies Fields;

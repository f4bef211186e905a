import { builder } from '../graphql/builder.ts';
import { exposed, inputFields } from '../graphql/fields.ts';
import { signedIn } from '../kernel/context.ts';
import { Node } from '../graphql/node.ts';
import { answering } from '../nested-read/entities.ts';
import { sectionFields } from './fields.ts';
import * as rules from './section-rules.ts';

builder.prismaObject('Section', {
  select: { id: true },
  interfaces: [Node],
  description: 'A part of a project.',
  fields: (t) => ({
    ...exposed(t, sectionFields),
    project: t.relation('project', { description: 'The project that it belongs to.' }),
  }),
});

builder.mutationFields((t) => ({
  createSection: t.prismaField({
    type: 'Section',
    description: 'Makes a section, the last one of its project.',
    args: {
      ...inputFields(t.arg, sectionFields, 'create'),
      projectId: t.arg.id({ required: true, description: 'The project that it belongs to.' }),
    },
    resolve: answering('Section', (context, { projectId, ...section }) =>
      rules.createSection(signedIn(context), projectId, section),
    ),
  }),
  updateSection: t.prismaField({
    type: 'Section',
    description:
      'Renames or moves a section; what is absent, or a null name, stays as it is. `prevIndex` and `nextIndex` go together.',
    args: {
      id: t.arg.id({ required: true, description: 'Id of the section.' }),
      ...inputFields(t.arg, sectionFields, 'update'),
      projectId: t.arg.id({
        description:
          'The project to move it to, with its tasks; it becomes the last section there unless an index is given.',
      }),
      prevIndex: t.arg.string({
        description: 'Sort key of the section of that project to come right after; null: to the start.',
      }),
      nextIndex: t.arg.string({
        description: 'Sort key of the section of that project to come right before; null: to the end.',
      }),
      inProjectId: t.arg.id({ description: 'The project that the section must be in, else NOT_FOUND.' }),
    },
    resolve: answering('Section', (context, { id, ...changes }) => rules.updateSection(signedIn(context), id, changes)),
  }),
  deleteSection: t.id({
    description: 'Deletes a section and answers its id; its tasks stay in the project, without a section.',
    args: {
      id: t.arg.id({ required: true, description: 'Id of the section.' }),
      inProjectId: t.arg.id({ description: 'The project that the section must be in, else NOT_FOUND.' }),
    },
    resolve: (_root, { id, inProjectId }, context) =>
      rules.deleteSection(signedIn(context), id, inProjectId).then(() => id),
  }),
}));

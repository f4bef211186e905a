import { builder } from '../graphql/builder.ts';
import { exposed, inputFields } from '../graphql/fields.ts';
import { signedIn } from '../platform/context.ts';
import { Node } from '../graphql/node.ts';
import { answering } from '../platform/visible-entities.ts';
import { sectionFields } from './fields.ts';
import * as rules from './section-rules.ts';

builder.prismaObject('Section', {
  select: { id: true },
  interfaces: [Node],
  description: 'A part of a project.',
  fields: (t) => ({
    ...exposed(t, sectionFields),
    project: t.relation('project', { extensions: { isShared: true }, description: 'Project of the section.' }),
  }),
});

builder.mutationFields((t) => ({
  createSection: t.prismaField({
    type: 'Section',
    description: 'Creates a section as the last one of its project.',
    args: {
      ...inputFields(t.arg, sectionFields, 'create'),
      projectId: t.arg.id({ required: true, description: 'Project of the section.' }),
    },
    resolve: answering('Section', (context, { projectId, ...section }) =>
      rules.createSection(signedIn(context), projectId, section),
    ),
  }),
  updateSection: t.prismaField({
    type: 'Section',
    description:
      'Renames or moves a section. Absent arguments and a null name change nothing. If both `prevIndex` and `nextIndex` are set, the first must come before the second.',
    args: {
      id: t.arg.id({ required: true, description: 'Id of the section.' }),
      ...inputFields(t.arg, sectionFields, 'update'),
      projectId: t.arg.id({
        description:
          'Project to move the section to, with its tasks. It becomes the last section unless an index is set.',
      }),
      prevIndex: t.arg.string({
        description: 'Sort key of the preceding section in that project. Null moves the section to the start.',
      }),
      nextIndex: t.arg.string({
        description: 'Sort key of the following section in that project. Null moves the section to the end.',
      }),
      inProjectId: t.arg.id({ description: 'Expected project of the section. NOT_FOUND if it differs.' }),
    },
    resolve: answering('Section', (context, { id, ...changes }) => rules.updateSection(signedIn(context), id, changes)),
  }),
  deleteSection: t.id({
    description: 'Deletes a section. Returns its id. Its tasks stay in the project, without a section.',
    args: {
      id: t.arg.id({ required: true, description: 'Id of the section.' }),
      inProjectId: t.arg.id({ description: 'Expected project of the section. NOT_FOUND if it differs.' }),
    },
    resolve: (_root, { id, inProjectId }, context) =>
      rules.deleteSection(signedIn(context), id, inProjectId).then(() => id),
  }),
}));

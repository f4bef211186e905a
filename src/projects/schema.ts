import './section-schema.ts';
import { builder } from '../graphql/builder.ts';
import { exposed, inputFields } from '../graphql/fields.ts';
import { signedIn } from '../platform/context.ts';
import { orNotFound } from '../platform/errors.ts';
import { requirePersonalSpace } from '../platform/policy.ts';
import { Node } from '../graphql/node.ts';
import { answering, findById } from '../platform/visible-entities.ts';
import { projectFields } from './fields.ts';
import { isPersonal } from '../workspaces/policy.ts';
import * as rules from './rules.ts';

builder.prismaObject('Project', {
  select: { id: true },
  interfaces: [Node],
  description: 'A group of tasks. It is personal or belongs to a workspace.',
  fields: (t) => ({
    ...exposed(t, projectFields),
    personal: t.boolean({
      description: projectFields.personal.description,
      select: { spaceId: true },
      resolve: (project, _args, context) => isPersonal(signedIn(context), project),
    }),
    workspaceId: t.id({
      nullable: true,
      description: 'Id of the workspace. Null for a personal project.',
      select: { spaceId: true },
      resolve: (project, _args, context) => (isPersonal(signedIn(context), project) ? null : project.spaceId),
    }),
    sections: t.relation('sections', {
      extensions: { listSize: 4 },
      description: 'Sections, by sort key.',
      query: { orderBy: { sortKey: 'asc' } },
    }),
  }),
});

builder.queryFields((t) => ({
  inbox: t.prismaField({
    type: 'Project',
    description: "The viewer's inbox. Tasks without a project are created in it.",
    resolve: async (query, _root, _args, context) => {
      const viewer = signedIn(context);
      return orNotFound(await findById('Project', viewer, requirePersonalSpace(viewer), query), 'Inbox');
    },
  }),
  project: t.prismaField({
    type: 'Project',
    nullable: true,
    description: 'A project by id. Null if the viewer may not see it.',
    args: { id: t.arg.id({ required: true, description: 'Id of the project.' }) },
    resolve: (query, _root, { id }, context) => findById('Project', signedIn(context), id, query),
  }),
  projects: t.prismaField({
    type: ['Project'],
    extensions: { listSize: 10 },
    description: 'All projects that the viewer may see: the inbox first, then by creation.',
    args: {
      search: t.arg.string({ description: 'Case-insensitive part of the name, without wildcards.' }),
      personal: t.arg.boolean({
        description: 'True for personal projects only, false for projects of workspaces only.',
      }),
    },
    resolve: (query, _root, args, context) => rules.findProjects(signedIn(context), args, query),
  }),
}));

builder.mutationFields((t) => ({
  createProject: t.prismaField({
    type: 'Project',
    description: 'Creates a project. FORBIDDEN if the viewer is not a member of the workspace.',
    args: {
      ...inputFields(t.arg, projectFields, 'create'),
      workspaceId: t.arg.id({ description: 'Workspace of the project. Without one it is personal.' }),
    },
    resolve: answering('Project', (context, args) => rules.createProject(signedIn(context), args)),
  }),
  updateProject: t.prismaField({
    type: 'Project',
    description: 'Changes a project. An absent or null field keeps its value. At least one field is required.',
    args: {
      id: t.arg.id({ required: true, description: 'Id of the project.' }),
      ...inputFields(t.arg, projectFields, 'update'),
    },
    resolve: answering('Project', (context, { id, ...changes }) => rules.updateProject(signedIn(context), id, changes)),
  }),
  deleteProject: t.id({
    description: 'Deletes a project with its sections and tasks. Returns its id. FORBIDDEN for the inbox.',
    args: { id: t.arg.id({ required: true, description: 'Id of the project.' }) },
    resolve: (_root, { id }, context) => rules.deleteProject(signedIn(context), id).then(() => id),
  }),
}));

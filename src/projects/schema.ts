import './section-schema.ts';
import { builder } from '../graphql/builder.ts';
import { exposed, inputFields } from '../graphql/fields.ts';
import { signedIn } from '../kernel/context.ts';
import { orNotFound } from '../kernel/errors.ts';
import { requirePersonalSpace } from '../kernel/policy.ts';
import { Node } from '../graphql/node.ts';
import { answering, findById } from '../nested-read/entities.ts';
import { projectFields } from './fields.ts';
import { isPersonal } from './policy.ts';
import * as rules from './rules.ts';

builder.prismaObject('Project', {
  select: { id: true },
  interfaces: [Node],
  description: 'A group of tasks, personal or of a workspace.',
  fields: (t) => ({
    ...exposed(t, projectFields),
    personal: t.boolean({
      description: projectFields.personal.description,
      select: { spaceId: true },
      resolve: (project, _args, context) => isPersonal(signedIn(context), project),
    }),
    workspaceId: t.id({
      nullable: true,
      description: 'Id of the workspace that it belongs to; null where it is personal.',
      select: { spaceId: true },
      resolve: (project, _args, context) => (isPersonal(signedIn(context), project) ? null : project.spaceId),
    }),
    sections: t.relation('sections', {
      description: 'Its sections, by sort key.',
      query: { orderBy: { sortKey: 'asc' } },
    }),
  }),
});

builder.queryFields((t) => ({
  inbox: t.prismaField({
    type: 'Project',
    description: "The viewer's inbox, where tasks go that are created without a project.",
    resolve: async (query, _root, _args, context) => {
      const viewer = signedIn(context);
      return orNotFound(await findById('Project', viewer, requirePersonalSpace(viewer), query), 'Inbox');
    },
  }),
  project: t.prismaField({
    type: 'Project',
    nullable: true,
    description: 'The project with that id; null where there is none that the viewer may see.',
    args: { id: t.arg.id({ required: true, description: 'Id of the project.' }) },
    resolve: (query, _root, { id }, context) => findById('Project', signedIn(context), id, query),
  }),
  projects: t.prismaField({
    type: ['Project'],
    description: "The viewer's projects and those of their workspaces: the inbox first, then by creation.",
    args: {
      search: t.arg.string({ description: 'Part of the name, without regard to case; every character is plain.' }),
      personal: t.arg.boolean({ description: 'True: personal projects alone; false: those of workspaces alone.' }),
    },
    resolve: (query, _root, args, context) => rules.findProjects(signedIn(context), args, query),
  }),
}));

builder.mutationFields((t) => ({
  createProject: t.prismaField({
    type: 'Project',
    description: 'Makes a project. FORBIDDEN for a workspace that the viewer is not a member of.',
    args: {
      ...inputFields(t.arg, projectFields, 'create'),
      workspaceId: t.arg.id({ description: 'The workspace that it belongs to; without one it is personal.' }),
    },
    resolve: answering('Project', (context, args) => rules.createProject(signedIn(context), args)),
  }),
  updateProject: t.prismaField({
    type: 'Project',
    description: 'Changes a project; an absent or null field keeps its value, and one must be given.',
    args: {
      id: t.arg.id({ required: true, description: 'Id of the project.' }),
      ...inputFields(t.arg, projectFields, 'update'),
    },
    resolve: answering('Project', (context, { id, ...changes }) => rules.updateProject(signedIn(context), id, changes)),
  }),
  deleteProject: t.id({
    description: 'Deletes a project with all its sections and tasks, and answers its id. FORBIDDEN for the inbox.',
    args: { id: t.arg.id({ required: true, description: 'Id of the project.' }) },
    resolve: (_root, { id }, context) => rules.deleteProject(signedIn(context), id).then(() => id),
  }),
}));

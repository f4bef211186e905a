import { resolvedFrom } from '@taskgate/nested-read';
import { builder } from '../graphql/builder.ts';
import { exposed, inputFields } from '../graphql/fields.ts';
import { signedIn } from '../platform/context.ts';
import { inSpacesOf } from '../platform/policy.ts';
import { Node } from '../graphql/node.ts';
import { answering, findById } from '../platform/visible-entities.ts';
import * as data from './data.ts';
import { tagFields } from './fields.ts';
import { ownTaskTags } from './policy.ts';
import * as rules from './rules.ts';

const Tag = builder.prismaObject('Tag', {
  select: { id: true },
  interfaces: [Node],
  description: 'A coloured label on tasks. Only its owner sees it, even on shared tasks.',
  fields: (t) => ({
    ...exposed(t, tagFields),
    taskCount: t.relationCount('taskTags', {
      extensions: { scans: () => true },
      description: 'Number of tasks with this tag that the viewer may see.',
      where: (_args, context) => ({ task: inSpacesOf(signedIn(context)) }),
    }),
  }),
});

builder.prismaObjectField('Task', 'tags', (t) =>
  t.field({
    type: [Tag],
    description: "The viewer's own tags on the task, by name. Each member of a workspace sees their own.",
    select: (_args, context, nestedSelection) => ({
      taskTags: ownTaskTags(signedIn(context), nestedSelection(true)),
    }),
    extensions: { listSize: 2, ...resolvedFrom('taskTags') },
    resolve: (task) => task.taskTags.map(({ tag }) => tag),
  }),
);

builder.queryFields((t) => ({
  tags: t.prismaField({
    type: ['Tag'],
    extensions: { listSize: 20 },
    description: "The viewer's tags, by name, ignoring case.",
    args: {
      search: t.arg.string({ description: 'Case-insensitive part of the name, without wildcards.' }),
      ids: t.arg.idList({ description: 'Ids of tags to return, at most 1,000. Other ids match nothing.' }),
    },
    resolve: (query, _root, args, context) => rules.findTags(signedIn(context), args, query),
  }),
  tag: t.prismaField({
    type: 'Tag',
    nullable: true,
    description: 'A tag by id. Null if the viewer has no such tag.',
    args: { id: t.arg.id({ required: true, description: 'Id of a tag.' }) },
    resolve: (query, _root, { id }, context) => findById('Tag', signedIn(context), id, query),
  }),
  tagCount: t.int({
    description: "Number of the viewer's tags.",
    resolve: (_root, _args, context) => data.countTags(signedIn(context)),
  }),
}));

const DeleteTagsPayload = builder.objectRef<string[]>('DeleteTagsPayload').implement({
  description: 'Result of `deleteTags`.',
  fields: (t) => ({
    count: t.int({
      description: 'Number of deleted tags.',
      resolve: (ids) => ids.length,
    }),
    deletedIds: t.idList({
      extensions: { listSize: 10 },
      description: 'Ids of the deleted tags, in no particular order.',
      resolve: (ids) => ids,
    }),
  }),
});

builder.mutationFields((t) => ({
  createTag: t.prismaField({
    type: 'Tag',
    description: 'Creates a tag.',
    args: inputFields(t.arg, tagFields, 'create'),
    resolve: answering('Tag', (context, args) => rules.createTag(signedIn(context), args)),
  }),
  updateTag: t.prismaField({
    type: 'Tag',
    description: 'Changes a tag. An absent or null field keeps its value. At least one field is required.',
    args: {
      id: t.arg.id({ required: true, description: 'Id of the tag.' }),
      ...inputFields(t.arg, tagFields, 'update'),
    },
    resolve: answering('Tag', (context, { id, ...changes }) => rules.updateTag(signedIn(context), id, changes)),
  }),
  deleteTags: t.field({
    type: DeleteTagsPayload,
    description: 'Deletes tags and takes them off all tasks. Ignores other ids.',
    args: { ids: t.arg.idList({ required: true, description: 'Ids of the tags, at most 10,000.' }) },
    resolve: (_root, { ids }, context) => rules.deleteTags(signedIn(context), ids),
  }),
}));

import { builder } from '../graphql/builder.ts';
import { exposed, inputFields } from '../graphql/fields.ts';
import { signedIn } from '../kernel/context.ts';
import { inSpacesOf } from '../kernel/policy.ts';
import { Node } from '../graphql/node.ts';
import { answering, findById } from '../nested-read/entities.ts';
import { resolvedFrom } from '../nested-read/compiled-selection.ts';
import * as data from './data.ts';
import { tagFields } from './fields.ts';
import { ownTaskTags } from './policy.ts';
import * as rules from './rules.ts';

const Tag = builder.prismaObject('Tag', {
  select: { id: true },
  interfaces: [Node],
  description: 'A coloured label on tasks. Its owner alone sees it, also on shared tasks.',
  fields: (t) => ({
    ...exposed(t, tagFields),
    taskCount: t.relationCount('taskTags', {
      description: 'How many tasks carry it that the viewer may see.',
      where: (_args, context) => ({ task: inSpacesOf(signedIn(context)) }),
    }),
  }),
});

builder.prismaObjectField('Task', 'tags', (t) =>
  t.field({
    type: [Tag],
    description: "The caller's own tags on it, by name; each member of a workspace sees their own.",
    select: (_args, context, nestedSelection) => ({
      taskTags: ownTaskTags(signedIn(context), nestedSelection(true)),
    }),
    extensions: resolvedFrom('taskTags'),
    resolve: (task) => task.taskTags.map(({ tag }) => tag),
  }),
);

builder.queryFields((t) => ({
  tags: t.prismaField({
    type: ['Tag'],
    description: "The viewer's tags, by name without regard to case.",
    args: {
      search: t.arg.string({ description: 'Part of the name, without regard to case; every character is plain.' }),
      ids: t.arg.idList({ description: 'Those tags alone, at most 1,000; an id of anything else matches nothing.' }),
    },
    resolve: (query, _root, args, context) => rules.findTags(signedIn(context), args, query),
  }),
  tag: t.prismaField({
    type: 'Tag',
    nullable: true,
    description: 'The tag with that id; null where the viewer has none such.',
    args: { id: t.arg.id({ required: true, description: 'Id of a tag.' }) },
    resolve: (query, _root, { id }, context) => findById('Tag', signedIn(context), id, query),
  }),
  tagCount: t.int({
    description: 'How many tags the viewer has.',
    resolve: (_root, _args, context) => data.countTags(signedIn(context)),
  }),
}));

const DeleteTagsPayload = builder.objectRef<string[]>('DeleteTagsPayload').implement({
  description: 'What `deleteTags` has deleted.',
  fields: (t) => ({
    count: t.int({
      description: 'Number of the listed tags that there were, each once.',
      resolve: (ids) => ids.length,
    }),
    deletedIds: t.idList({
      description: 'Ids of those tags, in no particular order.',
      resolve: (ids) => ids,
    }),
  }),
});

builder.mutationFields((t) => ({
  createTag: t.prismaField({
    type: 'Tag',
    description: 'Makes a tag.',
    args: inputFields(t.arg, tagFields, 'create'),
    resolve: answering('Tag', (context, args) => rules.createTag(signedIn(context), args)),
  }),
  updateTag: t.prismaField({
    type: 'Tag',
    description: 'Changes a tag; an absent or null field keeps its value, and one must be given.',
    args: {
      id: t.arg.id({ required: true, description: 'Id of the tag.' }),
      ...inputFields(t.arg, tagFields, 'update'),
    },
    resolve: answering('Tag', (context, { id, ...changes }) => rules.updateTag(signedIn(context), id, changes)),
  }),
  deleteTags: t.field({
    type: DeleteTagsPayload,
    description: 'Deletes tags, off all tasks too; other ids are ignored.',
    args: { ids: t.arg.idList({ required: true, description: 'Ids of the tags, at most 10,000.' }) },
    resolve: (_root, { ids }, context) => rules.deleteTags(signedIn(context), ids),
  }),
}));

import { builder } from '../graphql/builder.ts';
import { countedConnectionType, type NestedSelection, toNodes } from '../graphql/page-type.ts';
import { exposed, inputFields } from '../graphql/fields.ts';
import { Node } from '../graphql/node.ts';
import { Member } from '../graphql/shared-types.ts';
import { toConnection } from '../platform/connection.ts';
import { signedIn } from '../platform/context.ts';
import { answering } from '../platform/visible-entities.ts';
import { countsOf } from '../tasks/rules.ts';
import { SearchResult } from '../tasks/schema.ts';
import { type CommentPosition, cursorOf, defaultPage, pageOf } from './connection.ts';
import { commentFields } from './fields.ts';
import * as rules from './rules.ts';

export const Comment = builder.prismaObject('Comment', {
  select: { id: true },
  interfaces: [Node],
  description: 'A comment on a task. Everybody who sees the task sees it.',
  fields: (t) => ({
    ...exposed(t, commentFields),
    task: t.relation('task', { extensions: { isShared: true }, description: 'The task.' }),
    author: t.relation('author', {
      type: Member,
      nullable: true,
      extensions: { isShared: true },
      description: 'The author, who may have left the workspace. Null if the account was deleted.',
    }),
  }),
});

const CommentConnection = countedConnectionType<CommentPosition>(Comment as never, {
  name: 'Comment',
  counted: 'Number of comments on the task.',
});

builder.prismaObjectField('Task', 'comments', (t) =>
  t.field({
    type: CommentConnection,
    // A text that its author deletes must not stay in a response of others.
    extensions: { isNeverStored: true },
    description: 'Comments on the task, the oldest first.',
    args: {
      first: t.arg.int({ defaultValue: defaultPage, description: 'Returns the first n comments (at most 500).' }),
      after: t.arg.string({ description: 'Returns the comments after this cursor.' }),
      last: t.arg.int({ description: 'Returns the last n comments (at most 500).' }),
      before: t.arg.string({ description: 'Returns the comments before this cursor.' }),
    },
    select: (args, _context, nestedSelection: NestedSelection) => {
      const { query } = pageOf(args);
      return { comments: nestedSelection({ ...query, select: { id: true, createdAt: true } }, toNodes('Comment')) };
    },
    resolve: ({ id, comments }, args, context) => {
      const count = () => countsOf(context, { model: 'Comment', column: 'taskId' }, {}).load(id);
      return toConnection(args, pageOf(args), comments, cursorOf, count);
    },
  }),
);

builder.objectField(SearchResult, 'comments', (t) =>
  t.prismaField({
    type: ['Comment'],
    description: 'Comments with all the words or words that begin with them, newest first.',
    resolve: (selection, { query, first }, _args, context) =>
      rules.findMatching(signedIn(context), query, first, selection),
  }),
);

const id = { required: true, description: 'Id of the comment.' } as const;

builder.mutationFields((t) => ({
  createComment: t.prismaField({
    type: 'Comment',
    description: 'Comments on a task. A task has up to 10,000 comments.',
    args: {
      ...inputFields(t.arg, commentFields, 'create'),
      taskId: t.arg.id({ required: true, description: 'Id of the task.' }),
    },
    resolve: answering('Comment', (context, { taskId, ...comment }) =>
      rules.createComment(signedIn(context), taskId, comment),
    ),
  }),
  updateComment: t.prismaField({
    type: 'Comment',
    description: 'Changes the text of a comment. Only its author may.',
    args: {
      id: t.arg.id(id),
      text: t.arg.string({ required: true, description: commentFields.text.inputDescription }),
    },
    resolve: answering('Comment', (context, { id: comment, ...changes }) =>
      rules.updateComment(signedIn(context), comment, changes),
    ),
  }),
  deleteComment: t.id({
    description: 'Deletes a comment, and returns its id. Its author may, and an administrator of the workspace.',
    args: { id: t.arg.id(id) },
    resolve: (_root, { id: comment }, context) => rules.deleteComment(signedIn(context), comment).then(() => comment),
  }),
}));

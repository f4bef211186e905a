import { readFile, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

// The instructions of CONTRIBUTING.md for a new field, kind of entity and kind of mail, with the examples `estimateMinutes`, `comment`
// and `WELCOME`.

/** A text to insert before another one, or a new file. */
export interface Addition {
  file: string;
  before?: string;
  text: string;
}

/** @throws unless each `before` occurs exactly once */
export async function apply(folder: string, additions: readonly Addition[]): Promise<void> {
  for (const { file, before, text } of additions) {
    const target = path.join(folder, file);
    if (before === undefined) {
      await mkdir(path.dirname(target), { recursive: true });
      await writeFile(target, text);
      continue;
    }
    const [head, tail, ...others] = (await readFile(target, 'utf8')).split(before);
    if (tail === undefined || others.length > 0) throw new Error(`${file} has not one \`${before}\``);
    await writeFile(target, `${head ?? ''}${text}${before}${tail}`);
  }
}

export const field: readonly Addition[] = [
  {
    file: 'prisma/schema.prisma',
    before: '  completed   Boolean   @default(false)\n',
    text: '  estimateMinutes Int? @map("estimate_minutes")\n',
  },
  {
    file: 'prisma/migrations/20990101000000_estimate/migration.sql',
    text: 'ALTER TABLE tasks ADD COLUMN estimate_minutes integer CHECK (estimate_minutes BETWEEN 0 AND 10000);\n',
  },
  {
    file: 'src/tasks/fields.ts',
    before: "  parentId: {\n    type: { idOf: 'Task' },\n",
    text: `  estimateMinutes: {
    type: 'integer',
    shape: z.int().min(0).max(10_000),
    nullable: true,
    inputs: ['create', 'update', 'bulk'],
    description: 'Minutes that it takes, at most 10,000.',
  },
`,
  },
];

export const entity: readonly Addition[] = [
  { file: 'prisma/schema.prisma', before: '  USER\n  WORKSPACE\n', text: '  COMMENT\n' },
  { file: 'prisma/schema.prisma', before: '  taskTags    TaskTag[]\n', text: '  comments    Comment[]\n' },
  {
    file: 'prisma/schema.prisma',
    before: 'enum EntityType {',
    text: `model Comment {
  id        String   @id
  taskId    String   @map("task_id")
  spaceId   String   @map("space_id")
  task      Task     @relation(fields: [taskId], references: [id], onDelete: Cascade)
  text      String
  createdAt DateTime @default(now()) @map("created_at") @db.Timestamptz(3)

  @@index([taskId])
  @@map("comments")
}

`,
  },
  {
    file: 'prisma/migrations/20990102000000_comments/migration.sql',
    text: `ALTER TYPE "EntityType" ADD VALUE 'COMMENT';
ALTER TABLE tasks ADD UNIQUE (id, space_id);
CREATE TABLE comments (
  id text PRIMARY KEY,
  task_id text NOT NULL,
  space_id text NOT NULL,
  text text NOT NULL CHECK (char_length(text) BETWEEN 1 AND 4096),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  -- A comment is in its task's space, and goes with it to another one.
  FOREIGN KEY (task_id, space_id) REFERENCES tasks (id, space_id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX comments_task_id_idx ON comments (task_id);
CREATE INDEX comments_space_id_idx ON comments (space_id, id);
`,
  },
  {
    file: 'src/platform/entities.ts',
    before: "  Invitation: { prefix: 'invt' },\n",
    text: `  Comment: {
    prefix: 'cmnt',
    model: 'Comment',
    space: 'spaceId',
    sync: {
      title: 'text',
      list: 'comments',
      description: 'A comment on a task.',
      listDescription: 'Comments that are new, changed, or became visible.',
      order: ['id'],
    },
  },
`,
  },
  {
    file: 'src/comments/fields.ts',
    text: `import type { Fields } from '../platform/fields.ts';
import { paragraphs } from '../platform/input.ts';

/** The fields of a comment. */
export const commentFields = {
  id: { type: { idOf: 'Comment' }, nullable: false, description: 'TypeID with the prefix \`cmnt\`.' },
  text: {
    type: 'text',
    shape: paragraphs(4096).refine((text) => text !== '', { error: 'must not be empty' }),
    nullable: false,
    inputs: ['create', 'update'],
    required: true,
    isNullAbsent: true,
    description: 'Plain text, 1 to 4,096 characters.',
  },
  taskId: { type: { idOf: 'Task' }, nullable: false, description: 'Id of the task that it is on.' },
  createdAt: { type: 'timestamp', nullable: false, description: 'When it was written.' },
} as const satisfies Fields;
`,
  },
  {
    file: 'src/comments/data.ts',
    text: `import type { Prisma } from '../generated/prisma/client.ts';
import type { Database } from '../platform/database.ts';
import type { Viewer } from '../platform/context.ts';
import { inSpacesOf } from '../platform/policy.ts';

export const createComment = (tx: Database, data: Prisma.CommentUncheckedCreateInput) =>
  tx.comment.create({ data, select: { id: true } });

/** The space of a task, or null if the viewer cannot see it. */
export const findPlaceOfTask = (tx: Database, viewer: Viewer, id: string) =>
  tx.task.findUnique({ where: { id, ...inSpacesOf(viewer) }, select: { spaceId: true } });

/** @returns whether there is such a comment in the viewer's spaces */
export const updateComment = async (tx: Database, viewer: Viewer, id: string, data: Prisma.CommentUpdateManyMutationInput) =>
  (await tx.comment.updateMany({ where: { id, ...inSpacesOf(viewer) }, data })).count > 0;

/** @returns whether there was such a comment in the viewer's spaces */
export const deleteComment = async (tx: Database, viewer: Viewer, id: string) =>
  (await tx.comment.deleteMany({ where: { id, ...inSpacesOf(viewer) } })).count > 0;
`,
  },
  {
    file: 'src/comments/rules.ts',
    text: `import { z } from 'zod';
import { mapTakenId } from '@taskgate/postgres';
import { write } from '../platform/write.ts';
import type { Viewer } from '../platform/context.ts';
import { notFound, orNotFound } from '../platform/errors.ts';
import { isId } from '../platform/ids.ts';
import { parse, parseChanges } from '../platform/input.ts';
import { shapesOf } from '../platform/shapes.ts';
import * as data from './data.ts';
import { commentFields } from './fields.ts';

const newComment = z.object(shapesOf(commentFields, 'create'));
const changes = z.object(shapesOf(commentFields, 'update'));

/** Comments on a task. @returns the comment's id @throws VALIDATION_FAILED; NOT_FOUND for the task */
export async function createComment(viewer: Viewer, taskId: string, rawInput: z.input<typeof newComment>): Promise<string> {
  const comment = parse(newComment, rawInput);
  if (!isId('Task', taskId)) throw notFound('Task');
  await write(viewer, { needs: 'MEMBER', ids: [taskId] }, async (tx, caller) => {
    const { spaceId } = orNotFound(await data.findPlaceOfTask(tx, caller, taskId), 'Task');
    await data.createComment(tx, { ...comment, taskId, spaceId });
  }).catch(mapTakenId());
  return comment.id;
}

/** Changes a comment. @returns its id @throws VALIDATION_FAILED; NOT_FOUND */
export async function updateComment(viewer: Viewer, id: string, rawInput: z.input<typeof changes>): Promise<string> {
  const given = parseChanges(changes, rawInput);
  if (!isId('Comment', id)) throw notFound('Comment');
  const isThere = await write(viewer, { needs: 'MEMBER', ids: [id] }, (tx, caller) => data.updateComment(tx, caller, id, given));
  if (!isThere) throw notFound('Comment');
  return id;
}

/** Deletes a comment. @throws NOT_FOUND */
export async function deleteComment(viewer: Viewer, id: string): Promise<void> {
  if (!isId('Comment', id)) throw notFound('Comment');
  const wasThere = await write(viewer, { needs: 'MEMBER', ids: [id] }, (tx, caller) => data.deleteComment(tx, caller, id));
  if (!wasThere) throw notFound('Comment');
}
`,
  },
  {
    file: 'src/comments/schema.ts',
    text: `import { builder } from '../graphql/builder.ts';
import { exposed, inputFields } from '../graphql/fields.ts';
import { Node } from '../graphql/node.ts';
import { signedIn } from '../platform/context.ts';
import { answering } from '../platform/visible-entities.ts';
import { commentFields } from './fields.ts';
import * as rules from './rules.ts';

builder.prismaObject('Comment', {
  select: { id: true },
  interfaces: [Node],
  description: 'A comment on a task.',
  fields: (t) => exposed(t, commentFields),
});

builder.prismaObjectField('Task', 'comments', (t) =>
  t.relation('comments', { extensions: { listSize: 5 }, description: 'The comments on it, the oldest first.', query: { orderBy: { id: 'asc' } } }),
);

const id = { required: true, description: 'Id of the comment.' } as const;

builder.mutationFields((t) => ({
  createComment: t.prismaField({
    type: 'Comment',
    description: 'Comments on a task.',
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
    description: 'Changes a comment.',
    args: { id: t.arg.id(id), ...inputFields(t.arg, commentFields, 'update') },
    resolve: answering('Comment', (context, { id: comment, ...changes }) =>
      rules.updateComment(signedIn(context), comment, changes),
    ),
  }),
  deleteComment: t.id({
    description: 'Deletes a comment and answers its id.',
    args: { id: t.arg.id(id) },
    resolve: (_root, { id: comment }, context) => rules.deleteComment(signedIn(context), comment).then(() => comment),
  }),
}));
`,
  },
  { file: 'src/schema.ts', before: "import './history/schema.ts';\n", text: "import './comments/schema.ts';\n" },
  {
    file: 'rest/v2/comments.ts',
    text: `import { z } from 'zod';
import { commentFields } from '../../src/comments/fields.ts';
import { changesOf, entity } from '../entity.ts';
import { idOf } from '../json-schema.ts';
import { additions, route } from '../route.ts';

const comment = entity('Comment', commentFields, 'A comment on a task.');

const routes = additions(
  route({
    method: 'post',
    path: '/api/v2/todo/:id/comments',
    summary: 'Comments on a task',
    description: 'Answers the comment.',
    input: z.object({ path: z.object({ id: idOf('Task') }), body: z.object(comment.body('create')) }),
    resource: 'Task',
    document: comment.mutation('create', comment.fragment, { taskId: 'ID!' }),
    variables: ({ path: { id }, body }) => ({ taskId: id, ...body }),
    status: 201,
    response: z.object({ comment: comment.response }),
    reply: ({ createComment }) => ({ comment: createComment }),
  }),
  route({
    method: 'patch',
    path: '/api/v2/todo/comments/:id',
    summary: 'Changes a comment',
    description: 'Answers the comment.',
    input: z.object({ path: z.object({ id: idOf('Comment') }), body: changesOf(comment.body('update')) }),
    resource: 'Comment',
    document: comment.mutation('update', comment.fragment, {}),
    response: z.object({ comment: comment.response }),
    reply: ({ updateComment }) => ({ comment: updateComment }),
  }),
);

/** Comments on tasks, an addition to the contract. */
export const comments = { shown: comment, routes };
`,
  },
  {
    file: 'rest/v2/kinds.ts',
    before: "import { projects } from './projects.ts';\n",
    text: "import { comments } from './comments.ts';\n",
  },
  { file: 'rest/v2/kinds.ts', before: '} satisfies Record<', text: '  Comment: comments,\n' },
  {
    file: 'client/src/replica/queries.ts',
    before: "/** The caller's tags, by name",
    text: `/** Comments on a task, the oldest first. */
export const comments = { byId: byId('Comment'), byTask: byReference('Comment', 'taskId') } as const;

`,
  },
];

export const mail: readonly Addition[] = [
  { file: 'prisma/schema.prisma', before: '  REMINDER\n  DIGEST\n}\n', text: '  WELCOME\n' },
  {
    file: 'prisma/migrations/20990103000000_welcome/migration.sql',
    text: `ALTER TYPE "DeliveryKind" ADD VALUE 'WELCOME';\n`,
  },
  {
    file: 'src/notifications/kinds.ts',
    before: '  /** Skipped for a reason of `skippedReminders`. */\n',
    text: "  WELCOME: { notifies: 'address', lane: 'NOTICE', retryLane: 'RETRY', compose: alone(composeWritten) },\n",
  },
  {
    file: 'src/notifications/mails/welcome-mail.ts',
    text: `import { type Mail, mailOf, paragraph } from './layout.ts';

/** Mail about a new account. */
export const welcomeMail = (): Mail =>
  mailOf({ subject: 'Welcome to Taskgate', body: [paragraph\`Your account is ready.\`] });
`,
  },
];

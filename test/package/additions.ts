import { readFile, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

// The instructions of CONTRIBUTING.md for a new field, kind of entity and kind of mail, with the examples `estimateMinutes`, `attachment`
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
  { file: 'prisma/schema.prisma', before: '  USER\n  WORKSPACE\n', text: '  ATTACHMENT\n' },
  { file: 'prisma/schema.prisma', before: '  taskTags    TaskTag[]\n', text: '  attachments    Attachment[]\n' },
  {
    file: 'prisma/schema.prisma',
    before: 'enum EntityType {',
    text: `model Attachment {
  id        String   @id
  taskId    String   @map("task_id")
  spaceId   String   @map("space_id")
  task      Task     @relation(fields: [taskId], references: [id], onDelete: Cascade)
  address   String
  createdAt DateTime @default(now()) @map("created_at") @db.Timestamptz(3)

  @@index([taskId])
  @@map("attachments")
}

`,
  },
  {
    file: 'prisma/migrations/20990102000000_attachments/migration.sql',
    text: `ALTER TYPE "EntityType" ADD VALUE 'ATTACHMENT';
CREATE TABLE attachments (
  id text PRIMARY KEY,
  task_id text NOT NULL,
  space_id text NOT NULL,
  address text NOT NULL CHECK (char_length(address) BETWEEN 1 AND 4096),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  -- An attachment is in its task's space, and goes with it to another one.
  FOREIGN KEY (task_id, space_id) REFERENCES tasks (id, space_id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX attachments_task_id_idx ON attachments (task_id);
CREATE INDEX attachments_space_id_idx ON attachments (space_id, id);
`,
  },
  {
    file: 'src/platform/entities.ts',
    before: "  Invitation: { prefix: 'invt' },\n",
    text: `  Attachment: {
    prefix: 'atch',
    model: 'Attachment',
    space: 'spaceId',
    sync: {
      title: 'address',
      list: 'attachments',
      description: 'An attachment on a task.',
      listDescription: 'Attachments that are new, changed, or became visible.',
      order: ['id'],
    },
  },
`,
  },
  {
    file: 'src/attachments/fields.ts',
    text: `import type { Fields } from '../platform/fields.ts';
import { paragraphs } from '../platform/input.ts';

/** The fields of an attachment. */
export const attachmentFields = {
  id: { type: { idOf: 'Attachment' }, nullable: false, description: 'TypeID with the prefix \`atch\`.' },
  address: {
    type: 'text',
    shape: paragraphs(4096).refine((address) => address !== '', { error: 'must not be empty' }),
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
    file: 'src/attachments/data.ts',
    text: `import type { Prisma } from '../generated/prisma/client.ts';
import type { Database } from '../platform/database.ts';
import type { Viewer } from '../platform/context.ts';
import { inSpacesOf } from '../platform/policy.ts';

export const createAttachment = (tx: Database, data: Prisma.AttachmentUncheckedCreateInput) =>
  tx.attachment.create({ data, select: { id: true } });

/** The space of a task, or null if the viewer cannot see it. */
export const findPlaceOfTask = (tx: Database, viewer: Viewer, id: string) =>
  tx.task.findUnique({ where: { id, ...inSpacesOf(viewer) }, select: { spaceId: true } });

/** @returns whether there is such an attachment in the viewer's spaces */
export const updateAttachment = async (tx: Database, viewer: Viewer, id: string, data: Prisma.AttachmentUpdateManyMutationInput) =>
  (await tx.attachment.updateMany({ where: { id, ...inSpacesOf(viewer) }, data })).count > 0;

/** @returns whether there was such an attachment in the viewer's spaces */
export const deleteAttachment = async (tx: Database, viewer: Viewer, id: string) =>
  (await tx.attachment.deleteMany({ where: { id, ...inSpacesOf(viewer) } })).count > 0;
`,
  },
  {
    file: 'src/attachments/rules.ts',
    text: `import { z } from 'zod';
import { mapTakenId } from '@taskgate/postgres';
import { write } from '../platform/write.ts';
import type { Viewer } from '../platform/context.ts';
import { notFound, orNotFound } from '../platform/errors.ts';
import { isId } from '../platform/ids.ts';
import { parse, parseChanges } from '../platform/input.ts';
import { shapesOf } from '../platform/shapes.ts';
import * as data from './data.ts';
import { attachmentFields } from './fields.ts';

const newAttachment = z.object(shapesOf(attachmentFields, 'create'));
const changes = z.object(shapesOf(attachmentFields, 'update'));

/** Attaches a link to a task. @returns the attachment's id @throws VALIDATION_FAILED; NOT_FOUND for the task */
export async function createAttachment(viewer: Viewer, taskId: string, rawInput: z.input<typeof newAttachment>): Promise<string> {
  const attachment = parse(newAttachment, rawInput);
  if (!isId('Task', taskId)) throw notFound('Task');
  await write(viewer, { ids: [taskId] }, async (tx, caller) => {
    const { spaceId } = orNotFound(await data.findPlaceOfTask(tx, caller, taskId), 'Task');
    await data.createAttachment(tx, { ...attachment, taskId, spaceId });
  }).catch(mapTakenId());
  return attachment.id;
}

/** Changes an attachment. @returns its id @throws VALIDATION_FAILED; NOT_FOUND */
export async function updateAttachment(viewer: Viewer, id: string, rawInput: z.input<typeof changes>): Promise<string> {
  const given = parseChanges(changes, rawInput);
  if (!isId('Attachment', id)) throw notFound('Attachment');
  const isThere = await write(viewer, { ids: [id] }, (tx, caller) => data.updateAttachment(tx, caller, id, given));
  if (!isThere) throw notFound('Attachment');
  return id;
}

/** Deletes an attachment. @throws NOT_FOUND */
export async function deleteAttachment(viewer: Viewer, id: string): Promise<void> {
  if (!isId('Attachment', id)) throw notFound('Attachment');
  const wasThere = await write(viewer, { ids: [id] }, (tx, caller) => data.deleteAttachment(tx, caller, id));
  if (!wasThere) throw notFound('Attachment');
}
`,
  },
  {
    file: 'src/attachments/schema.ts',
    text: `import { builder } from '../graphql/builder.ts';
import { exposed, inputFields } from '../graphql/fields.ts';
import { Node } from '../graphql/node.ts';
import { signedIn } from '../platform/context.ts';
import { answering } from '../platform/visible-entities.ts';
import { attachmentFields } from './fields.ts';
import * as rules from './rules.ts';

builder.prismaObject('Attachment', {
  select: { id: true },
  interfaces: [Node],
  description: 'An attachment on a task.',
  fields: (t) => exposed(t, attachmentFields),
});

builder.prismaObjectField('Task', 'attachments', (t) =>
  t.relation('attachments', { extensions: { listSize: 5 }, description: 'The attachments on it, the oldest first.', query: { orderBy: { id: 'asc' } } }),
);

const id = { required: true, description: 'Id of the attachment.' } as const;

builder.mutationFields((t) => ({
  createAttachment: t.prismaField({
    type: 'Attachment',
    description: 'Attaches a link to a task.',
    args: {
      ...inputFields(t.arg, attachmentFields, 'create'),
      taskId: t.arg.id({ required: true, description: 'Id of the task.' }),
    },
    resolve: answering('Attachment', (context, { taskId, ...attachment }) =>
      rules.createAttachment(signedIn(context), taskId, attachment),
    ),
  }),
  updateAttachment: t.prismaField({
    type: 'Attachment',
    description: 'Changes an attachment.',
    args: { id: t.arg.id(id), ...inputFields(t.arg, attachmentFields, 'update') },
    resolve: answering('Attachment', (context, { id: attachment, ...changes }) =>
      rules.updateAttachment(signedIn(context), attachment, changes),
    ),
  }),
  deleteAttachment: t.id({
    description: 'Deletes an attachment and answers its id.',
    args: { id: t.arg.id(id) },
    resolve: (_root, { id: attachment }, context) => rules.deleteAttachment(signedIn(context), attachment).then(() => attachment),
  }),
}));
`,
  },
  { file: 'src/schema.ts', before: "import './history/schema.ts';\n", text: "import './attachments/schema.ts';\n" },
  {
    file: 'rest/v2/attachments.ts',
    text: `import { z } from 'zod';
import { attachmentFields } from '../../src/attachments/fields.ts';
import { changesOf, entity } from '../entity.ts';
import { idOf } from '../json-schema.ts';
import { additions, route } from '../route.ts';

const attachment = entity('Attachment', attachmentFields, 'An attachment on a task.');

const routes = additions(
  route({
    method: 'post',
    path: '/api/v2/todo/:id/attachments',
    summary: 'Attaches a link to a task',
    description: 'Answers the attachment.',
    input: z.object({ path: z.object({ id: idOf('Task') }), body: z.object(attachment.body('create')) }),
    resource: 'Task',
    document: attachment.mutation('create', attachment.fragment, { taskId: 'ID!' }),
    variables: ({ path: { id }, body }) => ({ taskId: id, ...body }),
    status: 201,
    response: z.object({ attachment: attachment.response }),
    reply: ({ createAttachment }) => ({ attachment: createAttachment }),
  }),
  route({
    method: 'patch',
    path: '/api/v2/todo/attachments/:id',
    summary: 'Changes an attachment',
    description: 'Answers the attachment.',
    input: z.object({ path: z.object({ id: idOf('Attachment') }), body: changesOf(attachment.body('update')) }),
    resource: 'Attachment',
    document: attachment.mutation('update', attachment.fragment, {}),
    response: z.object({ attachment: attachment.response }),
    reply: ({ updateAttachment }) => ({ attachment: updateAttachment }),
  }),
);

/** Links on tasks, an addition to the contract. */
export const attachments = { shown: attachment, routes };
`,
  },
  {
    file: 'rest/v2/kinds.ts',
    before: "import { projects } from './projects.ts';\n",
    text: "import { attachments } from './attachments.ts';\n",
  },
  { file: 'rest/v2/kinds.ts', before: '} satisfies Record<', text: '  Attachment: attachments,\n' },
  {
    file: 'client/src/replica/queries.ts',
    before: "/** The caller's tags, by name",
    text: `/** Attachments of a task, the oldest first. */
export const attachments = { byId: byId('Attachment'), byTask: byReference('Attachment', 'taskId') } as const;

`,
  },
];

export const mail: readonly Addition[] = [
  { file: 'prisma/schema.prisma', before: '  ACTIVITY\n}\n', text: '  WELCOME\n' },
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

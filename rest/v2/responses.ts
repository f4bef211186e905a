import { z } from 'zod';
import { syncedKinds } from '../../src/kernel/entities.ts';
import { valuesOf } from '../../src/kernel/fields.ts';
import { deliveryStatus } from '../../src/notifications/fields.ts';
import { viewMode } from '../../src/projects/fields.ts';
import { lower } from '../entity.ts';
import * as own from './entities.ts';
import { count, idOf, moment } from '../json-schema.ts';

/** Contract, part 2: tag. */
export const tag = own.tag.response;

export const countedTag = tag
  .extend({ _count: z.object({ todos: count().describe('How many tasks carry it.') }) })
  .meta({ id: 'CountedTag', description: 'A tag, with how many tasks carry it.' });

/** Contract, part 2: task, as create and update answer it. */
export const task = own.task.response;

export const taskWithTags = task
  .extend({ tags: z.array(tag).describe("The caller's tags of it.") })
  .meta({ id: 'TaskWithTags', description: 'A task with its tags.' });

export const listedTask = taskWithTags.extend({
  get children() {
    return z.array(listedTask).describe('Its subtasks.');
  },
});
z.globalRegistry.add(listedTask, { id: 'ListedTask', description: 'A task with its tags and all of its subtasks.' });

export const foundTask = task
  .pick({
    id: true,
    title: true,
    description: true,
    priority: true,
    dueDate: true,
    completed: true,
    parentId: true,
    projectId: true,
  })
  .meta({ id: 'FoundTask', description: 'A task, as the search shows it.' });

/** Contract, part 2: project. */
export const project = own.project.response
  .extend({
    taskDisplayPreferences: z
      .object({ viewMode: z.enum(valuesOf(viewMode).map((value) => lower(value))) })
      .nullable()
      .describe('How its tasks are shown; null while nobody has chosen.'),
  })
  .meta({ id: 'Project', description: 'A project.' });

export const projectOfWorkspace = project
  .extend({ workspaceId: idOf('Workspace', 'workspace; null: personal').nullable() })
  .meta({ id: 'ProjectOfWorkspace', description: 'A project, with where it is.' });

/** The same where the contract shows `todos`. */
export const projectWithTodos = project
  .extend({ todos: z.array(listedTask).describe('Always empty: lists of tasks are read by themselves.') })
  .meta({ id: 'ProjectWithTodos', description: 'A project, as it is read by itself.' });

/** Contract, part 2: section. */
export const section = own.section.response;

export const sectionWithTodos = section
  .extend({ todos: z.array(listedTask).describe('Its tasks that are no subtasks, by sort key.') })
  .meta({ id: 'SectionWithTodos', description: 'A section with its tasks.' });

export const cursor = z.string().describe('What to go on from: opaque.');

/** Of the history. */
const operationId = idOf('Operation', 'operation that it is part of');

/** A change as `/api/v2/changes` and `/api/v2/events` show it. */
export const taskChange = z
  .object({
    cursor,
    kind: z.enum(['created', 'updated', 'deleted']),
    taskId: idOf('Task'),
    changedFields: z.array(z.string()).describe('Names of the changed fields, of an update.'),
    operationId,
    at: moment().describe('When it was changed.'),
    task: taskWithTags.nullable().describe('The task as it is now; null where it is gone.'),
  })
  .meta({ id: 'TaskChange', description: 'A change of a task.' });

export const taskChanges = z
  .object({
    changes: z.array(taskChange).describe('By when they were made.'),
    cursor,
    hasMore: z.boolean().describe('Whether there is more behind `cursor`.'),
  })
  .meta({ id: 'TaskChanges', description: 'A page of the change log.' });

const member = own.member.response;

export const entityTypes = syncedKinds.map((kind) => lower(kind));
const entityType = z.enum(entityTypes);
const nextPage = {
  cursor: z.string().nullable().describe('What to go on from: opaque; null where there is nothing.'),
  hasMore: z.boolean().describe('Whether there is more behind `cursor`.'),
};

const undoConflict = z
  .object({
    type: entityType,
    id: z.string().nullable().describe('Id of what differs; null for what the caller cannot see.'),
    field: z.string().nullable().describe('The field; null: the whole of it.'),
    reason: z.string().describe('Why, for people, and since when.'),
  })
  .meta({ id: 'UndoConflict', description: 'A difference that an undo leaves.' });

export const undone = z
  .object({
    applied: count().describe('How many entities were changed.'),
    conflicts: z.array(undoConflict),
    operationId: operationId.nullable().describe('The new operation; null where nothing was done.'),
  })
  .meta({ id: 'Undone', description: 'What an undo did.' });

const trashEntry = z
  .object({
    id: z.string().describe('The id that it had.'),
    type: entityType,
    title: z.string().describe('Title of a task, name of anything else.'),
    deletedAt: moment(),
    entities: count().describe('How many entities were deleted: it, and what went with it.'),
  })
  .meta({ id: 'TrashEntry', description: 'Something that was deleted and can be restored.' });

export const trash = z
  .object({ trash: z.array(trashEntry).describe('The newest first.'), ...nextPage })
  .meta({ id: 'Trash', description: 'A page of the trash.' });

const fieldChange = z
  .object({
    name: z.string().describe('Name of the field, as in `changedFields`.'),
    before: z.unknown().describe('Its value before; of what it refers to, the id.'),
    after: z.unknown().describe('Its value afterwards.'),
  })
  .meta({ id: 'FieldChange', description: 'How an operation changed a field.' });

const taskHistoryEntry = z
  .object({
    operationId,
    at: moment(),
    actor: member.nullable().describe('Who it was; null where that is not known.'),
    kind: z.enum(['created', 'updated', 'deleted']),
    fields: z.array(fieldChange),
  })
  .meta({ id: 'TaskHistoryEntry', description: 'What an operation did to a task.' });

export const taskHistory = z
  .object({ history: z.array(taskHistoryEntry).describe('The newest first.'), ...nextPage })
  .meta({ id: 'TaskHistory', description: 'A page of what was done to a task.' });

export const workspace = own.workspace.response
  .extend({ members: z.array(member) })
  .meta({ id: 'Workspace', description: 'A workspace with its members.' });

export const invitation = own.invitation.response
  .extend({ invitedBy: member.describe('Who has sent it.') })
  .meta({ id: 'Invitation', description: 'An open offer of membership.' });

export const delivery = own.delivery.response
  .extend({ status: z.enum(valuesOf(deliveryStatus)).describe(deliveryStatus.description) })
  .meta({ id: 'Delivery', description: 'A mail to the caller, from its plan to its end.' });

export const digest = z
  .object({
    at: moment().nullable().describe('When the next one goes out; null where they are off.'),
    subject: z.string().describe('Subject of the mail.'),
    text: z.string().describe('The mail as plain text.'),
    html: z.string().describe('The mail as HTML.'),
    overdue: z.array(foundTask).describe('Tasks whose due time, or day, has passed.'),
    today: z.array(foundTask).describe("Tasks that are due today, in the caller's time zone."),
    upcoming: z.array(foundTask).describe('Tasks that are due in the seven days after today.'),
  })
  .meta({ id: 'Digest', description: 'What the mail of a day tells, as it would be sent now.' });

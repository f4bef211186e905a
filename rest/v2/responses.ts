import { z } from 'zod';
import { syncedKinds } from '../../src/platform/entities.ts';
import { valuesOf } from '../../src/platform/fields.ts';
import { deliveryStatus } from '../../src/notifications/fields.ts';
import { viewMode } from '../../src/projects/fields.ts';
import { lower } from '../entity.ts';
import * as own from './entities.ts';
import { count, idOf, moment } from '../json-schema.ts';
import { nextPage } from './page.ts';

/** Contract, part 2. */
export const tag = own.tag.response;

export const countedTag = tag
  .extend({ _count: z.object({ todos: count().describe('Number of tasks with the tag.') }) })
  .meta({ id: 'CountedTag', description: 'A tag with its number of tasks.' });

/** Contract, part 2: create and update. */
export const task = own.task.response;

export const taskWithTags = task
  .extend({ tags: z.array(tag).describe("The caller's tags on the task.") })
  .meta({ id: 'TaskWithTags', description: 'A task with its tags.' });

export const taskWithAssignees = taskWithTags
  .extend({
    assigneeIds: z.array(idOf('User')).describe('Ids of the assignees, in the order of assignment.'),
    createdById: idOf('User', 'user who created it, or null if not known').nullable(),
  })
  .meta({ id: 'TaskWithAssignees', description: 'A task with its tags, assignees and creator.' });

export const listedTask = taskWithTags.extend({
  get children() {
    return z.array(listedTask).describe('Its subtasks.');
  },
});
z.globalRegistry.add(listedTask, { id: 'ListedTask', description: 'A task with its tags and all its subtasks.' });

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

/** Contract, part 2. */
export const project = own.project.response
  .extend({
    taskDisplayPreferences: z
      .object({ viewMode: z.enum(valuesOf(viewMode).map((value) => lower(value))) })
      .nullable()
      .describe('How tasks are shown. Null if no view mode was chosen.'),
  })
  .meta({ id: 'Project', description: 'A project.' });

export const projectOfWorkspace = project
  .extend({ workspaceId: idOf('Workspace', 'workspace, or null for a personal project').nullable() })
  .meta({ id: 'ProjectOfWorkspace', description: 'A project with its workspace.' });

export const projectWithTodos = project
  .extend({ todos: z.array(listedTask).describe('Always empty. Read tasks through their own endpoints.') })
  .meta({ id: 'ProjectWithTodos', description: 'A single project.' });

/** Contract, part 2. */
export const section = own.section.response;

export const sectionWithTodos = section
  .extend({ todos: z.array(listedTask).describe('Top-level tasks, by sort key.') })
  .meta({ id: 'SectionWithTodos', description: 'A section with its tasks.' });

export const cursor = z.string().describe('Opaque cursor to continue from.');

const operationId = idOf('Operation', 'operation that made the change');

export const taskChange = z
  .object({
    cursor,
    kind: z.enum(['created', 'updated', 'deleted']),
    taskId: idOf('Task'),
    changedFields: z.array(z.string()).describe('Names of the changed fields of an update.'),
    operationId,
    at: moment().describe('Time of the change.'),
    task: taskWithTags.nullable().describe('The current task. Null if it no longer exists or is not visible.'),
  })
  .meta({ id: 'TaskChange', description: 'A change of a task.' });

export const taskChanges = z
  .object({
    changes: z.array(taskChange).describe('In order of time.'),
    cursor,
    hasMore: z.boolean().describe('Whether there are more entries after `cursor`.'),
  })
  .meta({ id: 'TaskChanges', description: 'A page of the change log.' });

export const member = own.member.response;

export const entityTypes = syncedKinds.map((kind) => lower(kind));
const entityType = z.enum(entityTypes);

const undoConflict = z
  .object({
    type: entityType,
    id: z.string().nullable().describe('Id of the entity. Null if the caller cannot see it.'),
    field: z.string().nullable().describe('Name of the field. Null for the whole entity.'),
    reason: z.string().describe('The reason as a text for people, with the time of the later change.'),
  })
  .meta({ id: 'UndoConflict', description: 'A part of the operation that the undo did not revert.' });

export const undone = z
  .object({
    applied: count().describe('Number of changed entities.'),
    conflicts: z.array(undoConflict),
    operationId: operationId.nullable().describe('Id of the new operation. Null if nothing was changed.'),
  })
  .meta({ id: 'Undone', description: 'The result of an undo.' });

const trashEntry = z
  .object({
    id: z.string().describe('Id of the deleted entity.'),
    type: entityType,
    title: z.string().describe('Title of a task, or name of another entity.'),
    deletedAt: moment(),
    entities: count().describe('Number of entities in the deletion, including this one.'),
  })
  .meta({ id: 'TrashEntry', description: 'A deleted entity that can be restored.' });

export const trash = z
  .object({ trash: z.array(trashEntry).describe('Newest first.'), ...nextPage })
  .meta({ id: 'Trash', description: 'A page of the trash.' });

const fieldChange = z
  .object({
    name: z.string().describe('Name of the field, as in `changedFields`.'),
    before: z.unknown().describe('Previous value. For a reference, the id.'),
    after: z.unknown().describe('New value.'),
  })
  .meta({ id: 'FieldChange', description: 'How an operation changed a field.' });

const taskHistoryEntry = z
  .object({
    operationId,
    at: moment(),
    actor: member.nullable().describe('The user who made the change. Null if unknown.'),
    kind: z.enum(['created', 'updated', 'deleted']),
    fields: z.array(fieldChange),
  })
  .meta({ id: 'TaskHistoryEntry', description: 'A change of a task by an operation.' });

export const taskHistory = z
  .object({ history: z.array(taskHistoryEntry).describe('Newest first.'), ...nextPage })
  .meta({ id: 'TaskHistory', description: "A page of a task's history." });

export const workspace = own.workspace.response
  .extend({ members: z.array(member) })
  .meta({ id: 'Workspace', description: 'A workspace with its members.' });

export const membership = member
  .extend(own.membership.response.shape)
  .meta({ id: 'Membership', description: 'A member of a workspace with their role.' });

export const invitation = own.invitation.response
  .extend({ invitedBy: member.describe('The member who sent it.') })
  .meta({ id: 'Invitation', description: 'An open invitation to a workspace.' });

export const comment = own.comment.response
  .extend({ author: member.nullable().describe('The author. Null if the account was deleted.') })
  .meta({ id: 'Comment', description: 'A comment on a task.' });

export const delivery = own.delivery.response
  .extend({ status: z.enum(valuesOf(deliveryStatus)).describe(deliveryStatus.description) })
  .meta({ id: 'Delivery', description: 'A planned or past mail to the caller.' });

export const recurrence = own.recurrence.response
  .extend({
    upcoming: z.array(own.occurrence.response).describe('The dates in the 50 years after `date`, past ones too.'),
  })
  .meta({ id: 'Recurrence', description: 'How a task repeats.' });

export const digest = z
  .object({
    at: moment().nullable().describe('Time of the next digest. Null if digests are off.'),
    subject: z.string().describe('Subject of the mail.'),
    text: z.string().describe('The mail as plain text.'),
    html: z.string().describe('The mail as HTML.'),
    overdue: z.array(foundTask).describe('Tasks whose due time or day has passed.'),
    today: z.array(foundTask).describe("Tasks that are due today, in the caller's time zone."),
    upcoming: z.array(foundTask).describe('Tasks that are due in the seven days after today.'),
  })
  .meta({ id: 'Digest', description: 'The daily digest as it would be sent now.' });

import { z } from 'zod';
import { formatDate } from '../platform/dates.ts';
import { codePoints, referencedIds, text } from '../platform/input.ts';
import { recurrence } from '../recurrence/input.ts';
import { shapesOf } from '../platform/shapes.ts';
import { taskFields } from './fields.ts';

/** Includes the top level. */
export const maxLevels = 10;

/** A blank query would match everything or nothing. */
export const searchQuery = text()
  .trim()
  .refine((value) => value !== '', { error: 'must not be blank' })
  .refine((value) => codePoints(value) <= 500, { error: 'must be at most 500 characters long' })
  .meta({ minLength: 1, maxLength: 500 });

/** Maximum number of tasks and of tags that a search returns. */
export const maxSearchResults = 50;

const id = z.string();

const references = { tagIds: referencedIds.nullish(), projectId: id.nullish(), sectionId: id.nullish() };

const ofOneTask = { recurrence: recurrence.nullish(), parentId: id.nullish() };

/** Maximum number of assignees of a task. */
export const maxAssignees = 10;

const assigneeIds = z
  .array(z.string())
  .transform((ids) => [...new Set(ids)])
  .refine((ids) => ids.length <= maxAssignees, { error: `must be at most ${maxAssignees} ids` });

const assignment = {
  assigneeIds: assigneeIds.nullish(),
  addAssigneeIds: assigneeIds.nullish(),
  removeAssigneeIds: referencedIds.nullish(),
};

const completedOn = z.date().transform(formatDate).nullish();

export const createTask = z.object({
  ...shapesOf(taskFields, 'create'),
  ...references,
  ...ofOneTask,
  assigneeIds: assigneeIds.nullish(),
});

export const updateTask = z.object({
  ...shapesOf(taskFields, 'update'),
  ...references,
  ...ofOneTask,
  ...assignment,
  completedOn,
});

export const bulkUpdateTasks = z.object({
  ...shapesOf(taskFields, 'bulk'),
  ...references,
  ...assignment,
  completedOn,
});

export type UpdateTaskInput = z.output<typeof updateTask>;

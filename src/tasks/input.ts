import { z } from 'zod';
import { codePoints, line, paragraphs, referredIds, text, unclearable } from '../kernel/input.ts';

/** 1 to 500 code points after trimming (contract, part 8). */
export const title = line(500);

/** Up to 16,384 code points, kept as they are; the database holds the same bound. */
export const description = paragraphs(16_384);

/** A hex colour with or without alpha. */
export const color = z
  .string()
  .regex(/^#([\da-f]{3}|[\da-f]{6}|[\da-f]{8})$/i, 'must be a hex colour: #RGB, #RRGGBB or #RRGGBBAA');

/** What a client may write to reposition a task: any printable ASCII, compared bytewise. */
export const sortKey = z.string().regex(/^[ -~]{1,255}$/, 'must be 1 to 255 printable ASCII characters');

/** Levels of a tree of tasks, the top one included. */
export const maxLevels = 10;

/** What a search may be; blank is refused, as it would match everything or nothing. */
export const searchQuery = text()
  .trim()
  .refine((value) => value !== '', { error: 'must not be blank' })
  .refine((value) => codePoints(value) <= 500, { error: 'must be at most 500 characters long' });

/** Tasks and tags that a search gives at the most. */
export const maxFound = 50;

export const priorities = ['HIGH', 'MEDIUM', 'LOW'] as const;

const id = z.string();

/** Fields that are given to a new task as to one or many that there are; null clears them. */
const common = {
  priority: z.enum(priorities).nullish(),
  dueDate: z.date().nullish(),
  dueTime: z.date().nullish(),
  isAllDay: z.boolean().nullish(),
  tagIds: referredIds.nullish(),
  projectId: id.nullish(),
  sectionId: id.nullish(),
};

/** Of what every task has, null is none. */
export const createTask = z.object({
  ...common,
  title,
  description: description.nullish(),
  color: color.nullish(),
  reminder: z.boolean().nullish(),
  parentId: id.nullish(),
});

const changes = { ...common, completed: unclearable(z.boolean()), reminder: unclearable(z.boolean()) };

export const updateTask = z.object({
  ...changes,
  title: unclearable(title),
  description: description.nullish(),
  color: color.nullish(),
  sortKey: unclearable(sortKey),
  parentId: id.nullish(),
});

export const bulkUpdateTasks = z.object(changes);

export type UpdateTaskInput = z.output<typeof updateTask>;

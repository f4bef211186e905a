import { z } from 'zod';
import { valuesOf } from '../kernel/fields.ts';
import { name, newEntityId, text } from '../kernel/input.ts';
import { viewMode } from './fields.ts';

/** A project without workspace is personal. */
export const createProject = z.object({
  id: newEntityId('Project'),
  name: name(),
  workspaceId: text().nullish(),
});

/** What a list of projects is narrowed to. */
export const projectFilter = z.object({
  /** Substring of the name, without regard to case. */
  search: text().nullish(),
  /** True: those of the personal space alone; false: those of workspaces alone. */
  personal: z.boolean().nullish(),
});

/** An absent or null field keeps its value. */
export const updateProject = z.object({ name: name().nullish(), viewMode: z.enum(valuesOf(viewMode)).nullish() });

export const createSection = z.object({ id: newEntityId('Section'), name: name() });

/** An absent or null field keeps its value, but for the indices, where null is an end of the list. */
export const updateSection = z.object({
  name: name().nullish(),
  projectId: text().nullish(),
  prevIndex: text().nullish(),
  nextIndex: text().nullish(),
  inProjectId: text().nullish(),
});

import { z } from 'zod';
import { text } from '../kernel/input.ts';
import { shapesOf } from '../kernel/shapes.ts';
import { projectFields, sectionFields } from './fields.ts';

/** A project without workspace is personal. */
export const createProject = z.object({ ...shapesOf(projectFields, 'create'), workspaceId: text().nullish() });

export const projectFilter = z.object({
  /** Substring of the name, without regard to case. */
  search: text().nullish(),
  /** True: those of the personal space alone; false: those of workspaces alone. */
  personal: z.boolean().nullish(),
});

export const updateProject = z.object(shapesOf(projectFields, 'update'));

export const createSection = z.object(shapesOf(sectionFields, 'create'));

/** An absent or null field keeps its value, but for the indices, where null is an end of the list. */
export const updateSection = z.object({
  ...shapesOf(sectionFields, 'update'),
  projectId: text().nullish(),
  prevIndex: text().nullish(),
  nextIndex: text().nullish(),
  inProjectId: text().nullish(),
});

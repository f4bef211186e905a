import { z } from 'zod';
import { text } from '../platform/input.ts';
import { shapesOf } from '../platform/shapes.ts';
import { projectFields, sectionFields } from './fields.ts';

/** Personal without a workspace. */
export const createProject = z.object({ ...shapesOf(projectFields, 'create'), workspaceId: text().nullish() });

export const projectFilter = z.object({
  /** Case-insensitive part of the name. */
  search: text().nullish(),
  /** True for personal projects only, false for others only. */
  personal: z.boolean().nullish(),
});

export const updateProject = z.object(shapesOf(projectFields, 'update'));

export const createSection = z.object(shapesOf(sectionFields, 'create'));

/** An absent or null field keeps its value. A null index means an end of the list. */
export const updateSection = z.object({
  ...shapesOf(sectionFields, 'update'),
  projectId: text().nullish(),
  prevIndex: text().nullish(),
  nextIndex: text().nullish(),
  inProjectId: text().nullish(),
});

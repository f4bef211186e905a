import { claimTask, releaseClaim } from './claims.ts';
import { fetchOne, search } from './find.ts';
import { history, undo } from './operations.ts';
import { overview } from './overview.ts';
import { createTasks, updateTasks } from './task-writes.ts';
import { listTasks } from './tasks.ts';
import type { Tool } from './tool.ts';
import { comment, deleteEntities, organize } from './writes.ts';

/** In the order of the list. A token that only reads sees the first five. */
export const tools: readonly Tool[] = [
  ...[overview, search, fetchOne, listTasks, history],
  ...[createTasks, updateTasks, comment, deleteEntities, organize, claimTask, releaseClaim, undo],
];

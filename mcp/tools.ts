import { fetchOne, overview, search } from './find.ts';
import { history, undo } from './operations.ts';
import { createTasks, updateTasks } from './task-writes.ts';
import { claimTask, listTasks, releaseClaim } from './tasks.ts';
import type { Tool } from './tool.ts';
import { comment, deleteEntities, organize } from './writes.ts';

/** In the order of `tools/list`. A READ token sees the first five. */
export const tools = Object.entries<Tool>({
  ...{ overview, search, fetch: fetchOne, list_tasks: listTasks, history },
  ...{ create_tasks: createTasks, update_tasks: updateTasks, comment, delete: deleteEntities, organize },
  ...{ claim_task: claimTask, release_claim: releaseClaim, undo },
}).map(([name, tool]) => ({ name, ...tool }));

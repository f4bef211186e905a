import { invalid } from '@taskgate/base';
import type { Viewer } from '../platform/context.ts';
import { claimLost, forbidden, notFound, refusal } from '../platform/errors.ts';
import { isId } from '../platform/ids.ts';
import { parse } from '../platform/input.ts';
import { roleFor } from '../platform/roles.ts';
import { write } from '../platform/write.ts';
import { filterOf, type TaskFilter } from '../tasks/rules.ts';
import * as data from './data.ts';
import * as input from './input.ts';

export { type Claimed, findClaims } from './data.ts';
export { endClaims, findSpacesOfEnded } from './ending-data.ts';

export interface Target {
  id?: string | null | undefined;
  filter?: TaskFilter | null | undefined;
}

/**
 * Claims a task, or the first one that matches a filter.
 * @returns null if no task matches
 * @throws VALIDATION_FAILED; for a task by its id NOT_FOUND, TASK_CLAIMED, FORBIDDEN
 */
export async function claimTask(viewer: Viewer, { id, filter }: Target, rawSeconds: number) {
  const seconds = parse(input.seconds, rawSeconds, 'seconds');
  if (id != null && filter != null) throw invalid('filter', 'must not be given with an id');
  if (id != null) return claimOne(viewer, id, seconds);
  if (filter != null) return claimFirst(viewer, filterOf(filter, viewer), seconds);
  throw invalid('id', 'or filter must be given');
}

async function claimOne(viewer: Viewer, id: string, seconds: number): Promise<data.Claimed> {
  const claim = isId('Task', id) ? await data.claimOne(viewer, id, seconds) : undefined;
  if (!claim) throw notFound('Task');
  if (claim.outcome === 'claimed') return claim;
  if (claim.outcome === 'completed') throw invalid('id', 'must be the id of an open task');
  throw refusal('TASK_CLAIMED', 'The task is claimed: take another one, or try again later');
}

/** Looks again if another caller has taken the task, or it changed. */
async function claimFirst(viewer: Viewer, filter: ReturnType<typeof filterOf>, seconds: number) {
  for (;;) {
    const first = await data.findFirst(viewer, filter);
    if (!first) return null;
    const claim = await data.claimOne(viewer, first.id, seconds, first.revision);
    if (claim?.outcome === 'claimed') return claim;
    const access = { needs: roleFor('claimTask'), ids: [first.spaceId] };
    const claimed = await write(viewer, access, (tx, caller) => data.claimFirst(tx, caller, viewer, filter, seconds));
    if (claimed) return claimed;
  }
}

/** @throws CLAIM_LOST; FORBIDDEN unless the credential claimed it; VALIDATION_FAILED */
export async function renewClaim(viewer: Viewer, rawFence: string, rawSeconds: number): Promise<data.Claimed> {
  const fence = parse(input.fence, rawFence, 'fence');
  return change(viewer, fence, parse(input.seconds, rawSeconds, 'seconds'));
}

/** @returns the id of the task @throws CLAIM_LOST; FORBIDDEN for another program; VALIDATION_FAILED */
export async function releaseClaim(viewer: Viewer, fence: string): Promise<string> {
  return (await change(viewer, parse(input.fence, fence, 'fence'), null)).taskId;
}

async function change(viewer: Viewer, fence: string, seconds: number | null): Promise<data.Claimed> {
  const taskId = await data.findTaskOf(viewer, fence);
  if (taskId === undefined) throw claimLost();
  const expiresAt = await data.changeClaim(viewer, taskId, fence, seconds);
  if (!expiresAt) throw forbidden('Only the program that claimed the task may do this');
  return { taskId, fence, expiresAt };
}

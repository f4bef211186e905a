import { maxResponseBytes, ResponseBudget } from '@taskgate/work';
import type { Point } from './point.ts';

/** State of everything that the caller can read, at the operation's start. */
export interface SpaceStates {
  readonly states: ReadonlyMap<string, Point>;
  /**
   * Sum of the spaces' related revisions, which cover data written elsewhere, such as members' names. They only grow.
   */
  readonly relatedRevision: string;
}

/** Budget of an operation, whose reads may run on a replica in its state. */
export type ReadBudget = ResponseBudget<SpaceStates>;

/**
 * Returns the operation's budget, or a new one outside of operations. Nobody releases a new one, so it takes no room of
 * others.
 */
export const budgetOf = ({ budget, id }: { budget?: ReadBudget | undefined; id?: string }): ReadBudget =>
  budget ?? new ResponseBudget(undefined, undefined, { owner: id, ownBytes: maxResponseBytes });

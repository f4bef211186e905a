export { maxResponseBytes, ResponseBudget, ResponseTooLarge, smallResponseBytes } from './budget.ts';
export { CallerGone, Cancellation, Deadlines, unlessAborted } from './cancellation.ts';
export { FairQueue } from './fair-queue.ts';
export { type FairKey, type FairKeys, GroupCounts, keysOf, quotaOfGroup } from './group-counts.ts';
export { type Load, measureLoad } from './load.ts';
export { Overload, overloaded, retryAfterOverload } from './overload.ts';
export { Turns } from './turns.ts';

export { checkConnections } from './check-connections.ts';
export { type Clock, databaseClock, nowOf, seconds } from './clock.ts';
export { problemOfUrl, withPlainMode } from './connection-url.ts';
export { streamInSnapshot } from './cursor.ts';
export { isConflict, isUnavailable, mapConstraintError, mapTakenId } from './errors.ts';
export { checkDatabase, checkVersion, migrate } from './migrate.ts';
export { afterCommit, currentTransaction, OperationTransaction } from './operation.ts';
export { every, hourly } from './periodic.ts';
export { encodePoint, isSamePoint, parsePoint, type Point, pointShape } from './point.ts';
export { defaultPoolSize, minPoolSize } from './pool-sizes.ts';
export { type ConnectionOptions, databaseLimits, Postgres } from './postgres.ts';
export { type ExpiringRows, inBatches, prune } from './prune.ts';
export { budgetOf, type ReadBudget, type SpaceStates } from './read-budget.ts';
export { retryUntil, wait } from './retry.ts';
export { plannedEachTime } from './statement-names.ts';
export {
  makeSettings,
  prepared,
  type Queryable,
  type Reader,
  readInSnapshot,
  readOnAny,
  readOnPrimary,
  readUnderSettings,
  readWithDeadline,
  runSessionRead,
  runSessionWrite,
  runSql,
  type Snapshot,
} from './statements.ts';
export { UnansweredError } from './unanswered.ts';
export { failsForAll, logFailure } from './unavailable-log.ts';

export { backoffMs, doubling, maxBackoffMs } from './backoff.ts';
export {
  type InputProblem,
  invalid,
  MalformedRequest,
  requireNone,
  TaskgateError,
  unauthenticated,
  unavailable,
  ValidationError,
} from './errors.ts';
export { ignoreGone, makeFolder, minSecretLength, secretIn, syncFolder, writeWhole } from './files.ts';
export { getOrMake, groupBy } from './group.ts';
export { inTime, LateError, settlesWithin } from './in-time.ts';
export { flushLog, isLogInTerminal, log } from './logger.ts';
export { counter, gauge, labelledGauge, registry, sendMetrics } from './metrics.ts';
export { maxProblems, problemsOf } from './problems.ts';
export { connectRedis } from './redis.ts';
export { because, StartError } from './start-error.ts';
export { stream } from './stream.ts';
export { isText, notText } from './text.ts';
export { isTimeZone, zoneNamed } from './time-zones.ts';
export { inSpan, isTracing, openSpan, startTracing, traceHeaders, withinSpan } from './tracing.ts';
export { isLoopback, isPrivateUrl } from './urls.ts';

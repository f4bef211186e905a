export { dayOf, RuleError } from './rule.ts';
export {
  dueOf,
  isYearsAfter,
  movedDay,
  movedTime,
  nextId,
  nextOf,
  occurrencesAfter,
  type Recurrence,
  seriesIdOf,
  setSeries,
} from './series.ts';
export { summaryOf } from './summary.ts';
export { localOf, momentOf } from './zone.ts';

export { Attempt } from './attempt.ts';
export { Outbox } from './outbox.ts';
export type { ClaimedRow, Ended, OutboxTable } from './rows.ts';

import type { Point } from '@taskgate/postgres';
import type { Viewer } from '../../platform/context.ts';
import type { Transaction } from '../log/page.ts';

/**
 * Reads the access of a session or token.
 * @returns null if it has ended; and the process clock just before the read
 */
export type ReadAccess = (sessionId: string) => Promise<{ viewer: Viewer | null; at: number }>;

export interface Watcher {
  readonly userId: string;
  /** Reads session and memberships again, then ends or narrows. */
  recheck(): Promise<void>;
  tick?(): void;
}

export interface Subscriber extends Watcher {
  push(transaction: Transaction): void;
  /** Receives points without further task changes before them. */
  advance(points: ReadonlyMap<string, Point>): void;
  /** Makes the subscriber read the log itself. */
  fallBehind(): void;
}

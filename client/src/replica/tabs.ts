import { type ErrorDetails, TaskgateError } from '../errors.ts';
import type { Status } from './queries.ts';

/** What tabs tell each other. */
export type TabMessage =
  /** The leader has written these records, as its write of that number: who has missed one loads the storage again. */
  | { readonly type: 'written'; readonly version: number; readonly records: Iterable<[string, unknown]> }
  /** A tab is about to store a mutation. Where nothing follows it has been closed, and the leader looks into the storage. */
  | { readonly type: 'storing'; readonly key: string }
  /** A tab has stored a mutation, or dismissed a refused one. */
  | { readonly type: 'stored'; readonly records: Iterable<[string, unknown]> }
  /** The state of the leader's connection, and the number of its last write. */
  | { readonly type: 'status'; readonly version: number; readonly status: Status; readonly problem?: ErrorDetails }
  /** A tab asks the leader for that. */
  | { readonly type: 'hello' }
  /** A tab wants the leader to try again at once. */
  | { readonly type: 'reconnect' };

/** The tabs that share a storage. */
export interface Tabs {
  /** Whether there may be others. */
  readonly areShared: boolean;
  /** Tells all others. */
  post(message: TabMessage): void;
  /**
   * Waits until this tab leads, does the work, and leaves the lead when that is done.
   * @param signal ends the waiting; the work has to end by itself
   */
  lead(work: () => Promise<void>, signal: AbortSignal): Promise<void>;
  close(): void;
}

/** Of a storage that nobody shares. */
const alone: Tabs = {
  areShared: false,
  post: () => undefined,
  lead: (work) => work(),
  close: () => undefined,
};

function meansOf(name: string): { readonly locks: LockManager; readonly channel: BroadcastChannel } {
  try {
    const { locks } = navigator as { readonly locks?: LockManager };
    if (!locks) throw new Error('Web Locks need a secure context: https, or localhost');
    return { locks, channel: new BroadcastChannel(name) };
  } catch (cause) {
    const message = 'Tabs cannot share the storage';
    throw new TaskgateError({ code: 'STORAGE_FAILED', message }, cause);
  }
}

/**
 * Joins the tabs of an origin that share a storage. One of them leads: it holds a Web Lock, which the browser gives to the next one
 * when the tab is closed or crashes, so that there are never two. The leader alone has a connection to the service, sends the outbox of
 * all, and writes what comes; it tells the others what it has written over a BroadcastChannel, by numbers, so that who missed something
 * (a tab that slept, say) knows, and loads the storage again. Each tab stores its own mutations itself, which the leader may be too
 * late for, and tells the others of them. The next leader relies on the storage, never on messages. So nothing depends
 * on a message arriving, and no tab's end loses what was stored.
 * @param name undefined: a storage that nobody shares
 * @throws STORAGE_FAILED if there is no way to share: Web Locks need a secure context (https or localhost), and a browser may deny them
 */
export function joinTabs(name: string | undefined, receive: (message: TabMessage) => void): Tabs {
  if (name === undefined) return alone;
  const { locks, channel } = meansOf(name);
  channel.onmessage = ({ data }: MessageEvent<TabMessage>) => receive(data);
  return {
    areShared: true,
    post: (message) => channel.postMessage(message),
    async lead(work, signal) {
      try {
        await locks.request(name, { signal }, work);
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    },
    close: () => channel.close(),
  };
}

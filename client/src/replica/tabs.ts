import { type ErrorDetails, TaskgateError } from '../errors.ts';
import type { Status } from './queries.ts';

export type TabMessage =
  /** The leader's numbered write. A tab that missed one loads the storage. */
  | { readonly type: 'written'; readonly version: number; readonly records: Iterable<[string, unknown]> }
  /** A tab is about to store a mutation. If it falls silent, the leader checks the storage. */
  | { readonly type: 'storing'; readonly key: string }
  | { readonly type: 'stored'; readonly records: Iterable<[string, unknown]> }
  /** Connection state and last write. */
  | { readonly type: 'status'; readonly version: number; readonly status: Status; readonly problem?: ErrorDetails }
  | { readonly type: 'hello' }
  | { readonly type: 'reconnect' };

export interface Tabs {
  readonly areShared: boolean;
  post(message: TabMessage): void;
  /** @param signal ends the wait; the work must end itself */
  lead(work: () => Promise<void>, signal: AbortSignal): Promise<void>;
  close(): void;
}

/** For a storage without other tabs. */
const unsharedTabs: Tabs = {
  areShared: false,
  post: () => undefined,
  lead: (work) => work(),
  close: () => undefined,
};

function openChannel(name: string): { readonly locks: LockManager; readonly channel: BroadcastChannel } {
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
 * Joins the tabs that share a storage. The leader holds a Web Lock, which the browser passes on when a tab closes or crashes: there are
 * never two. Only the leader connects to the service, sends all outboxes, and writes results. It broadcasts its writes with numbers; a tab
 * that missed one loads the storage. Each tab stores its own mutations and announces them. The next leader relies on the storage: lost
 * messages and closed tabs lose nothing that was stored.
 * @param name undefined for an unshared storage
 * @throws STORAGE_FAILED if tabs cannot share: Web Locks need a secure context (https or localhost), and a browser may deny them
 */
export function joinTabs(name: string | undefined, receive: (message: TabMessage) => void): Tabs {
  if (name === undefined) return unsharedTabs;
  const { locks, channel } = openChannel(name);
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

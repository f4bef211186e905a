import { type ErrorDetails, TaskgateError } from '../errors.ts';
import type { Status } from './queries.ts';

export type TabMessage =
  /** The leader has written. A tab that missed a version loads the storage. */
  | { readonly type: 'written'; readonly version: number; readonly records: Iterable<[string, unknown]> }
  /** A tab is about to store a mutation. If it falls silent, the leader loads the storage. */
  | { readonly type: 'storing'; readonly key: string }
  /** A tab has stored its mutations. */
  | { readonly type: 'stored'; readonly records: Iterable<[string, unknown]> }
  /** State of the leader's connection, and the version of its last write. */
  | { readonly type: 'status'; readonly version: number; readonly status: Status; readonly problem?: ErrorDetails }
  /** A new tab asks for the status. */
  | { readonly type: 'hello' }
  | { readonly type: 'reconnect' };

export interface Tabs {
  readonly areShared: boolean;
  post(message: TabMessage): void;
  /** Runs the work when this tab becomes the leader. @param signal ends the wait for that, but not the work */
  lead(work: () => Promise<void>, signal: AbortSignal): Promise<void>;
  close(): void;
}

/** Tabs of a storage that no other tab shares. */
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
 * Joins the tabs that share a storage. The leader holds a Web Lock, which the browser passes on when a tab closes or crashes, so there are
 * never two leaders. Only the leader connects to the service, sends the mutations of all tabs, and writes the data of the service. It
 * broadcasts its writes with their versions. Each tab stores its own mutations and announces them. The next leader reads the storage, so
 * lost messages and closed tabs lose nothing that was stored.
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

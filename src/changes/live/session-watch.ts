import { log } from '@taskgate/base';
import { retryUntil } from '@taskgate/postgres';
import type { Hub } from './hub.ts';
import type { ReadAccess, Watcher } from './subscriber.ts';

/**
 * @param end called at once if this process ended the session, else by the next poll
 * @returns a function that stops watching
 */
export function watchSession(hub: Hub, readAccess: ReadAccess, sessionId: string, end: () => void): () => void {
  let watcher: Watcher | undefined;
  let over = false;

  function stop() {
    over = true;
    if (watcher) hub.remove(watcher);
  }

  async function check() {
    const { viewer } = await readAccess(sessionId);
    if (viewer || over) return viewer;
    stop();
    end();
    return null;
  }

  async function begin() {
    const viewer = await retryUntil('a session could not be read', check, () => over);
    if (!viewer || over) return;
    watcher = { userId: viewer.id, recheck: async () => void (await check()) };
    hub.add(watcher);
    // It may have ended before `add`.
    await retryUntil('a session could not be read', check, () => over);
  }

  begin().catch((error: unknown) => log.debug({ error }, 'a session is no longer watched'));
  return stop;
}

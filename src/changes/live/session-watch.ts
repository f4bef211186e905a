import { log } from '../../kernel/logger.ts';
import { readAccess } from '../../accounts/rules.ts';
import type { Hub, Watcher } from './hub.ts';
import { retryUntil } from '../../database/retry.ts';

/**
 * Watches a session for what serves it without a subscription, such as an open socket.
 * @param end called once the session has ended: at once where the service ended it, else by the next poll
 * @returns what ends the watching
 */
export function watchSession(hub: Hub, sessionId: string, end: () => void): () => void {
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
    // Nobody was notified of what ended it between that check and now.
    await retryUntil('a session could not be read', check, () => over);
  }

  begin().catch((error: unknown) => log.debug({ error }, 'a session is not watched any more'));
  return stop;
}

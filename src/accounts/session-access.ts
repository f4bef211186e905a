import DataLoader from 'dataloader';
import { loadViewersOfSessions } from './session-data.ts';
import type { Viewer } from '../kernel/context.ts';

/** Who a session stood for at a moment. */
export interface Access {
  /** Null where the session has ended. */
  viewer: Viewer | null;
  /** Clock of the process, in milliseconds, just before the database was asked. */
  at: number;
}

/** Looks sessions up in one statement for all that are asked for at about the same time, each once; it keeps nothing. */
const sessions: DataLoader<string, Access> = new DataLoader(
  async (ids) => {
    // Whoever asks from now on is told of a later moment.
    sessions.clearAll();
    const at = performance.now();
    const viewers = await loadViewersOfSessions([...ids]);
    return ids.map((id) => ({ viewer: viewers.get(id) ?? null, at }));
  },
  { maxBatchSize: 1000, batchScheduleFn: (send) => void setImmediate(send) },
);

/** Reads who a session stands for and which spaces they are a member of. */
export const readAccess = (sessionId: string): Promise<Access> => sessions.load(sessionId);

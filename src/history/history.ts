import type { Connections } from '../platform/database.ts';
import { setRetention } from './retention-data.ts';

declare module '../platform/services.ts' {
  interface Services {
    history: History;
  }
}

interface History {
  /** Days that images are kept. 0 if none are. */
  readonly retentionDays: number;
}

/** @param days that images are kept */
export async function openHistory(connections: Connections, days: number): Promise<History> {
  await setRetention(connections, days);
  return { retentionDays: days };
}

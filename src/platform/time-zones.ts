import { LRUCache } from 'lru-cache';

/** Canonical names by the names that users entered. */
const zones = new LRUCache<string, string>({ max: 1000, memoMethod: findZone });

function findZone(timeZone: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone;
  } catch {
    return 'UTC';
  }
}

/**
 * Returns the name of a time zone for Temporal, which refuses a few aliases that `Intl` accepts, such as `PST`. UTC if
 * the zone is unknown to this process.
 */
export const zoneNamed = (timeZone: string): string => zones.memo(timeZone);

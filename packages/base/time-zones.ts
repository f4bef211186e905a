import { LRUCache } from 'lru-cache';

/** @returns undefined if the zone is unknown to this process */
function canonicalName(timeZone: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

export const isTimeZone = (name: string): boolean => canonicalName(name) !== undefined;

/** Canonical names by the names that users entered. */
const zones = new LRUCache<string, string>({ max: 1000, memoMethod: (name) => canonicalName(name) ?? 'UTC' });

/**
 * Returns the name of a time zone for Temporal, which refuses a few aliases that `Intl` accepts, such as `PST`. UTC if
 * the zone is unknown to this process.
 */
export const zoneNamed = (timeZone: string): string => zones.memo(timeZone);

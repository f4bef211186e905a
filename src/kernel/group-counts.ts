/** Whose work it is: a key, or a narrow one and the groups around it, from narrow to wide, such as a client and its networks. */
export type FairKey = string | FairKeys;

/** A key and the groups around it, from narrow to wide. */
export type FairKeys = readonly [key: string, ...groups: string[]];

export const keysOf = (key: FairKey): FairKeys => (typeof key === 'string' ? [key] : key);

/** A group of keys may have this many times the share of a key in it; the group around it the same again. */
const groupFactor = 4;

/** What a group may have where a key may have the quota. @param width 0: it is the key itself */
export const quotaOfGroup = (quota: number, width: number): number => quota * groupFactor ** width;

/** Counts what keys have, in whole numbers, and the groups around them, such as clients and their networks. What has nothing takes no memory. */
export class GroupCounts {
  readonly #counts = new Map<string, number>();

  of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  /** Whether so much more is within the quota of the key, and of each group around it. @param keys from narrow to wide */
  hasRoom(keys: readonly string[], more: number, quota: number): boolean {
    return keys.every((key, width) => this.of(key) + more <= quotaOfGroup(quota, width));
  }

  /** Adds until it is given back. @returns what gives it back; called again it does nothing */
  take(keys: readonly string[], more: number): () => void {
    let taken = more;
    this.add(keys, more);
    return () => {
      this.add(keys, -taken);
      taken = 0;
    };
  }

  add(keys: readonly string[], more: number): void {
    for (const key of keys) {
      const count = this.of(key) + more;
      if (count > 0) this.#counts.set(key, count);
      else this.#counts.delete(key);
    }
  }
}

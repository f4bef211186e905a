/** A key with the groups around it, narrow to wide, such as a client and its networks. */
export type FairKey = string | FairKeys;

export type FairKeys = readonly [key: string, ...groups: string[]];

export const keysOf = (key: FairKey): FairKeys => (typeof key === 'string' ? [key] : key);

/** The quota of each wider group grows by this factor. */
const groupFactor = 4;

export const quotaOfGroup = (quota: number, width: number): number => quota * groupFactor ** width;

/** Counts of keys and of their groups. A count of zero takes no memory. */
export class GroupCounts {
  readonly #counts = new Map<string, number>();

  get(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  /** Whether all quotas have room. */
  hasRoom(keys: readonly string[], more: number, quota: number): boolean {
    return keys.every((key, width) => this.get(key) + more <= quotaOfGroup(quota, width));
  }

  /** Adds. @returns a function that subtracts it, once */
  take(keys: readonly string[], more: number): () => void {
    let remaining = more;
    this.add(keys, more);
    return () => {
      this.add(keys, -remaining);
      remaining = 0;
    };
  }

  add(keys: readonly string[], more: number): void {
    for (const key of keys) {
      const count = this.get(key) + more;
      if (count > 0) this.#counts.set(key, count);
      else this.#counts.delete(key);
    }
  }
}

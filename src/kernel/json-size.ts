/** Bytes of a value that is no list and no object, a sixth of its JSON or more: `\u0001` is one code unit. */
const estimate = (leaf: unknown) => (typeof leaf === 'string' ? leaf.length + 2 : 5);
const maxBytesPerUnit = 6;

/** Its bytes as JSON; what is undefined is left out of objects, and `null` in lists. */
const measure = (leaf: unknown) => Buffer.byteLength(leaf === undefined ? 'null' : JSON.stringify(leaf));

/** Sums up the leaves and the punctuation between them; stops beyond `max`. */
function sum(value: unknown, max: number, bytesOf: (leaf: unknown) => number): number {
  let bytes = 0;
  const add = (each: unknown): void => {
    if (each === null || typeof each !== 'object') {
      bytes += bytesOf(each);
    } else if (Array.isArray(each)) {
      bytes += Math.max(2, each.length + 1);
      for (const entry of each) {
        if (bytes > max) return;
        add(entry);
      }
    } else {
      const before = (bytes += 1);
      // Values of GraphQL's have no enumerable properties but their own.
      for (const name in each) {
        if (bytes > max) return;
        bytes += name.length + 4;
        add((each as Record<string, unknown>)[name]);
      }
      if (bytes === before) bytes += 1;
    }
  };
  add(value);
  return bytes;
}

/**
 * How many bytes a value of GraphQL's, whose names are in ASCII, has as JSON, without writing it: what is too large to be
 * written is found out before. Exact only near `max`, where it matters; beyond it just more than `max`.
 */
export function jsonSize(value: unknown, max: number): number {
  const estimated = sum(value, max, estimate);
  return estimated * maxBytesPerUnit <= max ? estimated : sum(value, max, measure);
}

/** Quick estimate: at least a sixth of the bytes, because a code unit takes at most six (`\u0001`). */
const estimate = (leaf: unknown) => (typeof leaf === 'string' ? leaf.length + 2 : 5);
const maxBytesPerUnit = 6;

const measure = (leaf: unknown) => Buffer.byteLength(leaf === undefined ? 'null' : JSON.stringify(leaf));

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
      // GraphQL values have no inherited enumerable properties.
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

/** Returns the JSON bytes of a GraphQL value with ASCII names. Exact near `max`; above it, just larger than `max`. */
export function jsonSize(value: unknown, max: number): number {
  const estimated = sum(value, max, estimate);
  return estimated * maxBytesPerUnit <= max ? estimated : sum(value, max, measure);
}

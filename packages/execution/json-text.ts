/** In characters of JSON. A larger piece needs the event loop for milliseconds. */
const pieceLength = 65_536;

/** Estimate of a leaf's characters. */
const leafLength = (leaf: unknown) => (typeof leaf === 'string' ? leaf.length + 2 : 5);

/** Estimate of the characters of a JSON value. It stops beyond `max`. */
export function jsonLength(value: unknown, max: number): number {
  let length = 0;
  const add = (each: unknown): void => {
    if (each === null || typeof each !== 'object') {
      length += leafLength(each);
      return;
    }
    length += 2;
    if (Array.isArray(each)) {
      for (const entry of each) {
        if (length > max) return;
        length += 1;
        add(entry);
      }
      return;
    }
    for (const name in each) {
      if (length > max) return;
      length += name.length + 4;
      add((each as Record<string, unknown>)[name]);
    }
  };
  add(value);
  return length;
}

/** Whether the text should be made in pieces. */
export const isLarge = (value: unknown): boolean => jsonLength(value, pieceLength) > pieceLength;

const isWritten = (value: unknown) => value !== undefined && typeof value !== 'function' && typeof value !== 'symbol';

/** Yields the text of `JSON.stringify` in pieces of up to {@link pieceLength}, or of one value. */
function* piecesOf(value: unknown): Generator<string, void> {
  const isWhole = typeof value !== 'object' || value === null || 'toJSON' in value;
  if (isWhole || !isLarge(value)) {
    yield isWritten(value) ? JSON.stringify(value) : 'null';
    return;
  }
  let isFirst = true;
  const separator = () => {
    const text = isFirst ? '' : ',';
    isFirst = false;
    return text;
  };
  if (Array.isArray(value)) {
    yield '[';
    for (const entry of value) {
      yield separator();
      yield* piecesOf(entry);
    }
    yield ']';
    return;
  }
  yield '{';
  for (const [name, entry] of Object.entries(value)) {
    if (!isWritten(entry)) continue;
    yield `${separator()}${JSON.stringify(name)}:`;
    yield* piecesOf(entry);
  }
  yield '}';
}

/** Yields the text of `JSON.stringify` in buffers, after a pause before each one but the first. */
export async function* jsonBuffers(value: unknown, pause: () => Promise<void>): AsyncGenerator<Buffer, void> {
  let text = '';
  for (const piece of piecesOf(value)) {
    if (text.length > 0 && text.length + piece.length > pieceLength) {
      yield Buffer.from(text);
      await pause();
      text = '';
    }
    text += piece;
  }
  yield Buffer.from(text);
}

/** Returns the text of `JSON.stringify`. @param pause lets others use the event loop */
export async function jsonBytes(value: unknown, pause: () => Promise<void>): Promise<Buffer> {
  const buffers: Buffer[] = [];
  for await (const buffer of jsonBuffers(value, pause)) buffers.push(buffer);
  // Unpooled: a few cached bytes would keep a whole pool alive.
  const bytes = Buffer.allocUnsafeSlow(buffers.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const buffer of buffers) at += buffer.copy(bytes, at);
  return bytes;
}

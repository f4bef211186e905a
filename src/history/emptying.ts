import type { Connections } from '../platform/database.ts';
import { inTurn } from '../platform/transaction.ts';
import * as data from './emptying-data.ts';

/** Entities per statement, which takes some 50 ms. */
const batchSize = 1000;

/** Entities per search for images. */
const searchSize = 10_000;

/** A batch has several small rows, or one large row. */
function* batchesOf(rows: readonly data.RowKey[]): Generator<data.RowKey[]> {
  let [batch, size]: [data.RowKey[], number] = [[], 0];
  for (const row of rows) {
    if (batch.length > 0 && size + row.size > batchSize) {
      yield batch;
      [batch, size] = [[], 0];
    }
    batch.push(row);
    size += row.size;
  }
  if (batch.length > 0) yield batch;
}

/**
 * Erases the images of emptied entries, in short statements that lock no space. The background work continues an
 * interrupted emptying.
 * @param from spaces of one emptying; null for every emptying
 * @param maxMs milliseconds until it leaves the rest to the background work
 */
export async function eraseEmptied(
  connections: Connections,
  from: readonly string[] | null = null,
  maxMs = Infinity,
): Promise<void> {
  const end = performance.now() + maxMs;
  const isLate = () => performance.now() >= end;
  const turn = <Result>(work: () => Promise<Result>) =>
    inTurn(connections, [], work, from?.[0] === undefined ? {} : { id: from[0] });
  while (await turn(() => data.markWithin(connections, from, batchSize))) if (isLate()) return;
  for (;;) {
    const marked = await data.findMarked(connections, from, searchSize);
    const [first] = marked;
    if (!first) return;
    const ids = marked.map(({ id }) => id);
    for (const rows of batchesOf(await data.findRows(connections, ids, first.from))) {
      if (isLate()) return;
      await turn(() => data.eraseImages(connections, rows, ids));
    }
    await turn(() => data.noteErased(connections, ids));
  }
}

import { unauthenticated } from '@taskgate/base';
import type { CompiledSelection } from '@taskgate/nested-read';
import { type Context, signedIn } from '../platform/context.ts';
import { requireRights } from '../platform/policy.ts';
import { inStreamTurn } from '../tasks/rules.ts';
import * as data from './data.ts';

export { exportedAs, type ExportedKinds, exportedLists } from './data.ts';

export interface Export<Todo> {
  /** Hash of the data that no revision covers. */
  version: string;
  /** `user` and `preferences`. */
  account: unknown;
  /** The lists in batches. Must be read to the end, or returned. */
  lists: AsyncGenerator<data.ExportBatch<Todo>, void>;
}

/**
 * Sends the viewer's data while it is read, in its turn among the streamed lists.
 * @throws UNAVAILABLE, UNAUTHENTICATED, FORBIDDEN; the reason of the context's signal
 */
export const sendExport = <Todo>(
  context: Context,
  todo: CompiledSelection<Todo>,
  kinds: data.ExportedKinds,
  send: (all: Export<Todo>) => Promise<void>,
): Promise<void> =>
  inStreamTurn(context, async (own) => {
    requireRights(signedIn(own).credential, 'all');
    const lists = data.readExport(own, todo, kinds);
    try {
      const first = await lists.next();
      const [row] = first.done ? [] : (first.value.rows ?? []);
      if (!row) throw unauthenticated();
      await send({ version: row.version ?? '', account: row.record, lists });
    } finally {
      await lists.return();
    }
  });

import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { type LockHolder, openLockHolder } from '../kit/locks.ts';
import { LogStage } from './log-stage.ts';

const number = fc.nat(3);
const anyAction = fc.oneof(
  { arbitrary: fc.record({ what: fc.constant('write' as const), number, startsPart: fc.boolean() }), weight: 4 },
  { arbitrary: fc.record({ what: fc.constantFrom('commit' as const, 'roll back' as const), number }), weight: 3 },
  {
    arbitrary: fc.record({
      what: fc.constant('read' as const),
      name: fc.constantFrom('one' as const, 'two' as const),
      limit: fc.integer({ min: 1, max: 3 }),
    }),
    weight: 3,
  },
);
type Action = typeof anyAction extends fc.Arbitrary<infer Value> ? Value : never;

/** An open transaction, with the changes that it has written. */
interface Writer {
  holder: LockHolder;
  part: number;
  ids: string[];
}

test('each reader of the log reads each change once, in any order of writes, commits and pages', async () => {
  const stage = await LogStage.open();
  const readers = { one: await stage.currentReader('one'), two: await stage.currentReader('two') };
  let changes = 0;

  async function run(actions: readonly Action[]): Promise<void> {
    await stage.sql('TRUNCATE seen');
    const writers = new Map<number, Writer>();
    const committed: string[] = [];
    const end = async (of: number, { ids, holder }: Writer, isCommitted: boolean) => {
      writers.delete(of);
      if (isCommitted) committed.push(...ids);
      else await holder.sql('ROLLBACK');
      await holder.release();
    };
    for (const action of actions) {
      if (action.what === 'read') {
        await stage.readPage(readers[action.name], action.limit);
        continue;
      }
      const open = writers.get(action.number);
      if (action.what !== 'write') {
        if (open) await end(action.number, open, action.what === 'commit');
        continue;
      }
      const writer = open ?? { holder: await openLockHolder(stage), part: 0, ids: [] };
      writers.set(action.number, writer);
      if (action.startsPart) writer.part += 1;
      const id = `change ${(changes += 1)}`;
      await stage.write(id, { by: writer.holder, part: writer.part });
      writer.ids.push(id);
    }
    for (const [of, writer] of writers) await end(of, writer, true);
    for (const [name, reader] of Object.entries(readers)) {
      await stage.readAll(reader, 2);
      expect((await stage.seenBy(name)).sort()).toEqual(committed.toSorted());
    }
  }

  await fc.assert(fc.asyncProperty(fc.array(anyAction, { minLength: 20, maxLength: 40 }), run), { numRuns: 10 });
  await stage.close();
});

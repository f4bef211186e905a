import { describe, expect, test } from '@jest/globals';
import { checkChanges, checkWrites, type LoggedChange } from './checker.ts';
import { type Effect, Effects } from './effects.ts';
import type { SentWrite } from './load.ts';
import { rest } from './requests.ts';

const person = { user: { id: 'user_anna' }, tags: ['tag_a', 'tag_b'] };

const sent = (write: Partial<SentWrite>): SentWrite => ({
  ...{ request: rest('PATCH', '/'), person, outcome: 'acknowledged' as const },
  ...write,
});

async function found(write: Partial<SentWrite>, committed: Partial<Effect>[]): Promise<string[]> {
  const effects = await Effects.start(() => Promise.resolve([]));
  for (const [index, each] of committed.entries()) {
    const first = { number: index + 1, transaction: '1', id: 'task_a', kind: 'WRITTEN' as const };
    effects.add({ ...first, mark: 'one', spaceId: person.user.id, ...each });
  }
  return checkWrites([sent(write)], effects).problems.map((problem) => problem.split(':')[0] ?? '');
}

describe('checkWrites', () => {
  const columns = { title: 'new', completed: true, tags: ['tag_a', 'tag_of_ben'] };

  test.each<[string, Partial<SentWrite>, Partial<Effect>[]]>([
    ['an acknowledged write that exists once', { mark: 'one' }, [{}]],
    ['two tasks of one transaction', { mark: 'one' }, [{}, { id: 'task_b' }]],
    ['a refused write without an effect', { mark: 'one', outcome: 'refused' }, []],
    ['an unknown write that is absent', { mark: 'one', outcome: 'unknown' }, []],
    ['an unknown write that exists', { mark: 'one', outcome: 'unknown' }, [{}]],
    ['an acknowledged deletion', { deletes: 'task_a' }, [{ kind: 'GONE' }]],
    ['all columns of a write', { mark: 'one', columns: { title: 'new', tags: ['tag_a'] } }, [{ columns }]],
  ])('finds nothing in %s', async (_label, write, committed) => {
    expect(await found(write, committed)).toEqual([]);
  });

  test.each<[string, string, Partial<SentWrite>, Partial<Effect>[]]>([
    ['a lost write', 'lost', { mark: 'one' }, [{ mark: 'other' }]],
    ['a lost deletion', 'lost', { deletes: 'task_a' }, [{}]],
    ['a doubled write', 'twice', { mark: 'one' }, [{}, { transaction: '2', id: 'task_b' }]],
    ['an unknown write that is doubled', 'twice', { mark: 'one', outcome: 'unknown' }, [{}, { transaction: '2' }]],
    ['the effect of a refused write', 'twice', { mark: 'one', outcome: 'refused' }, [{}]],
    ['the effect of a write that was never sent', 'twice', { mark: 'one', outcome: 'unsent' }, [{}]],
    ['a write with another column', 'in part', { mark: 'one', columns: { completed: false } }, [{ columns }]],
    ['a write with a tag too many', 'in part', { mark: 'one', columns: { tags: [] } }, [{ columns }]],
    ['a write without a tag', 'in part', { mark: 'one', columns: { tags: person.tags } }, [{ columns }]],
  ])('finds %s', async (_label, kind, write, committed) => {
    expect(await found(write, committed)).toEqual([kind]);
  });
});

describe('checkChanges', () => {
  const at = new Date(0);
  const [received, other] = [`task_a ${at.toISOString()}`, `task_b ${at.toISOString()}`];
  const logged: LoggedChange = { task_id: 'task_a', at, due: true, must: true };

  test.each<[string, string[], LoggedChange[]]>([
    ['one change', [received], [logged]],
    ['two transactions at the same time', [received, received], [logged, logged]],
    ['a change of a task that is gone', [], [{ ...logged, must: false }]],
    ['a later change', [], [{ ...logged, due: false }]],
  ])('finds nothing in %s', (_label, changes, log) => {
    expect(checkChanges(changes, log)).toEqual({ problems: [], later: [] });
  });

  test('keeps a received change that belongs to the next check', () => {
    expect(checkChanges([received], [{ ...logged, due: false }])).toEqual({ problems: [], later: [received] });
  });

  test.each<[string, string[], LoggedChange[], string]>([
    ['a change that is missing', [], [logged], `missed: ${received}`],
    ['one of two changes that is missing', [received], [logged, logged], `missed: ${received}`],
    ['a change that arrives twice', [received, received], [logged], `received twice: ${received}`],
    ['a change that is not in the log', [received, other], [logged], `received twice: ${other}`],
  ])('finds %s', (_label, changes, log, problem) => {
    expect(checkChanges(changes, log).problems).toEqual([problem]);
  });
});

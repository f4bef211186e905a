import { describe, expect, test } from '@jest/globals';
import { type ClaimEvent, Claims } from './claims.ts';
import { type Effect, Effects } from './effects.ts';
import type { SentWrite } from './load.ts';
import { rest } from './requests.ts';

const person = { user: { id: 'user_anna' }, tags: [] };
const claim = { fence: '7', taskId: 'task_a' };
const claiming = { person, outcome: 'acknowledged' as const, request: rest('POST', '/api/v2/claims'), claim };
const writing: SentWrite = {
  ...{ person, outcome: 'acknowledged', request: rest('PATCH', '/'), mark: 'one', fence: '7', isByAgent: true },
};
const unknown = { ...claiming, outcome: 'unknown' as const, claim: undefined };

const begun = (fence = '7', transaction = '1', taskId = claim.taskId) =>
  ({ kind: 'BEGUN', transaction, fence, taskId, userId: person.user.id }) as const;
const ended = (fence = '7', transaction = '2') => ({ ...begun(fence, transaction), kind: 'ENDED' as const });
const effect = (transaction: string) => ({ transaction, mark: 'one' });

/** @param committed claims and effects, in their order. @returns the kinds of the problems */
async function found(
  writes: readonly SentWrite[],
  committed: readonly (Omit<ClaimEvent, 'number'> | ReturnType<typeof effect>)[],
): Promise<(string | undefined)[]> {
  const effects = await Effects.start(() => Promise.resolve([]));
  const claims = new Claims();
  const entity: Pick<Effect, 'id' | 'kind' | 'spaceId'> = { id: 'task_a', kind: 'WRITTEN', spaceId: 'user_anna' };
  for (const [number, each] of committed.entries())
    if ('fence' in each) claims.add({ ...each, number });
    else effects.add({ ...entity, ...each, number });
  return claims.check(writes, effects).map((problem) => problem.split(':')[0]);
}

describe('claims', () => {
  test.each<[string, SentWrite[], Parameters<typeof found>[1]]>([
    ['an acknowledged claim', [claiming], [begun()]],
    ['an unknown claim', [unknown], [begun()]],
    [
      'a claim after the end of another',
      [claiming, { ...claiming, claim: { ...claim, fence: '9' } }],
      [begun(), ended(), begun('9', '3')],
    ],
    ['a write under a fence', [claiming, writing], [begun(), effect('2'), ended('7', '3')]],
    ['a write that ends its claim', [claiming, writing], [begun(), ended('7', '2'), effect('2')]],
    ['a refused write', [claiming, { ...writing, outcome: 'refused' }], [begun(), ended()]],
  ])('are well in %s', async (_label, writes, committed) => {
    expect(await found(writes, committed)).toEqual([]);
  });

  test.each<[string, string[], SentWrite[], Parameters<typeof found>[1]]>([
    ['two claims on a task', ['two holders'], [unknown, unknown], [begun(), begun('8')]],
    ['a claim for two callers', ['two holders'], [claiming, claiming], [begun()]],
    ['a smaller fence', ['smaller fence'], [unknown, unknown], [begun('9'), ended('9'), begun('8', '3')]],
    ['a claim that is not there', ['lost claim'], [claiming], []],
    ['a claim on another task', ['lost claim'], [claiming], [begun('7', '1', 'task_b')]],
    ['a claim that nobody asked for', ['foreign claim'], [unknown], [begun(), ended(), begun('8', '3')]],
    ['a write after the end', ['lost fence'], [claiming, writing], [begun(), ended(), effect('3')]],
    ['a write under no claim', ['lost fence'], [writing], [effect('3')]],
    ['a write of a session', ['lost fence'], [claiming, { ...writing, isByAgent: false }], [begun(), effect('3')]],
    [
      'a write of another agent',
      ['lost fence'],
      [claiming, { ...writing, person: { ...person, user: { id: 'user_ben' } } }],
      [begun(), effect('3')],
    ],
  ])('show %s', async (_label, problems, writes, committed) => {
    expect(await found(writes, committed)).toEqual(problems);
  });
});

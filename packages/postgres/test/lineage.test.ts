import { expect, test } from '@jest/globals';
import { type Lineage, objectionTo } from '../lineage.ts';

const primary: Lineage = { system: 'one', isStandby: false, timeline: 3, startedAt: '100' };
const standby: Lineage = { system: 'one', isStandby: true, timeline: 3, startedAt: '200' };

test.each([
  ['a standby on the timeline of the primary', standby, primary, undefined],
  ['a standby on an earlier timeline', { ...standby, timeline: 2 }, primary, 'timeline'],
  ['a standby on a later timeline', { ...standby, timeline: 4 }, primary, 'timeline'],
  ['a standby of another system', { ...standby, system: 'other' }, primary, 'system'],
  ['a server that takes writes', { ...standby, isStandby: false }, primary, 'not_standby'],
  ['the primary', primary, primary, 'primary'],
  ['a standby if DATABASE_URL leads to a standby', standby, standby, 'unknown'],
  ['a standby before the primary has described itself', standby, undefined, 'unknown'],
] as const)('%s', (_server, server, lastKnown, objection) => {
  expect(objectionTo(server, lastKnown)).toBe(objection);
});

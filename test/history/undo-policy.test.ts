import { describe, expect, test } from '@jest/globals';
import { type CommentFacts, whyNotUndo } from '../../src/history/undo-policy.ts';
import type { Viewer } from '../../src/platform/context.ts';
import { type Role, roles } from '../../src/platform/roles.ts';

const [home, other, workspace] = ['user_anna', 'user_ben', 'work_team'];
const anna = { id: home, inboxId: 'proj_inbox', credential: { rights: 'all' } } as Viewer;

describe('an undo', () => {
  const actions = ['create', 'update', 'delete'] as const;
  const withRole = (role: Role): Viewer => ({ ...anna, roles: new Map([[workspace, role]]) });
  const change = { id: 'one', spaceId: workspace, authorId: home, spaceIds: [workspace] };

  test.each([
    ['TASK', 'EDITOR'],
    ['COMMENT', 'COMMENTER'],
  ] as const)('of a change to a %s needs the role %s', (type, needed) => {
    for (const role of roles)
      for (const action of actions) {
        const refusal = whyNotUndo(withRole(role), { action, type, ...change });
        expect([role, refusal]).toEqual([
          role,
          roles.indexOf(role) >= roles.indexOf(needed) ? undefined : `This needs the role ${needed} in the workspace`,
        ]);
      }
  });

  test('needs the role in each space that the viewer sees', () => {
    const viewer = {
      ...withRole('VIEWER'),
      roles: new Map<string, Role>([
        [workspace, 'VIEWER'],
        [home, 'ADMIN'],
      ]),
    };
    const refusalIn = (...spaceIds: string[]) =>
      whyNotUndo(viewer, { action: 'update', type: 'TASK', ...change, spaceIds });
    expect([refusalIn(home), refusalIn(other), refusalIn()]).toEqual([undefined, undefined, undefined]);
    expect(refusalIn(home, other, workspace)).toBe('This needs the role EDITOR in the workspace');
  });

  const onlyAuthor = 'Only its author may undo this';
  test.each<[Role, author: string, expected: (string | undefined)[]]>([
    ['COMMENTER', home, [undefined, undefined, undefined]],
    ['EDITOR', other, ['Only its author, or an administrator of the workspace, may undo this', onlyAuthor, onlyAuthor]],
    ['ADMIN', other, [undefined, onlyAuthor, onlyAuthor]],
  ])('by the %s of a comment of %s', (role, authorId, expected) => {
    const refusals = (facts?: CommentFacts) =>
      actions.map((action) => whyNotUndo(withRole(role), { action, type: 'COMMENT', ...change, authorId }, facts));
    expect(refusals()).toEqual(expected);
    expect(refusals({ isWithin: true })).toEqual([undefined, undefined, undefined]);
    // Its undo deletes it, as the undo of a deletion creates it.
    expect(refusals({ wasBroughtBack: true })[2]).toBe(expected[0]);
  });
});

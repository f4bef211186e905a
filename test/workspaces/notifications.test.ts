import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { ChangeHint } from '../../src/platform/change-hint.ts';
import { addMember, makeWorkspace } from '../kit/make.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';

let service: Service;
let anna: User;
let ben: User;
/** Users with a notification. Without it they would learn of the change by the next poll. */
let notified: string[];

beforeAll(async () => {
  service = await sharedService();
  const { services } = service;
  const notify = services.notifyChanged;
  services.notifyChanged = (hint: ChangeHint) => {
    notified.push(...(hint.users ?? []));
    notify(hint);
  };
  [anna, ben] = [await signUp(service), await signUp(service)];
});
beforeEach(() => void (notified = []));

test('a user who creates or deletes a workspace is notified', async () => {
  const { id } = await makeWorkspace(anna);
  expect(notified.splice(0)).toContain(anna.id);
  await anna.data('mutation ($id: ID!) { deleteWorkspace(id: $id) }', { id });
  expect(notified).toContain(anna.id);
});

test('a user who joins, leaves or is removed is notified', async () => {
  const { id } = await makeWorkspace(anna);
  await addMember(anna, id, ben);
  expect(notified.splice(0)).toContain(ben.id);
  await anna.data('mutation ($id: ID!, $user: ID!) { removeWorkspaceMember(workspaceId: $id, userId: $user) { id } }', {
    id,
    user: ben.id,
  });
  expect(notified.splice(0)).toContain(ben.id);
  await addMember(anna, id, ben);
  notified = [];
  await ben.data('mutation ($id: ID!) { leaveWorkspace(id: $id) }', { id });
  expect(notified).toContain(ben.id);
});

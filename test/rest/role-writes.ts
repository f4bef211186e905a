import { routes } from '../../rest/routes.ts';
import { type Role, roles } from '../../src/platform/roles.ts';
import { newId } from '../../src/platform/ids.ts';
import type { Client } from '../kit/client.ts';
import { fileOf } from '../docs/page.ts';
import type { WorldTargets } from '../workspaces/role-world.ts';
import { callRest, resolve } from './parity-accounts.ts';
import { inputs, type ParityRequest } from './parity-inputs.ts';

const { paths } = JSON.parse(await fileOf('openapi.json')) as { paths: Record<string, object> };

/** Every write of the OpenAPI document. */
export const writes = Object.entries(paths).flatMap(([path, methods]) =>
  Object.keys(methods)
    .filter((method) => method !== 'get')
    .map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
);

/** The writes by the least role for them. `nobody`: the workspace has other members. `account`: they reach no space. */
export const writesByRole: Record<Role | 'nobody' | 'account', string[]> = {
  VIEWER: [
    ...['POST /api/v2/tag', 'PATCH /api/v2/tag/:id', 'DELETE /api/v2/tag/bulk', 'POST /api/v2/workspaces'],
    ...['POST /api/v2/invitations/:id/accept', 'POST /api/v2/invitations/:id/decline'],
    ...['PUT /api/v2/todo/:id/muted', 'POST /api/v2/notifications/read'],
  ],
  COMMENTER: ['POST /api/v2/todo/:id/comments', 'PATCH /api/v2/comments/:id', 'DELETE /api/v2/comments/:id'],
  EDITOR: [
    ...['POST /api/v2/projects', 'PUT /api/v2/projects/:id', 'DELETE /api/v2/projects/:id'],
    ...['POST /api/v2/projects/:id/sections', 'PATCH /api/v2/projects/:id/sections/:sectionId'],
    'DELETE /api/v2/projects/:id/sections/:sectionId',
    ...['POST /api/v2/todo', 'PATCH /api/v2/todo/:id', 'DELETE /api/v2/todo/:id', 'POST /api/v2/todo/:id/move'],
    ...['PATCH /api/v2/todo/bulk', 'DELETE /api/v2/todo/bulk', 'POST /api/v2/todo/:id/skip'],
    ...['PUT /api/v2/todo/:id/recurrence', 'DELETE /api/v2/todo/:id/recurrence'],
    ...['PUT /api/v2/todo/:id/assignees/:userId', 'DELETE /api/v2/todo/:id/assignees/:userId'],
    ...['POST /api/v2/claims', 'POST /api/v2/claims/:fence/renew', 'DELETE /api/v2/claims/:fence'],
    ...['POST /api/v2/operations/:id/undo', 'POST /api/v2/trash/restore'],
  ],
  ADMIN: [
    ...['PUT /api/v2/workspaces/:id', 'POST /api/v2/workspaces/:id/invitations'],
    'DELETE /api/v2/workspaces/:id/invitations/:invitationId',
    ...['PUT /api/v2/workspaces/:id/members/:userId', 'DELETE /api/v2/workspaces/:id/members/:userId'],
  ],
  nobody: ['DELETE /api/v2/workspaces/:id'],
  account: [
    ...['POST /api/v1/user/signup/send-otp', 'POST /api/v1/user/signup/verify', 'POST /api/v1/user/signin'],
    ...['POST /api/v1/user/logout', 'POST /api/v1/user/password/send-otp', 'POST /api/v1/user/password/reset'],
    ...['POST /api/v1/user/profile', 'PUT /api/v1/user/name', 'PUT /api/v1/user/password', 'DELETE /api/v1/user'],
    ...['PUT /api/v1/user/user-preferences', 'PATCH /api/v1/user/user-preferences'],
    ...['DELETE /api/v1/user/sessions', 'DELETE /api/v1/user/sessions/:id', 'POST /api/v1/auth/:provider/link'],
    ...['POST /api/v2/webhooks', 'PATCH /api/v2/webhooks/:id', 'DELETE /api/v2/webhooks/:id'],
    ...['POST /api/v2/webhooks/:id/secret', 'POST /api/v2/webhooks/:id/test'],
  ],
};

export const writesAllowedTo = (role: Role) =>
  roles.slice(0, roles.indexOf(role) + 1).flatMap((each) => writesByRole[each]);

export const writesRefusedTo = (role: Role) => [
  ...roles.slice(roles.indexOf(role) + 1).flatMap((each) => writesByRole[each]),
  ...writesByRole.nobody,
];

/** Requests instead of the examples, which would change nothing or nothing in the workspace. */
const requests: Record<string, Partial<ParityRequest>> = {
  'POST /api/v2/projects': { body: { name: 'Garden', workspaceId: '<workspace>' } },
  'POST /api/v2/todo/:id/move': { path: { id: '<task 1>' }, body: { after: '<task 2>' } },
  'DELETE /api/v2/todo/:id/recurrence': { path: { id: '<task 2>' } },
  'DELETE /api/v2/todo/:id/assignees/:userId': { path: { id: '<task 2>', userId: '<user>' } },
};

const namesOf = (targets: WorldTargets) =>
  new Map([
    ...['<task 1>', '<doomed task>'].map((name) => [name, targets.taskId] as const),
    ...['<task 2>', '<repeating task>'].map((name) => [name, targets.otherTaskId] as const),
    ...['<task 3>', '<task 4>', '<no task>'].map((name) => [name, newId('Task')] as const),
    ...['<project 1>', '<doomed project>'].map((name) => [name, targets.projectId] as const),
    ...['<section 1>', '<doomed section>'].map((name) => [name, targets.sectionId] as const),
    ...['<tag 1>', '<tag 2>', '<doomed tag>'].map((name) => [name, targets.tagId] as const),
    ...['<workspace>', '<doomed workspace>', '<joined workspace>'].map((name) => [name, targets.workspaceId] as const),
    ['<no tag>', newId('Tag')],
    ['<key 2>', 'a0'],
    ['<doomed comment>', targets.commentId],
    ['<open invitation>', targets.invitationId],
    ['<sent invitation>', targets.revocableId],
    ['<user>', targets.userId],
    ['<deleted task>', targets.deletedId],
    ['<deletion>', targets.operationId],
    ['<claim 1>', targets.fence],
  ]);

/** Sends the example of a write, or its own request, about the targets. */
export async function send(name: string, client: Client, targets: WorldTargets) {
  const row = routes.find(({ method, path }) => name === `${method.toUpperCase()} ${path}`);
  if (!row || row.raw) throw new Error(`${name} is no operation`);
  const request = { as: 'user' as const, path: {}, query: {}, body: {}, ...inputs[name]?.example, ...requests[name] };
  return callRest(row, client, resolve(request, { names: namesOf(targets) }));
}

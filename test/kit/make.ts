import type { Role } from '../../src/platform/roles.ts';
import type { Answer, Client } from './client.ts';
import { randomName } from './random.ts';
import type { User } from './users.ts';

export interface RestTask {
  id: string;
  title: string;
  description: string | null;
  priority: string | null;
  dueDate: string | null;
  dueTime: string | null;
  isAllDay: boolean | null;
  completed: boolean;
  completedAt: string | null;
  color: string | null;
  sortKey: string;
  reminder: boolean;
  parentId: string | null;
  projectId: string | null;
  projectSectionId: string | null;
}

export interface ListedTask extends RestTask {
  tags: RestTag[];
  children: ListedTask[];
}

export interface RestTag {
  id: string;
  name: string;
  color: string;
}

export interface RestProject {
  id: string;
  name: string;
  personal: boolean;
  slug: string | null;
  isDefault: boolean;
  taskDisplayPreferences: { viewMode: string } | null;
}

export interface RestSection {
  id: string;
  name: string;
  sortKey: string;
  projectId: string;
}

export interface RestComment {
  id: string;
  taskId: string;
  author: { id: string; name: string | null; email: string | null; image: string | null } | null;
  text: string;
  createdAt: string;
  editedAt: string | null;
}

type Fields = Record<string, unknown>;

function created<Body>({ status, body }: Answer<Body>): Body {
  if (status !== 201) throw new Error(`making it answered ${status}: ${JSON.stringify(body)}`);
  return body;
}

export async function makeTask(user: Client, fields: Fields = {}): Promise<RestTask> {
  return created(await user.post<{ todo: RestTask }>('/api/v2/todo', { title: randomName('task'), ...fields })).todo;
}

export async function makeTag(user: Client, fields: Fields = {}): Promise<RestTag> {
  return created(await user.post<{ tag: RestTag }>('/api/v2/tag', { name: randomName('tag'), ...fields })).tag;
}

/** Creates a personal project, or one in the workspace `workspaceId`. */
export async function makeProject(user: Client, fields: Fields = {}): Promise<RestProject> {
  const owner = fields['workspaceId'] === undefined ? { personal: true } : {};
  const body = { name: randomName('project'), ...owner, ...fields };
  return created(await user.post<{ project: RestProject }>('/api/v2/projects', body)).project;
}

export async function makeSection(user: Client, projectId: string, fields: Fields = {}): Promise<RestSection> {
  const body = { name: randomName('section'), ...fields };
  return created(await user.post<{ section: RestSection }>(`/api/v2/projects/${projectId}/sections`, body)).section;
}

export async function makeComment(user: Client, taskId: string, fields: Fields = {}): Promise<RestComment> {
  const body = { text: randomName('comment'), ...fields };
  return created(await user.post<{ comment: RestComment }>(`/api/v2/todo/${taskId}/comments`, body)).comment;
}

/** The members are EDITORs. */
export const makeWorkspace = (owner: User, ...members: User[]) => makeWorkspaceOf('EDITOR', owner, members);

export const makeWorkspaceOfAdmins = (...[owner, ...members]: [User, ...User[]]) =>
  makeWorkspaceOf('ADMIN', owner, members);

async function makeWorkspaceOf(role: Role, owner: User, members: User[]): Promise<{ id: string; name: string }> {
  const { createWorkspace } = await owner.data<{ createWorkspace: { id: string; name: string } }>(
    'mutation ($name: String!) { createWorkspace(name: $name) { id name } }',
    { name: randomName('workspace') },
  );
  for (const member of members) await addMember(owner, createWorkspace.id, member, role);
  return createWorkspace;
}

/** @returns the id of the invitation */
export async function invite(
  inviter: Client,
  workspaceId: string,
  email: string,
  role: Role = 'EDITOR',
): Promise<string> {
  const { inviteToWorkspace } = await inviter.data<{ inviteToWorkspace: { id: string } }>(
    `mutation ($id: ID!, $email: String!, $role: WorkspaceRole) {
      inviteToWorkspace(workspaceId: $id, email: $email, role: $role) { id }
    }`,
    { id: workspaceId, email, role },
  );
  return inviteToWorkspace.id;
}

/** Adds a member by an invitation that they accept. */
export async function addMember(inviter: Client, workspaceId: string, member: User, role?: Role): Promise<void> {
  const id = await invite(inviter, workspaceId, member.email, role);
  await member.data('mutation ($id: ID!) { acceptInvitation(id: $id) { id } }', { id });
}

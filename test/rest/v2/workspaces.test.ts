import { beforeAll, describe, expect, test } from '@jest/globals';
import { randomEmail } from '../../kit/random.ts';
import type { Service } from '../../kit/service.ts';
import { sharedService } from '../../kit/shared-service.ts';
import { signUp, type User } from '../../kit/users.ts';

interface Member {
  id: string;
  name: string | null;
  email: string;
  image: string | null;
}
interface Workspace {
  id: string;
  name: string;
  members: Member[];
}
interface Invitation {
  id: string;
}

let service: Service;
let anna: User;
let ben: User;
beforeAll(async () => {
  service = await sharedService();
  [anna, ben] = await Promise.all([signUp(service), signUp(service)]);
});

const path = '/api/v2/workspaces';
const memberOf = ({ id, email }: User): Member => ({ id, name: null, email, image: null });
const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as unknown;
const notFound = { status: 404, body: { code: 'NOT_FOUND' } };
const make = async (user = anna) =>
  (await user.post<{ workspace: Workspace }>(path, { name: ' Garden ' })).body.workspace;
const invite = (id: string, email: string) =>
  anna.post<{ invitation: Invitation }>(`${path}/${id}/invitations`, { email });

describe(path, () => {
  test('creates, lists, renames and deletes a workspace', async () => {
    const carl = await signUp(service);
    const { status, body } = await carl.post<{ workspace: Workspace }>(path, { name: ' Garden ' });
    const createdWorkspace = { id: body.workspace.id, name: 'Garden', members: [memberOf(carl)] };
    expect({ status, body }).toEqual({ status: 201, body: { workspace: createdWorkspace } });
    expect((await carl.get(path)).body).toEqual({ workspaces: [createdWorkspace] });
    const renamed = { ...createdWorkspace, name: 'Yard' };
    expect((await carl.put(`${path}/${createdWorkspace.id}`, { name: 'Yard' })).body).toEqual({ workspace: renamed });
    expect(await carl.post('/api/v2/projects', { name: 'Trees', workspaceId: createdWorkspace.id })).toMatchObject({
      status: 201,
    });
    expect(await carl.delete(`${path}/${createdWorkspace.id}`)).toMatchObject({
      status: 200,
      body: { msg: 'workspace deleted successfully' },
    });
    expect((await carl.get(path)).body).toEqual({ workspaces: [] });
  });

  test('is unknown to others in every request', async () => {
    const { id } = await make();
    const { body } = await invite(id, randomEmail());
    const asked = [
      await ben.put(`${path}/${id}`, { name: 'Mine' }),
      await ben.put(`${path}/${id}`, { name: 7 }),
      await ben.delete(`${path}/${id}`),
      await ben.delete(`${path}/${id}/members/${anna.id}`),
      await ben.get(`${path}/${id}/invitations`),
      await ben.post(`${path}/${id}/invitations`, { email: 'nobody' }),
      await ben.delete(`${path}/${id}/invitations/${body.invitation.id}`),
      await ben.post(`/api/v2/invitations/${body.invitation.id}/accept`),
      await ben.post(`/api/v2/invitations/${body.invitation.id}/decline`),
    ];
    for (const answer of asked) expect(answer).toMatchObject(notFound);
  });

  test('shows invitations to both sides and revokes them, and members join, decline and leave', async () => {
    const { id } = await make();
    const { status, body } = await invite(id, ben.email);
    const { id: invitationId } = body.invitation;
    const invitation = {
      id: invitationId,
      workspaceId: id,
      workspaceName: 'Garden',
      email: ben.email,
      role: 'editor',
      invitedBy: memberOf(anna),
      createdAt: moment,
      expiresAt: moment,
    };
    expect({ status, body }).toEqual({ status: 201, body: { invitation } });
    expect((await anna.get(`${path}/${id}/invitations`)).body).toEqual({ invitations: [invitation] });
    expect((await ben.get('/api/v2/invitations')).body).toEqual({ invitations: [invitation] });
    const other = await make();
    expect(await anna.delete(`${path}/${other.id}/invitations/${invitationId}`)).toMatchObject(notFound);
    expect(await anna.delete(`${path}/${id}/invitations/${invitationId}`)).toMatchObject({
      status: 200,
      body: { msg: 'invitation revoked successfully' },
    });
    const secondInvitation = (await invite(id, ben.email)).body.invitation;
    expect(await ben.post(`/api/v2/invitations/${secondInvitation.id}/decline`)).toMatchObject({
      status: 200,
      body: { msg: 'invitation declined successfully' },
    });
    const third = (await invite(id, ben.email)).body.invitation;
    expect(await ben.post(`/api/v2/invitations/${third.id}/accept`)).toMatchObject({
      status: 200,
      body: { workspace: { id, name: 'Garden', members: [memberOf(anna), memberOf(ben)] } },
    });
    expect(await anna.delete(`${path}/${id}`)).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    expect(await ben.delete(`${path}/${id}/members/${ben.id}`)).toMatchObject({
      status: 200,
      body: { msg: 'member removed successfully' },
    });
    expect((await ben.get(path)).body).toEqual({ workspaces: [] });
    expect(await anna.delete(`${path}/${id}/members/${anna.id}`)).toMatchObject({ status: 403 });
  });

  test('names the field of bad input', async () => {
    const { id } = await make();
    const bad = [
      [await anna.post(path, { name: ' ' }), 'name'],
      [await anna.post(path, { name: 'x', id: 'mine' }), 'id'],
      [await anna.put(`${path}/${id}`, {}), 'name'],
      [await invite(id, anna.email), 'email'],
    ] as const;
    for (const [answer, field] of bad)
      expect(answer).toMatchObject({ status: 400, body: { errors: [{ path: field }] } });
  });
});

import { expect } from '@jest/globals';
import sharp from 'sharp';
import { invite, makeComment, makeProject, makeSection, makeTag, makeTask, makeWorkspace } from '../kit/make.ts';
import { connect, queryFor, registered } from '../kit/application.ts';
import { makeProgram } from '../kit/program.ts';
import { linkBySql } from '../kit/providers.ts';
import { type Service } from '../kit/service.ts';
import { fullTask } from '../kit/task-fields.ts';
import { until } from '../kit/until.ts';
import { type User } from '../kit/users.ts';
import { mustClaim } from '../claims/claims.ts';
import { makeWebhook } from '../webhooks/webhooks.ts';
import { insertPasskey } from './identity-asks.ts';

export async function createFixtures(service: Service, user: User, member: User): Promise<Record<string, string>> {
  const { changes, sync } = await user.data<Record<'changes' | 'sync', { cursor: string }>>(
    '{ changes { cursor } sync { cursor } }',
  );
  const form = new FormData();
  const picture = sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } });
  form.set('name', 'Anna');
  form.set('image', new File([new Uint8Array(await picture.png().toBuffer())], 'me.png'));
  expect(await user.post('/api/v1/user/profile', form)).toMatchObject({ status: 200 });
  await user.data('mutation { updatePreferences(input: { digestTime: "08:30", dailyDigest: true }) { digestTime } }');
  const workspace = await makeWorkspace(user, member);
  await invite(user, workspace.id, 'carla@example.com');
  await invite(member, (await makeWorkspace(member)).id, user.email);
  const shared = await makeProject(user, { workspaceId: workspace.id });
  const project = await makeProject(user, { name: 'Home' });
  await user.put(`/api/v2/projects/${project.id}`, { taskDisplayPreferences: { viewMode: 'board' } });
  const section = await makeSection(user, project.id);
  const tag = await makeTag(user, { name: 'green plants' });
  const task = await makeTask(user, {
    ...fullTask(),
    title: 'Water the plants',
    tags: [tag.id],
    projectId: project.id,
    projectSectionId: section.id,
  });
  const due = { dueDate: '2030-01-01', dueTime: '2030-01-01T09:00:00Z', isAllDay: false };
  const weekly = await makeTask(user, { title: 'Put out the bins', ...due });
  await user.put(`/api/v2/todo/${weekly.id}/recurrence`, { rule: 'FREQ=WEEKLY' });
  const comment = await makeComment(user, task.id, { text: 'All plants?' });
  await user.patch(`/api/v2/comments/${comment.id}`, { text: 'All plants' });
  const child = await makeTask(user, { title: 'Fetch water', parentId: task.id });
  await makeTask(user, { title: 'Fill the can', parentId: child.id });
  const sharedTask = await makeTask(user, { title: 'Plan the year', projectId: shared.id });
  await service.sql('UPDATE tasks SET assignee_ids = $2 WHERE id = $1', [sharedTask.id, [user.id, member.id]]);
  await makeComment(member, sharedTask.id);
  await user.patch(`/api/v2/todo/${child.id}`, { completed: true, title: 'Fetch fresh water' });
  const renamed = await user.patch(`/api/v2/todo/${child.id}`, { title: 'Fetch rain water' });
  const operation = renamed.headers.get('x-operation-id') ?? '';
  expect(await user.post(`/api/v2/operations/${operation}/undo`)).toMatchObject({ status: 200 });
  const deletedTask = await makeTask(user);
  await user.delete(`/api/v2/todo/${deletedTask.id}`, undefined, { headers: { 'Idempotency-Key': 'once' } });
  for (const days of [-1, 0, 1]) {
    const day = new Date(Date.now() + days * 24 * 60 * 60 * 1000);
    await makeTask(user, { reminder: true, dueDate: day.toISOString().slice(0, 10) });
  }
  // A due reminder is skipped, and a mail gives the reason.
  await until('reminders are planned and skipped', async () => {
    const { deliveries } = await user.data<{ deliveries: { status: string }[] }>('{ deliveries { status } }');
    return ['PLANNED', 'SKIPPED', 'SENT'].every((each) => deliveries.some(({ status }) => status === each));
  });
  const expiresAt = new Date(Date.now() + 24 * 60 * 60 * 1000).toISOString();
  await (await makeProgram(service, user, { spaceIds: [user.id], expiresAt })).get('/api/v2/tag');
  await mustClaim(user, weekly.id);
  await connect(service, user, { spaceIds: [user.id] });
  const request = queryFor(await registered(service), { resource: 'https://other.example' });
  // The endpoint does not exist.
  const { webhook } = await makeWebhook(await makeProgram(service, user), 'https://hooks.invalid', {
    fields: ['completed'],
    spaceIds: [user.id],
  });
  await user.post(`/api/v2/webhooks/${webhook.id}/test`);
  await service.sql(
    `UPDATE webhooks SET reason = 'It failed.', failing_since = now(), sent_at = now(), next_at = NULL WHERE id = $1`,
    [webhook.id],
  );
  await service.sql('UPDATE webhook_attempts SET status = 500 WHERE webhook_id = $1', [webhook.id]);
  await linkBySql(service, user.id);
  await insertPasskey(service, user.id);
  const ids = {
    task: task.id,
    project: project.id,
    section: section.id,
    tag: tag.id,
    comment: comment.id,
    workspace: workspace.id,
    operation,
  };
  return { cursor: changes.cursor, synced: sync.cursor, request, ...ids };
}

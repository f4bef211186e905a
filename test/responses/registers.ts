import type { Client } from '../kit/client.ts';
import { makeComment, makeProject, makeSection, makeTag, makeTask, makeWorkspace } from '../kit/make.ts';
import type { Service } from '../kit/service.ts';
import type { User } from '../kit/users.ts';

async function requireSuccess(answer: Promise<{ status: number; body: unknown }>): Promise<void> {
  const { status, body } = await answer;
  if (status >= 300) throw new Error(`a write answered ${status}: ${JSON.stringify(body)}`);
}

export type UserName = 'anna' | 'ben';

/** Writes the next value of a register, from 1. */
export type Write = (clients: Record<UserName, Client>, value: number) => Promise<unknown>;

export interface Read {
  who: UserName;
  /** REST path, or GraphQL document. */
  target: string;
  registers: string[];
}

/**
 * Makes registers in a personal and a shared space. Each uses another transport, and another trigger for the revision.
 * @param maxValue the greatest value
 */
export async function makeRegisters(
  service: Service,
  anna: User,
  ben: User,
  maxValue: number,
): Promise<{ writes: Record<string, Write>; reads: Read[]; workspaceId: string; sharedId: string }> {
  const workspace = await makeWorkspace(anna, ben);
  const project = await makeProject(ben, { workspaceId: workspace.id, name: 'project 0' });
  const section = await makeSection(ben, project.id, { name: 'section 0' });
  const tag = await makeTag(anna, { name: 'tag 0' });
  const own = await makeTask(anna, { title: 'title 0', tags: [tag.id] });
  await makeTask(anna, { title: 'made 0' });
  const shared = await makeTask(anna, { projectId: project.id, title: 'shared 0', description: 'described 0' });
  const foreign = await makeTask(ben, { projectId: project.id, title: 'foreign 0' });
  const comment = await makeComment(ben, shared.id, { text: 'commented 0' });
  const tagged: string[] = [];
  const doomed: string[] = [];
  for (let value = 0; value <= maxValue; value += 1) {
    tagged.push((await makeTag(anna, { name: `tagged ${value}` })).id);
    doomed.push((await makeTask(ben, { projectId: project.id, title: `doomed ${value + 1}` })).id);
  }
  const tagShared = (client: Client, value: number) =>
    requireSuccess(client.patch(`/api/v2/todo/${shared.id}`, { tags: [tagged[value]] }));
  await tagShared(anna, 0);
  await anna.put('/api/v1/user/name', { name: 'name 0' });
  await ben.put('/api/v1/user/user-preferences', { reminderBefore: 0 });

  const describe = 'mutation ($id: ID!, $text: String) { updateTask(id: $id, input: { description: $text }) { id } }';
  const writes: Record<string, Write> = {
    title: (by, value) => requireSuccess(by.anna.patch(`/api/v2/todo/${own.id}`, { title: `title ${value}` })),
    made: (by, value) => requireSuccess(by.anna.post('/api/v2/todo', { title: `made ${value}` })),
    shared: (by, value) => requireSuccess(by.anna.patch(`/api/v2/todo/${shared.id}`, { title: `shared ${value}` })),
    described: (by, value) => by.ben.data(describe, { id: shared.id, text: `described ${value}` }),
    commented: (by, value) =>
      requireSuccess(by.ben.patch(`/api/v2/comments/${comment.id}`, { text: `commented ${value}` })),
    // A write outside the service, as by a migration.
    foreign: (_by, value) => service.sql('UPDATE tasks SET title = $2 WHERE id = $1', [foreign.id, `foreign ${value}`]),
    doomed: (by, value) => requireSuccess(by.ben.delete(`/api/v2/todo/bulk?todoIds=${doomed[value - 1]}`)),
    tag: (by, value) => requireSuccess(by.anna.patch(`/api/v2/tag/${tag.id}`, { name: `tag ${value}` })),
    tagged: (by, value) => tagShared(by.anna, value),
    name: (by, value) => requireSuccess(by.anna.put('/api/v1/user/name', { name: `name ${value}` })),
    reminderBefore: (by, value) =>
      requireSuccess(by.ben.put('/api/v1/user/user-preferences', { reminderBefore: value })),
    project: (by, value) => requireSuccess(by.ben.put(`/api/v2/projects/${project.id}`, { name: `project ${value}` })),
    section: (by, value) =>
      requireSuccess(
        by.ben.patch(`/api/v2/projects/${project.id}/sections/${section.id}`, { name: `section ${value}` }),
      ),
  };

  const sharedRegisters = ['shared', 'described', 'foreign', 'doomed'];
  const annasRegisters = ['title', 'made', 'tag', 'tagged', ...sharedRegisters];
  const tasks = 'tasks(first: 500) { nodes { title description tags { name } } }';
  const reads: Read[] = [
    { who: 'anna', target: '/api/v2/todo', registers: annasRegisters },
    { who: 'anna', target: '/api/v2/todo?completed=false', registers: annasRegisters },
    { who: 'anna', target: '/api/v2/tag', registers: ['tag'] },
    { who: 'anna', target: '/api/v2/projects', registers: ['project'] },
    { who: 'anna', target: `/api/v2/projects/${project.id}/sections`, registers: ['section'] },
    { who: 'anna', target: '/api/v1/user/profile', registers: ['name'] },
    { who: 'anna', target: `/api/v2/todo/${shared.id}/comments`, registers: ['commented'] },
    { who: 'ben', target: '/api/v2/todo', registers: sharedRegisters },
    { who: 'ben', target: '/api/v1/user/user-preferences', registers: ['reminderBefore'] },
    { who: 'ben', target: '/api/v2/projects', registers: ['project'] },
    {
      who: 'anna',
      target: `{ viewer { name } ${tasks} projects { name sections { name } } }`,
      registers: [...annasRegisters, 'name', 'project', 'section'],
    },
    {
      who: 'anna',
      target: '{ tasks(first: 500) { nodes { title comments(first: 5) { nodes { text } } } } }',
      registers: ['title', 'made', 'shared', 'foreign', 'doomed', 'commented'],
    },
    { who: 'anna', target: '{ tags { name } }', registers: ['tag'] },
    {
      who: 'ben',
      target: `{ viewer { preferences { reminderBefore } } ${tasks} projects { name } }`,
      registers: [...sharedRegisters, 'project', 'reminderBefore'],
    },
  ];
  return { writes, reads, workspaceId: workspace.id, sharedId: shared.id };
}

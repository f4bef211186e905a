import type { Client } from '../kit/client.ts';
import { makeProject, makeSection, makeTag, makeTask, makeWorkspace } from '../kit/make.ts';
import type { Service } from '../kit/service.ts';
import type { User } from '../kit/users.ts';

async function done(answer: Promise<{ status: number; body: unknown }>): Promise<void> {
  const { status, body } = await answer;
  if (status >= 300) throw new Error(`a write answered ${status}: ${JSON.stringify(body)}`);
}

export type Who = 'anna' | 'ben';

/** Writes the next value of a register, from 1. */
export type Write = (clients: Record<Who, Client>, value: number) => Promise<unknown>;

export interface Read {
  who: Who;
  /** REST path, or GraphQL document. */
  ask: string;
  shows: string[];
}

/**
 * Makes registers in a personal and a shared space. Each uses another transport, and another trigger for the revision.
 * @param most the greatest value
 */
export async function makeRegisters(
  service: Service,
  anna: User,
  ben: User,
  most: number,
): Promise<{ writes: Record<string, Write>; reads: Read[]; workspaceId: string; sharedId: string }> {
  const workspace = await makeWorkspace(anna, ben);
  const project = await makeProject(ben, { workspaceId: workspace.id, name: 'project 0' });
  const section = await makeSection(ben, project.id, { name: 'section 0' });
  const tag = await makeTag(anna, { name: 'tag 0' });
  const own = await makeTask(anna, { title: 'title 0', tags: [tag.id] });
  await makeTask(anna, { title: 'made 0' });
  const shared = await makeTask(anna, { projectId: project.id, title: 'shared 0', description: 'described 0' });
  const foreign = await makeTask(ben, { projectId: project.id, title: 'foreign 0' });
  const tagged: string[] = [];
  const doomed: string[] = [];
  for (let value = 0; value <= most; value += 1) {
    tagged.push((await makeTag(anna, { name: `tagged ${value}` })).id);
    doomed.push((await makeTask(ben, { projectId: project.id, title: `doomed ${value + 1}` })).id);
  }
  const carry = (client: Client, value: number) =>
    done(client.patch(`/api/v2/todo/${shared.id}`, { tags: [tagged[value]] }));
  await carry(anna, 0);
  await anna.put('/api/v1/user/name', { name: 'name 0' });
  await ben.put('/api/v1/user/user-preferences', { reminderBefore: 0 });

  const describe = 'mutation ($id: ID!, $text: String) { updateTask(id: $id, input: { description: $text }) { id } }';
  const writes: Record<string, Write> = {
    title: (by, value) => done(by.anna.patch(`/api/v2/todo/${own.id}`, { title: `title ${value}` })),
    made: (by, value) => done(by.anna.post('/api/v2/todo', { title: `made ${value}` })),
    shared: (by, value) => done(by.anna.patch(`/api/v2/todo/${shared.id}`, { title: `shared ${value}` })),
    described: (by, value) => by.ben.data(describe, { id: shared.id, text: `described ${value}` }),
    // A write outside the service, as by a migration.
    foreign: (_by, value) => service.sql('UPDATE tasks SET title = $2 WHERE id = $1', [foreign.id, `foreign ${value}`]),
    doomed: (by, value) => done(by.ben.delete(`/api/v2/todo/bulk?todoIds=${doomed[value - 1]}`)),
    tag: (by, value) => done(by.anna.patch(`/api/v2/tag/${tag.id}`, { name: `tag ${value}` })),
    tagged: (by, value) => carry(by.anna, value),
    name: (by, value) => done(by.anna.put('/api/v1/user/name', { name: `name ${value}` })),
    reminderBefore: (by, value) => done(by.ben.put('/api/v1/user/user-preferences', { reminderBefore: value })),
    project: (by, value) => done(by.ben.put(`/api/v2/projects/${project.id}`, { name: `project ${value}` })),
    section: (by, value) =>
      done(by.ben.patch(`/api/v2/projects/${project.id}/sections/${section.id}`, { name: `section ${value}` })),
  };

  const common = ['shared', 'described', 'foreign', 'doomed'];
  const annas = ['title', 'made', 'tag', 'tagged', ...common];
  const tasks = 'tasks(first: 500) { nodes { title description tags { name } } }';
  const reads: Read[] = [
    { who: 'anna', ask: '/api/v2/todo', shows: annas },
    { who: 'anna', ask: '/api/v2/todo?completed=false', shows: annas },
    { who: 'anna', ask: '/api/v2/tag', shows: ['tag'] },
    { who: 'anna', ask: '/api/v2/projects', shows: ['project'] },
    { who: 'anna', ask: `/api/v2/projects/${project.id}/sections`, shows: ['section'] },
    { who: 'anna', ask: '/api/v1/user/profile', shows: ['name'] },
    { who: 'ben', ask: '/api/v2/todo', shows: common },
    { who: 'ben', ask: '/api/v1/user/user-preferences', shows: ['reminderBefore'] },
    { who: 'ben', ask: '/api/v2/projects', shows: ['project'] },
    {
      who: 'anna',
      ask: `{ viewer { name } ${tasks} projects { name sections { name } } }`,
      shows: [...annas, 'name', 'project', 'section'],
    },
    { who: 'anna', ask: '{ tags { name } }', shows: ['tag'] },
    {
      who: 'ben',
      ask: `{ viewer { preferences { reminderBefore } } ${tasks} projects { name } }`,
      shows: [...common, 'project', 'reminderBefore'],
    },
  ];
  return { writes, reads, workspaceId: workspace.id, sharedId: shared.id };
}

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  addMember,
  makeComment,
  makeProject,
  makeSection,
  makeTag,
  makeWorkspace,
  makeWorkspaceOfAdmins,
} from '../kit/make.ts';
import { randomName, seededRandom, seedOfRun } from '../kit/random.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';
import { fetchBatch, listEntities, Replica, type Row, SyncStream } from './replica.ts';

interface Company {
  users: User[];
  workspaces: { id: string }[];
}

let service: Service;
let all: Company;
beforeAll(async () => {
  service = await startService();
  const users = await Promise.all([1, 2, 3].map(() => signUp(service)));
  const [anna, ben] = users as [User, User];
  all = {
    users,
    workspaces: [
      await makeWorkspaceOfAdmins(anna, ben),
      await makeWorkspaceOfAdmins(ben, anna),
      await makeWorkspace(anna),
    ],
  };
});
afterAll(() => service.close());

const seed = seedOfRun();
const random = seededRandom(seed);
const pick = <Item>(items: readonly Item[]): Item | undefined => items[Math.floor(random() * items.length)];

/** An action on the visible state. Many are refused, because others were faster. */
type Action = (user: User, visible: VisibleEntities, company: Company) => Promise<unknown>;
type VisibleEntities = Pick<
  Replica['entities'],
  'tasks' | 'projects' | 'sections' | 'tags' | 'workspaces' | 'comments'
>;

const someTask = (visible: VisibleEntities) => pick(visible.tasks)?.id ?? 'task_x';
const someProject = (visible: VisibleEntities) => pick(visible.projects)?.id;
const title = () => randomName('task');
const someText = ({ users }: Company) => `${randomName('comment')} @${pick(users)?.id}`;
const rename = { name: 'Renamed' };

const actions: Action[] = [
  (user, visible) => user.post('/api/v2/todo', { title: title(), projectId: someProject(visible) }),
  (user, visible) => user.post('/api/v2/todo', { title: title(), parentId: someTask(visible) }),
  (user, visible) => user.post('/api/v2/todo', { title: title(), tags: visible.tags.slice(0, 2).map(({ id }) => id) }),
  (user, visible) => user.patch(`/api/v2/todo/${someTask(visible)}`, { title: title(), completed: random() < 0.5 }),
  (user, visible) => user.patch(`/api/v2/todo/${someTask(visible)}`, { projectId: someProject(visible) ?? null }),
  (user, visible) => user.patch(`/api/v2/todo/${someTask(visible)}`, { projectId: null }),
  (user, visible) => user.patch(`/api/v2/todo/${someTask(visible)}`, { tags: [pick(visible.tags)?.id ?? 'tag_x'] }),
  (user, visible) =>
    user.patch(`/api/v2/todo/bulk?todoIds=${someTask(visible)},${someTask(visible)}`, { completed: true }),
  (user, visible) => user.delete(`/api/v2/todo/${someTask(visible)}`),
  (user, visible) => user.post('/api/v2/projects', { name: 'Project', workspaceId: pick(visible.workspaces)?.id }),
  (user, visible) => user.put(`/api/v2/projects/${someProject(visible)}`, rename),
  (user, visible) => (random() < 0.3 ? user.delete(`/api/v2/projects/${someProject(visible)}`) : Promise.resolve()),
  (user, visible) => user.post(`/api/v2/projects/${someProject(visible)}/sections`, { name: 'Section' }),
  (user, visible) => {
    const section = pick(visible.sections);
    const path = `/api/v2/projects/${String(section?.['projectId'])}/sections/${section?.id}`;
    return random() < 0.3 ? user.delete(path) : user.patch(path, { projectId: someProject(visible) });
  },
  (user) => user.post('/api/v2/tag', { name: randomName('tag') }),
  (user, visible) => user.patch(`/api/v2/tag/${pick(visible.tags)?.id}`, { name: randomName('tag') }),
  (user, visible) => user.delete(`/api/v2/tag/bulk?tagIds=${pick(visible.tags)?.id}`),
  (user) => user.put('/api/v1/user/name', { name: randomName('name') }),
  (user) => user.put('/api/v1/user/user-preferences', { reminderBefore: Math.floor(random() * 100) }),
  (user, _visible, { users, workspaces }) => addMember(pick(users) ?? user, pick(workspaces)?.id ?? '', user),
  (user, visible) =>
    user.graphql('mutation ($id: ID!) { leaveWorkspace(id: $id) }', { id: pick(visible.workspaces)?.id ?? 'wksp_x' }),
  (user, _visible, { users, workspaces }) =>
    user.graphql('mutation ($id: ID!, $user: ID!) { removeWorkspaceMember(workspaceId: $id, userId: $user) { id } }', {
      id: pick(workspaces)?.id,
      user: pick(users)?.id,
    }),
  (user, visible, company) => user.post(`/api/v2/todo/${someTask(visible)}/comments`, { text: someText(company) }),
  (user, visible, company) => user.patch(`/api/v2/comments/${pick(visible.comments)?.id}`, { text: someText(company) }),
  (user, visible) => user.delete(`/api/v2/comments/${pick(visible.comments)?.id}`),
  (user, visible, { users }) => user.put(`/api/v2/todo/${someTask(visible)}/assignees/${pick(users)?.id}`),
  (user, visible) => {
    const task = pick(visible.tasks.filter(({ assigneeIds }) => (assigneeIds as string[]).length > 0));
    return user.delete(`/api/v2/todo/${task?.id}/assignees/${(task?.['assigneeIds'] as string[])[0]}`);
  },
  (user, visible) => user.put(`/api/v2/todo/${someTask(visible)}/muted`, { muted: random() < 0.5 }),
  (user) => user.post('/api/v2/notifications/read', {}),
  (user, _visible, { users, workspaces }) =>
    user.put(`/api/v2/workspaces/${pick(workspaces)?.id}/members/${pick(users)?.id}`, {
      role: pick(['viewer', 'commenter', 'editor', 'admin']),
    }),
];

const performedActions = new Set<Action>();

async function perform(
  action: Action | undefined,
  user: User,
  visible: VisibleEntities,
  company: Company,
): Promise<void> {
  const answer = await action?.(user, visible, company);
  const { status = 200, errors } = (answer ?? {}) as { status?: number; errors?: unknown };
  if (action && status < 300 && !errors) performedActions.add(action);
}

/**
 * Makes an entity of every kind, to leave nothing to chance. @param isMember whether the user is in the shared
 * workspace
 */
async function createContent(
  user: User,
  other: User,
  isMember: boolean,
): Promise<{ visible: VisibleEntities; company: Company }> {
  const workspaces: Row[] = [isMember ? await makeWorkspaceOfAdmins(user, other) : await makeWorkspace(other)];
  const project = await makeProject(user, isMember ? { workspaceId: workspaces[0]?.id } : {});
  const section = await makeSection(user, project.id);
  const assigneeIds = [isMember ? other.id : user.id];
  const input = { title: title(), projectId: project.id, assigneeIds };
  const { createTask: task } = await user.data<{ createTask: Row }>(
    'mutation ($input: CreateTaskInput!) { createTask(input: $input) { id assigneeIds } }',
    { input },
  );
  const [comment, tag] = [await makeComment(user, task.id), await makeTag(user)];
  const rows = [[task], [project], [section], [tag], [comment]].map((each) => each.map((row): Row => ({ ...row })));
  const [tasks = [], projects = [], sections = [], tags = [], comments = []] = rows;
  return {
    visible: { tasks, projects, sections, tags, comments, workspaces },
    company: { users: [other], workspaces },
  };
}

interface Follower {
  user: User;
  first: number;
  replica: Replica;
}

test(`replicas of any batch size equal the lists after random writes (seed ${seed})`, async () => {
  const followers = all.users.flatMap((user): Follower[] =>
    [1, 3, 500].map((first) => ({ user, first, replica: new Replica() })),
  );
  const live = await Promise.all(
    all.users.map(async (user) => ({ user, replica: new Replica(), stream: await SyncStream.open(service, user) })),
  );
  for (let round = 0; round < 12; round += 1) {
    await Promise.allSettled(followers.map(({ user, replica }) => perform(pick(actions), user, replica.entities, all)));
    for (const { user, first, replica } of followers) {
      if (random() < 0.7) replica.apply(await fetchBatch(user, replica.cursor, first));
      if (random() < 0.05) replica.cursor = null;
    }
  }
  const [anna, ben] = all.users as [User, User];
  for (const action of actions.filter((each) => !performedActions.has(each))) {
    for (const isMember of [true, false]) {
      const { visible, company } = await createContent(anna, ben, isMember);
      await perform(action, anna, visible, company).catch(() => undefined);
    }
    expect({ action: String(action), isDone: performedActions.has(action) }).toMatchObject({ isDone: true });
  }
  for (const { user, first, replica } of followers) {
    await replica.pull(user, first);
    expect(replica.entities).toEqual(await listEntities(user));
  }
  for (const { user, replica, stream } of live) {
    const { id } = await user
      .data<{ createTag: { id: string } }>('mutation { createTag(name: "last") { id } }')
      .then(({ createTag }) => createTag);
    await stream.feed(replica, ({ tags }) => tags.some((tag) => tag.id === id));
    expect(replica.entities).toEqual(await listEntities(user));
    stream.close();
  }
});

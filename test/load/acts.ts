import { typeidUnboxed } from 'typeid-js';
import type { Team, Person } from './people.ts';
import { actOnClaims } from './claim-acts.ts';
import { actTogether } from './together-acts.ts';
import { actOnSeries } from './series-acts.ts';
import { graphql, rest } from './requests.ts';
import type { Columns, MadeClaim, SentWrite, WriteRequest } from './load.ts';

export class CreatedIds {
  readonly tasks: string[] = [];
  readonly projects: string[] = [];
  readonly sections: { id: string; projectId: string }[] = [];
  readonly occurrences: string[] = [];
  readonly comments: { id: string; authorId: string }[] = [];
  readonly claims: (MadeClaim & { holder: Person })[] = [];
}

export interface ActionContext {
  team: Team;
  person: Person;
  createdIds: CreatedIds;
  random: () => number;
  /** A unique day for due dates, and the name of other entities. */
  mark: string;
  send: (person: Person, write: WriteRequest) => Promise<SentWrite>;
}

export type Action = (context: ActionContext) => Promise<unknown>;

export function createMarks(): () => string {
  let count = 0;
  return () => new Date(Date.UTC(2030, 0, (count += 1))).toISOString().slice(0, 10);
}

export const pick = <Item>({ random }: ActionContext, items: readonly Item[]): Item | undefined =>
  items[Math.floor(random() * items.length)];

export const someTask = (context: ActionContext) => pick(context, context.createdIds.tasks.slice(-40)) ?? 'task_x';
export const someProject = (context: ActionContext) =>
  pick(context, [...context.person.projects, ...context.createdIds.projects.slice(-3)]) ?? null;
const someTags = (context: ActionContext) => context.person.tags.slice(Math.floor(context.random() * 3));

export const isDone = ({ outcome }: SentWrite) => outcome === 'acknowledged';

const writeAction =
  (describeWrite: (context: ActionContext) => WriteRequest): Action =>
  (context) =>
    context.send(context.person, describeWrite(context));

const createAction =
  (describeWrite: (context: ActionContext) => WriteRequest & { remember: (id: string) => void }): Action =>
  async (context) => {
    const { remember, ...write } = describeWrite(context);
    const sent = await context.send(context.person, write);
    if (isDone(sent) && sent.createdId === undefined)
      throw new Error(`an answer lacks the id: ${JSON.stringify(write)}`);
    if (sent.createdId !== undefined) remember(sent.createdId);
  };

const createTask = createAction((context) => {
  const { mark, createdIds } = context;
  const title = `task ${mark}`;
  const projectId = someProject(context) ?? undefined;
  const remember = (id: string) => void createdIds.tasks.push(id);
  if (context.random() < 0.5) {
    const input = { id: typeidUnboxed('task'), title, dueDate: mark, projectId };
    const request = graphql('createTask', '$input: CreateTaskInput!', { input }, ' { id }');
    return { mark, remember, request, columns: { title } };
  }
  const tags = context.random() < 0.3 ? someTags(context) : [];
  const request = rest('POST', '/api/v2/todo', { title, dueDate: mark, projectId, tags });
  return { mark, remember, request, columns: { title, tags } };
});

/** Is refused late, after other steps of the creation. */
const createWithForeignTag = writeAction(({ mark, person }) => {
  const input = { title: `task ${mark}`, dueDate: mark, tagIds: [...person.tags, typeidUnboxed('tag')] };
  return { mark, request: graphql('createTask', '$input: CreateTaskInput!', { input }, ' { id }') };
});

const createSubtask = createAction((context) => {
  const { mark: dueDate, createdIds } = context;
  const remember = (id: string) => void createdIds.tasks.push(id);
  const columns = { title: `task ${dueDate}` };
  const request = rest('POST', '/api/v2/todo', { ...columns, dueDate, parentId: someTask(context) });
  return { mark: dueDate, remember, request, columns };
});

const updateTask = (changes: (context: ActionContext) => Columns & object) =>
  writeAction((context) => {
    const { mark } = context;
    const { title, completed, tags, ...place } = changes(context);
    const columns = { title, completed, tags };
    const request = rest('PATCH', `/api/v2/todo/${someTask(context)}`, { dueDate: mark, ...columns, ...place });
    return { mark, request, columns };
  });

const updateTasks = writeAction((context) => {
  const ids = context.createdIds.tasks.slice(-8).join();
  const columns = { completed: context.random() < 0.5, tags: someTags(context) };
  const request = rest('PATCH', `/api/v2/todo/bulk?todoIds=${ids}`, { dueDate: context.mark, ...columns });
  return { mark: context.mark, request, columns };
});

const deleteTask = writeAction((context) => {
  const deletes = someTask(context);
  return { deletes, request: rest('DELETE', `/api/v2/todo/${deletes}`) };
});

const createProject = createAction((context) => {
  const { mark: name, team } = context;
  const variables = {
    id: typeidUnboxed('proj'),
    name,
    ...(context.random() < 0.6 && { workspaceId: team.workspaceId }),
  };
  return {
    mark: name,
    remember: (id) => void context.createdIds.projects.push(id),
    request: graphql('createProject', '$id: ID, $name: String!, $workspaceId: ID', variables, ' { id }'),
  };
});

const deleteProject = writeAction((context) => {
  const deletes = pick(context, context.createdIds.projects.slice(-3)) ?? 'proj_x';
  return { deletes, request: rest('DELETE', `/api/v2/projects/${deletes}`) };
});

const createSection = createAction((context) => {
  const projectId = someProject(context) ?? context.person.inboxId;
  const remember = (id: string) => void context.createdIds.sections.push({ id, projectId });
  return {
    mark: context.mark,
    remember,
    request: rest('POST', `/api/v2/projects/${projectId}/sections`, { name: context.mark }),
  };
});

/** Moves a section with its tasks. */
const moveSection: Action = async (context) => {
  const section = pick(context, context.createdIds.sections.slice(-5));
  if (!section) return;
  const projectId = someProject(context) ?? context.person.inboxId;
  const path = `/api/v2/projects/${section.projectId}/sections/${section.id}`;
  const write = { mark: context.mark, request: rest('PATCH', path, { name: context.mark, projectId }) };
  if (isDone(await context.send(context.person, write))) section.projectId = projectId;
};

const deleteSection = writeAction((context) => {
  const { id, projectId } = pick(context, context.createdIds.sections.slice(-5)) ?? {
    id: 'sect_x',
    projectId: 'proj_x',
  };
  return { deletes: id, request: rest('DELETE', `/api/v2/projects/${projectId}/sections/${id}`) };
});

const putInSection = updateTask((context) => {
  const { id, projectId } = pick(context, context.createdIds.sections.slice(-5)) ?? {};
  return { projectId, projectSectionId: id };
});

const renameTag = writeAction((context) => {
  const path = `/api/v2/tag/${pick(context, context.person.tags)}`;
  return { mark: context.mark, request: rest('PATCH', path, { name: context.mark }) };
});

const renameUser = writeAction(({ mark: name }) => ({ request: rest('PUT', '/api/v1/user/name', { name }) }));

const changePreferences = writeAction(({ random }) => ({
  request: rest('PUT', '/api/v1/user/user-preferences', { reminderBefore: Math.floor(random() * 100) }),
}));

const join: Action = async (context) => {
  const { team, send } = context;
  const guest = pick(context, team.guests) ?? team.guests[0];
  const variables = { workspaceId: team.workspaceId, email: guest.user.email };
  const invitation = graphql('inviteToWorkspace', '$workspaceId: ID!, $email: String!', variables, ' { id }');
  const { createdId: id } = await send(team.members[0], { request: invitation });
  if (id !== undefined) await send(guest, { request: graphql('acceptInvitation', '$id: ID!', { id }, ' { id }') });
};

const leave: Action = (context) => {
  const { team, send } = context;
  const { workspaceId } = team;
  const guest = pick(context, team.guests) ?? team.guests[0];
  if (context.random() < 0.5) {
    return send(guest, { request: graphql('leaveWorkspace', '$id: ID!', { id: workspaceId }) });
  }
  const variables = { workspaceId, userId: guest.user.id };
  const request = graphql('removeWorkspaceMember', '$workspaceId: ID!, $userId: ID!', variables, ' { id }');
  return send(team.members[1], { request });
};

/** Kinds of writes with their relative frequency. */
const actions: readonly [number, Action][] = [
  [22, createTask],
  [2, createWithForeignTag],
  [6, createSubtask],
  [18, updateTask(({ mark, random }) => ({ title: `title ${mark}`, completed: random() < 0.5 }))],
  [6, updateTask((context) => ({ tags: someTags(context) }))],
  [12, updateTask((context) => ({ projectId: someProject(context) }))],
  [5, putInSection],
  [9, updateTasks],
  [6, deleteTask],
  [2, createProject],
  [1, deleteProject],
  [2, createSection],
  [1.5, moveSection],
  [0.5, deleteSection],
  [1, renameTag],
  [1, renameUser],
  [1, changePreferences],
  [2, join],
  [2, leave],
  [10, actOnSeries],
  [20, actTogether],
  [16, actOnClaims],
];

/** Sends a random write. A deleted target refuses it. */
export async function runRandomAction(context: ActionContext): Promise<void> {
  let remainder = context.random() * actions.reduce((sum, [share]) => sum + share, 0);
  const [, action] = actions.find(([share]) => (remainder -= share) < 0) ?? [];
  await action?.(context);
}

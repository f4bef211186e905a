import { typeidUnboxed } from 'typeid-js';
import type { Crew, Person } from './people.ts';
import { graphql, rest } from './requests.ts';
import type { Answered, Deed } from './sender.ts';

export class Made {
  readonly tasks: string[] = [];
  readonly projects: string[] = [];
  readonly sections: { id: string; projectId: string }[] = [];
}

export interface Turn {
  crew: Crew;
  person: Person;
  made: Made;
  random: () => number;
  /** A unique day for due dates, and the name of other entities. */
  mark: string;
  send: (person: Person, deed: Deed) => Promise<Answered>;
}

/** @returns false if the write was refused, such as for a deleted target */
type Act = (turn: Turn) => Promise<boolean>;

export function newMarks(): () => string {
  let count = 0;
  return () => new Date(Date.UTC(2030, 0, (count += 1))).toISOString().slice(0, 10);
}

const pick = <Item>({ random }: Turn, items: readonly Item[]): Item | undefined =>
  items[Math.floor(random() * items.length)];

const someTask = (turn: Turn) => pick(turn, turn.made.tasks.slice(-40)) ?? 'task_x';
const someProject = (turn: Turn) => pick(turn, [...turn.person.projects, ...turn.made.projects.slice(-3)]) ?? null;
const someTags = (turn: Turn) => turn.person.tags.slice(Math.floor(turn.random() * 3));

const act =
  (describe: (turn: Turn) => Deed): Act =>
  async (turn) =>
    (await turn.send(turn.person, describe(turn))).isDone;

const make =
  (describe: (turn: Turn) => Deed & { keep: (id: string) => void }): Act =>
  async (turn) => {
    const { keep, ...deed } = describe(turn);
    const { isDone, madeId } = await turn.send(turn.person, deed);
    if (isDone && madeId === undefined) throw new Error(`an answer lacks the id: ${JSON.stringify(deed)}`);
    if (madeId !== undefined) keep(madeId);
    return isDone;
  };

const createTask = make((turn) => {
  const { mark, made } = turn;
  const title = `task ${mark}`;
  const projectId = someProject(turn) ?? undefined;
  const keep = (id: string) => void made.tasks.push(id);
  if (turn.random() < 0.5) {
    const input = { id: typeidUnboxed('task'), title, dueDate: mark, projectId };
    return { mark, keep, request: graphql('createTask', '$input: CreateTaskInput!', { input }, ' { id }') };
  }
  const tags = turn.random() < 0.3 ? someTags(turn) : [];
  return { mark, keep, request: rest('POST', '/api/v2/todo', { title, dueDate: mark, projectId, tags }) };
});

const createSubtask = make((turn) => {
  const { mark: dueDate, made } = turn;
  const keep = (id: string) => void made.tasks.push(id);
  const body = { title: `task ${dueDate}`, dueDate, parentId: someTask(turn) };
  return { mark: dueDate, keep, request: rest('POST', '/api/v2/todo', body) };
});

const updateTask = (changes: (turn: Turn) => object) =>
  act((turn) => {
    const body = { dueDate: turn.mark, ...changes(turn) };
    return { mark: turn.mark, request: rest('PATCH', `/api/v2/todo/${someTask(turn)}`, body) };
  });

const updateTasks = act((turn) => {
  const ids = turn.made.tasks.slice(-8).join();
  const body = { dueDate: turn.mark, completed: turn.random() < 0.5 };
  return { mark: turn.mark, request: rest('PATCH', `/api/v2/todo/bulk?todoIds=${ids}`, body) };
});

const deleteTask = act((turn) => {
  const deletes = someTask(turn);
  return { deletes, request: rest('DELETE', `/api/v2/todo/${deletes}`) };
});

const createProject = make((turn) => {
  const { mark: name, crew } = turn;
  const variables = { id: typeidUnboxed('proj'), name, ...(turn.random() < 0.6 && { workspaceId: crew.workspaceId }) };
  return {
    mark: name,
    keep: (id) => void turn.made.projects.push(id),
    request: graphql('createProject', '$id: ID, $name: String!, $workspaceId: ID', variables, ' { id }'),
  };
});

const deleteProject = act((turn) => {
  const deletes = pick(turn, turn.made.projects.slice(-3)) ?? 'proj_x';
  return { deletes, request: rest('DELETE', `/api/v2/projects/${deletes}`) };
});

const createSection = make((turn) => {
  const projectId = someProject(turn) ?? turn.person.inboxId;
  const keep = (id: string) => void turn.made.sections.push({ id, projectId });
  return {
    mark: turn.mark,
    keep,
    request: rest('POST', `/api/v2/projects/${projectId}/sections`, { name: turn.mark }),
  };
});

/** Moves a section with its tasks. */
const moveSection: Act = async (turn) => {
  const section = pick(turn, turn.made.sections.slice(-5));
  if (!section) return false;
  const projectId = someProject(turn) ?? turn.person.inboxId;
  const path = `/api/v2/projects/${section.projectId}/sections/${section.id}`;
  const deed = { mark: turn.mark, request: rest('PATCH', path, { name: turn.mark, projectId }) };
  const { isDone } = await turn.send(turn.person, deed);
  if (isDone) section.projectId = projectId;
  return isDone;
};

const deleteSection = act((turn) => {
  const { id, projectId } = pick(turn, turn.made.sections.slice(-5)) ?? { id: 'sect_x', projectId: 'proj_x' };
  return { deletes: id, request: rest('DELETE', `/api/v2/projects/${projectId}/sections/${id}`) };
});

const putInSection = updateTask((turn) => {
  const { id, projectId } = pick(turn, turn.made.sections.slice(-5)) ?? {};
  return { projectId, projectSectionId: id };
});

const renameTag = act((turn) => {
  const path = `/api/v2/tag/${pick(turn, turn.person.tags)}`;
  return { mark: turn.mark, request: rest('PATCH', path, { name: turn.mark }) };
});

const renameUser = act(({ mark: name }) => ({ request: rest('PUT', '/api/v1/user/name', { name }) }));

const changePreferences = act(({ random }) => ({
  request: rest('PUT', '/api/v1/user/user-preferences', { reminderBefore: Math.floor(random() * 100) }),
}));

const join: Act = async (turn) => {
  const { crew, send } = turn;
  const guest = pick(turn, crew.guests) ?? crew.guests[0];
  const variables = { workspaceId: crew.workspaceId, email: guest.user.email };
  const invitation = graphql('inviteToWorkspace', '$workspaceId: ID!, $email: String!', variables, ' { id }');
  const { madeId: id } = await send(crew.members[0], { request: invitation });
  if (id === undefined) return false;
  return (await send(guest, { request: graphql('acceptInvitation', '$id: ID!', { id }, ' { id }') })).isDone;
};

const leave: Act = async (turn) => {
  const { crew, send } = turn;
  const { workspaceId } = crew;
  const guest = pick(turn, crew.guests) ?? crew.guests[0];
  if (turn.random() < 0.5) {
    return (await send(guest, { request: graphql('leaveWorkspace', '$id: ID!', { id: workspaceId }) })).isDone;
  }
  const variables = { workspaceId, userId: guest.user.id };
  const request = graphql('removeWorkspaceMember', '$workspaceId: ID!, $userId: ID!', variables, ' { id }');
  return (await send(crew.members[1], { request })).isDone;
};

/** Kinds of writes with their frequency in percent. */
const acts: readonly [number, Act][] = [
  [24, createTask],
  [6, createSubtask],
  [18, updateTask(({ mark }) => ({ title: `title ${mark}` }))],
  [6, updateTask((turn) => ({ tags: someTags(turn) }))],
  [12, updateTask((turn) => ({ projectId: someProject(turn) }))],
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
];

/** Tries random writes until one is accepted. */
export async function actAtRandom(who: Omit<Turn, 'mark'>, newMark: () => string): Promise<void> {
  for (;;) {
    const turn = { ...who, mark: newMark() };
    let left = turn.random() * 100;
    const [, chosen] = acts.find(([share]) => (left -= share) < 0) ?? [];
    if (await chosen?.(turn)) return;
  }
}

import { brokenInvariants } from '../kit/invariants.ts';
import { Target } from '../fuzz/target.ts';
import { makeProject, makeSection, makeTag, makeTask, makeWorkspace } from '../kit/make.ts';
import { startTestPostgres } from '../kit/postgres.ts';
import { seededRandom, seedOfRun } from '../kit/random.ts';
import { signInAgain, type User } from '../kit/users.ts';

// npm run soak:undo -- [minutes] [clients] [seed]: clients change entities and undo random operations.
// It succeeds if every account can sign in, all invariants hold, and the service has less than 300 MB.

const [minutes = 10, clients = 200, seed = seedOfRun()] = process.argv.slice(2).map(Number);
const maxMegabytes = 300;
const crewSize = 5;

const random = seededRandom(seed);
const one = <Item>(items: readonly Item[]): Item | undefined => items[Math.floor(random() * items.length)];
const statuses = new Map<string, number>();

interface Person {
  user: User;
  projects: string[];
  tags: string[];
}

async function makePeople(users: readonly User[]): Promise<Person[]> {
  const people: Person[] = [];
  for (let index = 0; index < users.length; index += crewSize) {
    const [owner, ...members] = users.slice(index, index + crewSize);
    if (!owner) continue;
    const { id: workspaceId } = await makeWorkspace(owner, ...members);
    for (const user of [owner, ...members]) {
      const projects = [await makeProject(user, { workspaceId }), await makeProject(user)];
      for (const { id: projectId } of projects) {
        const section = await makeSection(user, projectId);
        await makeTask(user, { projectId, projectSectionId: section.id });
      }
      people.push({ user, projects: projects.map(({ id }) => id), tags: [(await makeTag(user)).id] });
    }
  }
  return people;
}

type Send = (person: Person) => Promise<{ status: number; body: unknown }>;

const graphql = { headers: { 'x-graphql-yoga-csrf': '1' } };

async function tasksOf({ user }: Person): Promise<string[]> {
  const { tasks } = await user.data<{ tasks: { nodes: { id: string }[] } }>('{ tasks(first: 100) { nodes { id } } }');
  return tasks.nodes.map(({ id }) => id);
}

const bulk = async (person: Person) => {
  const ids = (await tasksOf(person)).filter(() => random() < 0.3);
  return `/api/v2/todo/bulk?todoIds=${ids.join() || 'none'}`;
};

const changes: Send[] = [
  ({ user, projects, tags }) => user.post('/api/v2/todo', { title: 'Task', projectId: one(projects), tags }),
  async (person) => person.user.patch(await bulk(person), { projectId: one(person.projects) }),
  async (person) => person.user.patch(await bulk(person), { completed: random() < 0.5, tags: person.tags }),
  async (person) => person.user.delete(await bulk(person)),
  async (person) => {
    const [id, parentId] = [one(await tasksOf(person)), one(await tasksOf(person))];
    const query = 'mutation ($id: ID!, $parentId: ID) { updateTask(id: $id, input: { parentId: $parentId }) { id } }';
    return person.user.post('/graphql', { query, variables: { id, parentId } }, graphql);
  },
  ({ user, projects }) => user.put(`/api/v2/projects/${one(projects)}`, { name: `Project ${random()}` }),
];

const undo: Send = async ({ user }) => {
  const { operations } = await user.data<{ operations: { nodes: { id: string }[] } }>(
    '{ operations(first: 100) { nodes { id } } }',
  );
  const operation = random() < 0.1 ? operations.nodes.at(-1) : one(operations.nodes);
  return user.post(`/api/v2/operations/${operation?.id}/undo`);
};

const restore: Send = async ({ user }) => {
  const { body } = await user.get<{ trash: { id: string }[] }>('/api/v2/trash');
  const ids = body.trash.map(({ id }) => id).filter(() => random() < 0.5);
  return user.post('/api/v2/trash/restore', { ids });
};

const empty: Send = ({ user }) => user.post('/graphql', { query: 'mutation { emptyTrash }' }, graphql);

const next = (): Send => {
  const number = random();
  if (number < 0.02) return empty;
  if (number < 0.1) return restore;
  return number < 0.7 ? undo : (one(changes) ?? undo);
};

async function runAction(person: Person, until: number): Promise<void> {
  while (Date.now() < until) {
    const { status } = await next()(person).catch((error: unknown) => ({ status: String(error) }));
    statuses.set(String(status), (statuses.get(String(status)) ?? 0) + 1);
  }
}

async function problemsOf(target: Target, people: readonly Person[]): Promise<string[]> {
  const problems = await brokenInvariants((statement) => target.sql(statement));
  for (const { user } of people) {
    const secondSession = await signInAgain({ url: target.url }, user);
    for (const client of [user, secondSession]) {
      const { status } = await client.get('/api/v2/projects/inbox');
      if (status !== 200) problems.push(`${user.id}: the inbox gives ${status}`);
    }
  }
  // The many clients may be refused for a moment, but cause no fault.
  const faults = target
    .errors()
    .split('\n')
    .filter((line) => !/"status":503|"code":"UNAVAILABLE"/.test(line));
  return [...problems, ...faults.filter(Boolean).slice(0, 10)];
}

console.log(`undo: ${clients} clients for ${minutes} min, seed ${seed}`);
// The kit builds the service under a lock on this server.
const server = await startTestPostgres();
const target = await Target.start(clients);
try {
  const people = await makePeople(target.users);
  const until = Date.now() + minutes * 60_000;
  await Promise.all(people.map((person) => runAction(person, until)));
  const megabytes = await target.residentMegabytes();
  const problems = await problemsOf(target, people);
  if (megabytes.most >= maxMegabytes) problems.push(`the service had ${megabytes.most} MB`);
  console.table(Object.fromEntries([...statuses].sort()));
  console.log(`memory: at most ${megabytes.most} MB, ${megabytes.now} MB at the end`);
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length > 0 ? 1 : 0;
} finally {
  await target.stop();
  await server.stop();
}

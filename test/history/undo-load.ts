import { Target } from '../fuzz/target.ts';
import { brokenInvariants } from '../kit/invariants.ts';
import { pause } from '../kit/pause.ts';
import { startTestPostgres } from '../kit/postgres.ts';
import { seedOfRun } from '../kit/random.ts';
import { signInAgain, type User } from '../kit/users.ts';
import { wholeNumbers } from '../kit/whole-numbers.ts';
import { type ActionContext, runRandomAction } from '../load/acts.ts';
import { Load, type Outcome } from '../load/load.ts';
import { makeTeam } from '../load/people.ts';
import { graphql, rest } from '../load/requests.ts';

// npm run soak:undo -- [--minutes N] [--clients N] [--seed N]: clients change entities and undo random operations.
// It succeeds if every account can sign in, all invariants hold, and the service has less than 300 MB.

const { minutes, clients, seed } = wholeNumbers({ minutes: 10, clients: 200, seed: seedOfRun() });
const maxMegabytes = 300;
const teamSize = 4;

async function undo({ person, random, send }: ActionContext): Promise<unknown> {
  const query = '{ operations(first: 100) { nodes { id } } }';
  const { nodes } = (await person.user.data<{ operations: { nodes: { id: string }[] } }>(query)).operations;
  const operation = random() < 0.1 ? nodes.at(-1) : nodes[Math.floor(random() * nodes.length)];
  return send(person, { request: rest('POST', `/api/v2/operations/${operation?.id}/undo`) });
}

async function restore({ person, random, send }: ActionContext): Promise<unknown> {
  const { body } = await person.user.get<{ trash: { id: string }[] }>('/api/v2/trash');
  const ids = body.trash.map(({ id }) => id).filter(() => random() < 0.5);
  return send(person, { request: rest('POST', '/api/v2/trash/restore', { ids }) });
}

async function act(context: ActionContext): Promise<void> {
  const number = context.random();
  if (number < 0.02) await context.send(context.person, { request: graphql('emptyTrash') });
  else if (number < 0.1) await restore(context);
  else if (number < 0.7) await undo(context);
  else await runRandomAction(context);
}

async function problemsOf(target: Target, users: readonly User[]): Promise<string[]> {
  const problems = await brokenInvariants((statement) => target.sql(statement));
  for (const user of users) {
    for (const client of [user, await signInAgain({ url: target.url }, user)]) {
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
const target = await Target.start(0);
try {
  const teams = [];
  for (let made = 0; made < clients; made += teamSize) teams.push(await makeTeam(target.access));
  const find = () => Promise.resolve(target);
  const loads = teams.map((team, index) => {
    return new Load(team, find, { seed: seed + index, writers: teamSize, isKeyed: false, act });
  });
  for (const load of loads) load.start();
  await pause(minutes * 60_000);
  await Promise.all(loads.map((load) => load.pause()));
  const megabytes = await target.residentMegabytes();
  const users = teams.flatMap(({ members, guests }) => [...members, ...guests].map(({ user }) => user));
  const problems = [...loads.flatMap((load) => load.problems), ...(await problemsOf(target, users))];
  if (megabytes.most >= maxMegabytes) problems.push(`the service had ${megabytes.most} MB`);
  const sum = (outcome: Outcome) => loads.reduce((all, { counts }) => all + counts[outcome], 0);
  console.log(`${sum('acknowledged')} acknowledged, ${sum('refused')} refused, ${sum('unknown')} without an answer`);
  console.log(`memory: at most ${megabytes.most} MB, ${megabytes.now} MB at the end`);
  for (const problem of problems.slice(0, 50)) console.error(problem);
  process.exitCode = problems.length > 0 ? 1 : 0;
} finally {
  await target.stop();
  await server.stop();
}

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { invite, makeTask } from '../kit/make.ts';
import { seededRandom, seedOfRun } from '../kit/random.ts';
import { Load } from '../load/load.ts';
import { makeTeam, type Team } from '../load/people.ts';
import { type Request, rest } from '../load/requests.ts';
import { sendWithKill } from './killed.ts';
import { Installation } from './world.ts';

const seed = seedOfRun();
let world: Installation;
let load: Load;
let team: Team;
let taskId: string;

beforeAll(async () => {
  world = await Installation.start(seededRandom(seed));
  team = await makeTeam(await world.access());
  load = new Load(team, world.find, { seed, writers: 0, isKeyed: true });
  const [{ user, projects }] = team.members;
  taskId = (await makeTask(user, { projectId: projects[1] })).id;
});
afterAll(() => world.stop());

const tables = {
  comments: 'text',
  notification_events: "reason || ' ' || user_id",
  tasks: "'assigned ' || assignee_ids::text",
  memberships: "role || ' ' || user_id",
  invitations: 'email',
  history: "type || ' ' || kind",
  deliveries: "kind || ' ' || user_id",
};

async function state(): Promise<string[]> {
  const selects = Object.entries(tables).map(([table, text]) => `SELECT ${text} AS line FROM ${table}`);
  const rows = await world.sql<{ line: string }>(`${selects.join(' UNION ALL ')} ORDER BY line`);
  return rows.map(({ line }) => line);
}

/** Lines of one list that another lacks. */
function without(lines: readonly string[], others: readonly string[]): string[] {
  const left = [...others];
  return lines.filter((line) => !left.includes(line) || left.splice(left.indexOf(line), 1).length === 0);
}

interface Case {
  request: Request;
  lock: [sql: string, values: unknown[]];
  gone?: string[];
  added: string[];
}

/** The last row that events lock. */
const revisionOf = (id: string): Case['lock'] => ['SELECT FROM related_revisions WHERE space_id = $1 FOR UPDATE', [id]];

const cases: Record<string, (ben: string) => Case | Promise<Case>> = {
  'a comment with its event and mail': (ben) => ({
    request: rest('POST', `/api/v2/todo/${taskId}/comments`, { text: `For @${ben}` }),
    lock: revisionOf(ben),
    added: [`For @${ben}`, `MENTIONED ${ben}`, 'COMMENT CREATED', `ACTIVITY ${ben}`],
  }),
  'an assignment with its event': (ben) => ({
    request: rest('PUT', `/api/v2/todo/${taskId}/assignees/${ben}`),
    lock: revisionOf(ben),
    gone: ['assigned {}'],
    added: [`assigned {${ben}}`, `ASSIGNED ${ben}`, 'TASK UPDATED'],
  }),
  async 'a demotion with the end of invitations'(ben) {
    const [{ user: anna }, { user }] = team.members;
    const path = `/api/v2/workspaces/${team.workspaceId}/members/${ben}`;
    await anna.put(path, { role: 'admin' });
    await invite(user, team.workspaceId, 'somebody@example.com');
    return {
      request: rest('PUT', path, { role: 'viewer' }),
      lock: ['SELECT FROM invitations FOR UPDATE', []],
      gone: [`ADMIN ${ben}`, 'somebody@example.com'],
      added: [`VIEWER ${ben}`],
    };
  },
};

test.each(Object.entries(cases))(
  '%s is there once or not at all while all gateways are killed',
  async (_label, prepare) => {
    const [person, { user }] = team.members;
    const { request, lock, gone = [], added } = await prepare(user.id);
    const before = await state();
    const { outcome } = await sendWithKill(world, load, {
      ...{ person, request, locks: [lock] },
      state: async () => JSON.stringify(await state()),
    });
    const after = await state();
    expect({ outcome, gone: without(before, after), added: without(after, before) }).toEqual({
      ...{ outcome: 'acknowledged', gone: gone.sort(), added: added.sort() },
    });
  },
);

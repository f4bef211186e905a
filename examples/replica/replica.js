// Keeps a copy of an account in the terminal, also offline. It queues changes and sends them later, each with one effect.
//
// TASKGATE_EMAIL=… TASKGATE_PASSWORD=… node examples/replica/replica.js http://127.0.0.1:3000 copy.json
//
// Commands, one per line: add TITLE, done ID, delete ID, list. The last characters of an id suffice.
import { randomUUID } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { typeidUnboxed } from 'typeid-js';

const [url = 'http://127.0.0.1:3000', file = 'copy.json'] = process.argv.slice(2);
const kinds = ['workspaces', 'projects', 'sections', 'tags', 'tasks'];
const emptyState = () => ({ cursor: null, user: null, ...Object.fromEntries(kinds.map((kind) => [kind, {}])) });

/** The last known server state, and local changes that it does not include yet. */
const { held, outbox } = await readFile(file, 'utf8').then(JSON.parse, () => ({ held: emptyState(), outbox: [] }));
let cookie = '';
let saving = Promise.resolve();

/** Writes both in one step, because a change leaves the outbox when it enters the copy. */
function save() {
  const content = JSON.stringify({ held, outbox });
  saving = saving.then(() => writeFile(`${file}.new`, content)).then(() => rename(`${file}.new`, file));
  return saving;
}

/** A copy belongs to one account. The service refuses sessions of other accounts. */
const accountHeader = () => held.user && { 'X-Account-Id': held.user.id };

function request(path, { method = 'GET', headers = {}, body } = {}) {
  return fetch(`${url}${path}`, {
    method,
    headers: {
      Cookie: cookie,
      ...(cookie && accountHeader()),
      ...(body && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  });
}

async function signIn() {
  const { TASKGATE_EMAIL: email, TASKGATE_PASSWORD: password } = process.env;
  cookie = '';
  const response = await request('/api/v1/user/signin', { method: 'POST', body: { email, password } });
  if (!response.ok) throw new Error(`the sign-in failed with ${response.status}`);
  cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  if ((await request('/api/v1/user/profile')).status !== 401) return;
  console.error(`${file} is the copy of another account`);
  process.exit(1);
}

/** Removes a deleted entity and its dependents. */
function removeEntity(kind, id) {
  Reflect.deleteProperty(held[kind], id);
  const dependents = { workspaces: [['projects', 'workspaceId']], tasks: [['tasks', 'parentId']] };
  dependents.projects = ['sections', 'tasks'].map((each) => [each, 'projectId']);
  for (const [each, field] of dependents[kind] ?? [])
    for (const row of Object.values(held[each])) if (row[field] === id) removeEntity(each, row.id);
  for (const task of kind === 'sections' ? Object.values(held.tasks) : [])
    if (task.projectSectionId === id) task.projectSectionId = null;
  for (const task of kind === 'tags' ? Object.values(held.tasks) : [])
    task.tags = task.tags.filter((tag) => tag.id !== id);
}

async function apply(batch) {
  if (batch.full) Object.assign(held, emptyState());
  held.user = batch.user ?? held.user;
  for (const kind of kinds) for (const row of batch[kind]) held[kind][row.id] = row;
  for (const { type, id } of batch.deleted) removeEntity(`${type}s`, id);
  held.cursor = batch.cursor;
  // A first load includes the effects of earlier requests without naming them.
  if (batch.full) for (const each of outbox) each.isLoaded = each.isTried;
  const isApplied = ({ key, isSent, isLoaded }) => batch.mutations.includes(key) || (isSent && isLoaded);
  outbox.splice(0, outbox.length, ...outbox.filter((each) => !isApplied(each)));
  await save();
  if (!batch.hasMore) console.log(`= ${view().length} tasks, ${outbox.length} to be sent`);
}

/** The tasks with local changes applied. */
function view() {
  const tasks = { ...held.tasks };
  for (const { id, changes } of outbox) {
    if (changes === null) Reflect.deleteProperty(tasks, id);
    else tasks[id] = { ...tasks[id], id, ...changes };
  }
  return Object.values(tasks);
}

/** Follows the account until the connection ends. */
async function follow() {
  const after = held.cursor === null ? '' : `?after=${held.cursor}`;
  const response = await request(`/api/v2/sync${after}`, { headers: { Accept: 'text/event-stream' } });
  if (response.status === 401) return signIn();
  if (!response.ok) return expire((await response.json()).code);
  let rest = '';
  const decoder = new TextDecoder();
  for await (const part of response.body) {
    const blocks = (rest + decoder.decode(part, { stream: true })).split('\n\n');
    rest = blocks.pop();
    for (const block of blocks) {
      const { event, data } = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/, 2)));
      if (event === 'batch') await apply(JSON.parse(data));
      else if (event === 'end') expire(JSON.parse(data).code);
    }
  }
}

/** An expired copy is loaded again. The outbox stays. */
function expire(code) {
  if (code === 'CURSOR_EXPIRED') held.cursor = null;
}

/** Sends local changes in order. An acknowledged one stays until a batch includes its effect. */
async function send() {
  const next = outbox.find(({ isSent }) => !isSent);
  if (!next) return;
  const { method, path, body, key } = next;
  next.isTried = true;
  const response = await request(path, { method, body, headers: { 'Idempotency-Key': key } });
  if (response.status === 401) return signIn();
  if (response.status === 409 || response.status === 429 || response.status >= 500) return;
  if (response.ok && !next.isLoaded) next.isSent = true;
  else outbox.splice(outbox.indexOf(next), 1);
  if (!response.ok) console.log(`! ${(await response.json()).message}`);
  await save();
  await send();
}

function runCommand(command, rest) {
  const { id } = view().find((task) => rest !== '' && task.id.endsWith(rest)) ?? {};
  const entry = { method: 'PATCH', path: `/api/v2/todo/${id}`, id, key: randomUUID() };
  if (command === 'list') {
    for (const task of view()) console.log(`${task.completed ? '[x]' : '[ ]'} ${task.title} ${task.id.slice(-6)}`);
  } else if (command === 'add') {
    const changes = { id: typeidUnboxed('task'), title: rest };
    outbox.push({ ...entry, method: 'POST', path: '/api/v2/todo', id: changes.id, body: changes, changes });
  } else if (id === undefined) console.log('! there is no such task');
  else if (command === 'done') outbox.push({ ...entry, body: { completed: true }, changes: { completed: true } });
  else if (command === 'delete') outbox.push({ ...entry, method: 'DELETE', changes: null });
}

/** Repeats the work after any failure. */
async function repeatForever(work) {
  for (;;) {
    await work().catch(() => undefined);
    await delay(300);
  }
}

console.log(`= ${view().length} tasks, ${outbox.length} to be sent`);
void repeatForever(follow);
void repeatForever(send);
for await (const line of createInterface({ input: process.stdin })) {
  const [command, ...words] = line.trim().split(' ');
  runCommand(command, words.join(' '));
  await save();
}

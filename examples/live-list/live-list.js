// Shows a live list of open tasks in the terminal. It fetches the tasks once, follows their changes over WebSocket, and resumes after any
// interruption.
//
// TASKGATE_EMAIL=… TASKGATE_PASSWORD=… node examples/live-list/live-list.js http://127.0.0.1:3000 [file]
//
// The optional file keeps the list and the cursor between runs.
import { readFile, rename, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';

const [url = 'http://127.0.0.1:3000', file] = process.argv.slice(2);
const fields = 'id title completed';

async function signIn() {
  const { TASKGATE_EMAIL: email, TASKGATE_PASSWORD: password } = process.env;
  const response = await fetch(`${url}/api/v1/user/signin`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  if (!response.ok) throw new Error(`signing in was answered by ${response.status}`);
  return response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
}

async function query(cookie, document, variables) {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'x-graphql-yoga-csrf': '1', Cookie: cookie },
    body: JSON.stringify({ query: document, variables }),
  });
  const { data, errors } = await response.json();
  if (errors) throw new Error(errors[0].message);
  return data;
}

/** Reads the cursor before the lists, so changes in between are sent again. */
async function fetchAll(cookie) {
  const { changes } = await query(cookie, '{ changes { cursor } }');
  const tasks = new Map();
  for (let after = null; ;) {
    const page = await query(
      cookie,
      `query ($after: String) { tasks(first: 500, after: $after) { nodes { ${fields} } pageInfo { endCursor hasNextPage } } }`,
      { after },
    );
    for (const task of page.tasks.nodes) tasks.set(task.id, task);
    if (!page.tasks.pageInfo.hasNextPage) return { cursor: changes.cursor, tasks };
    after = page.tasks.pageInfo.endCursor;
  }
}

async function load() {
  const content = file && (await readFile(file, 'utf8').catch(() => undefined));
  if (!content) return undefined;
  const { cursor, tasks } = JSON.parse(content);
  return { cursor, tasks: new Map(tasks) };
}

async function save({ cursor, tasks }) {
  if (!file) return;
  await writeFile(`${file}.new`, JSON.stringify({ cursor, tasks: [...tasks] }));
  await rename(`${file}.new`, file);
}

const marks = { CREATED: '+', UPDATED: '~', DELETED: '-' };

function show({ tasks }, change) {
  if (!process.stdout.isTTY) {
    if (change) console.log(`${marks[change.kind]} ${change.task?.title ?? change.taskId}`);
    else console.log(`= ${tasks.size} tasks`);
    return;
  }
  const lines = [...tasks.values()].map(({ title, completed }) => `${completed ? '[x]' : '[ ]'} ${title}`);
  console.log(`\x1b[2J\x1b[H${lines.join('\n')}\n\n${tasks.size} tasks, live; Ctrl-C ends`);
}

/** Follows the changes until the connection ends. @throws if it ends with an error */
async function follow(state, cookie) {
  class WithCookie extends WebSocket {
    constructor(address, protocols) {
      super(address, protocols, { headers: { Cookie: cookie } });
    }
  }
  // The client's own retries would start at the first cursor.
  const client = createClient({
    url: `${url.replace(/^http/, 'ws')}/graphql`,
    webSocketImpl: WithCookie,
    retryAttempts: 0,
    keepAlive: 10_000,
  });
  try {
    const changes = client.iterate({
      query: `subscription ($after: String) { taskChanges(after: $after) { cursor kind taskId task { ${fields} } } }`,
      variables: { after: state.cursor },
    });
    for await (const { data, errors } of changes) {
      if (errors) throw Object.assign(new Error(errors[0].message), { code: errors[0].extensions?.code });
      const change = data.taskChanges;
      if (change.kind === 'DELETED') state.tasks.delete(change.taskId);
      else if (change.task) state.tasks.set(change.taskId, change.task);
      state.cursor = change.cursor;
      show(state, change);
      await save(state);
    }
  } finally {
    await client.dispose();
  }
}

let cookie = await signIn();
let state = (await load()) ?? (await fetchAll(cookie));
show(state);
for (;;) {
  try {
    await follow(state, cookie);
  } catch (error) {
    const code = error.code ?? error[0]?.extensions?.code;
    if (code === 'CURSOR_EXPIRED') {
      state = await fetchAll(cookie);
      show(state);
      continue;
    }
    if (code === 4401) cookie = await signIn();
  }
  await delay(500);
}

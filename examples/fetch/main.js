// Lists, adds and completes tasks with `fetch`, and follows them with `EventSource`.
//
// TASKGATE_EMAIL=… TASKGATE_PASSWORD=… node fetch/main.js
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
// Browsers have EventSource: new EventSource(`${url}/api/v2/events`, { withCredentials: true }).
import { EventSource } from 'eventsource';
import { sessionFetch, url } from '../session.js';

const maxAttempts = 8;

/**
 * Sends a request until it gets a response. The key of a write prevents repeated effects.
 * @throws an Error with the API's `code` if the request is refused
 */
async function request(method, path, body) {
  const headers = { 'Content-Type': 'application/json', ...(method !== 'GET' && { 'Idempotency-Key': randomUUID() }) };
  for (let attempt = 1; ; attempt += 1) {
    const response = await sessionFetch(url + path, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    }).catch((error) => (attempt < maxAttempts ? undefined : Promise.reject(error)));
    if (response?.ok) return response.json();
    const isTransient = response === undefined || [409, 429, 503].includes(response.status);
    if (!isTransient || attempt === maxAttempts) {
      const { message, ...rest } = await response.json();
      throw Object.assign(new Error(message), rest);
    }
    // Waits as long as the service says, or with exponential backoff. Jitter spreads the clients.
    const seconds = Number(response?.headers.get('Retry-After') ?? 0.2 * 2 ** attempt);
    await delay(seconds * 1000 * (1 + Math.random() / 2));
  }
}

const tasks = new Map();

// Reads the cursor before the list, so the stream includes all changes in between.
const { cursor } = await request('GET', '/api/v2/changes');
for (const task of (await request('GET', '/api/v2/todo')).todos) tasks.set(task.id, task);
console.log(`listed: ${tasks.size}`);

// After a lost connection, it resumes with the id of the last event.
const events = new EventSource(`${url}/api/v2/events?after=${cursor}`, { fetch: sessionFetch });
const followed = new Promise((resolve, reject) => {
  events.addEventListener('task', ({ data }) => {
    const { kind, taskId, task } = JSON.parse(data);
    if (kind === 'deleted') tasks.delete(taskId);
    else tasks.set(taskId, task);
    console.log(`followed: ${kind} ${task?.title ?? taskId}`);
    if (kind === 'updated') resolve();
  });
  // CURSOR_EXPIRED: list again. UNAUTHENTICATED: sign in again.
  events.addEventListener('end', ({ data }) =>
    reject(Object.assign(new Error('the stream has ended'), JSON.parse(data))),
  );
});

const { todo } = await request('POST', '/api/v2/todo', { title: 'Buy milk' });
await request('PATCH', `/api/v2/todo/${todo.id}`, { completed: true });
await followed;
events.close();
console.log(`completed: ${[...tasks.values()].filter(({ completed }) => completed).length}`);

await request('POST', '/api/v2/todo', { title: '' }).catch(({ code, errors }) =>
  console.log(`refused: ${code} at ${errors[0].path}`),
);

// A script without a browser or a session: TASKGATE_TOKEN=tg_… node token/main.js
import { createClient } from 'taskgate-client';

const { TASKGATE_URL, TASKGATE_TOKEN: token } = process.env;
const { rest } = createClient({ url: TASKGATE_URL || 'http://127.0.0.1:3000', token });
const { todos } = await rest.listTasks({ query: { completed: false } });
console.log(`listed: ${todos.length}`);
const { todo } = await rest.createTask({ body: { title: 'Buy milk' }, idempotencyKey: crypto.randomUUID() });
console.log(`added: ${todo.title}`);

// Receives the changes of tasks by a webhook, and verifies each message. The service must allow addresses of this machine:
// OUTGOING_NETWORKS=127.0.0.0/8. TASKGATE_TOKEN=tg_… node webhook/main.js
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { createClient } from 'taskgate-client';

const { TASKGATE_URL, TASKGATE_TOKEN: token } = process.env;
const { rest } = createClient({ url: TASKGATE_URL || 'http://127.0.0.1:3000', token });

let secret = '';
let last = '';
const server = createServer(async (request, response) => {
  const { type, data } = new Webhook(secret).verify(await buffer(request), request.headers);
  // A message that comes again has the same id.
  const isNew = request.headers['webhook-id'] !== last;
  last = request.headers['webhook-id'];
  response.writeHead(204).end();
  if (!isNew) return;
  if (type === 'ping') console.log('received: ping');
  else for (const { kind, task } of data.changes) console.log(`received: ${kind} ${task.title}`);
  if (type === 'tasks.changed') await stop();
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));

const created = await rest.createWebhook({
  body: { url: `http://127.0.0.1:${server.address().port}/`, kinds: ['created'] },
});
secret = created.secret;
const params = { id: created.webhook.id };
console.log(`tested: ${(await rest.testWebhook({ params })).attempt.status}`);
await rest.createTask({ body: { title: 'Buy milk' }, idempotencyKey: crypto.randomUUID() });

async function stop() {
  await rest.deleteWebhook({ params, idempotencyKey: crypto.randomUUID() });
  server.close();
}

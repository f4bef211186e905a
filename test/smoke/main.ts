import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Client } from '../kit/client.ts';
import { processesOf, runWithService } from '../kit/process.ts';
import { accessService } from '../kit/service.ts';
import { signUpByMail } from '../kit/users.ts';

// npm run smoke -- [folder of a built service]: checks that `npm start` serves REST and GraphQL, and stops. Uses the Node.js that runs this script.
// The exit code is 0 on success.
const folder = path.resolve(process.argv[2] ?? '.');
const PATH = [path.dirname(process.execPath), process.env['PATH']].join(path.delimiter);

function check(description: string, found: unknown, expected: unknown) {
  if (JSON.stringify(found) === JSON.stringify(expected)) return;
  throw new Error(`${description}: ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`);
}

await runWithService(folder, { PATH, LOG_LEVEL: 'info' }, async (service, dataDir) => {
  await Promise.race([service.untilLogged(/"msg":"ready"/), service.ended]);
  check('GET /readyz', (await new Client(service.url ?? '').get('/readyz')).status, 200);
  check('Node', /"node":"(v[^"]+)"/.exec(service.errors())?.[1], process.version);
  const user = await signUpByMail(accessService(service.url ?? '', dataDir));
  check('POST /api/v2/todo', (await user.post('/api/v2/todo', { title: 'Smoke' })).status, 201);
  const { data } = await user.graphql('{ tasks(first: 2) { nodes { title project { isDefault } } } }');
  check('POST /graphql', data, { tasks: { nodes: [{ title: 'Smoke', project: { isDefault: true } }] } });
  service.signal('SIGTERM');
  check('exit code', await service.ended, 0);
  check('processes left behind', await processesOf(dataDir), []);
  const { version } = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')) as { version: string };
  console.log(`Taskgate ${version} starts, serves and stops on Node ${process.version}`);
});

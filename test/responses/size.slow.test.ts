import { get, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { maxBytesOfOwner } from '../../packages/work/budget.ts';
import { Client } from '../kit/client.ts';
import { type ServiceProcess, spawnService } from '../kit/process.ts';
import { type Service, startService } from '../kit/service.ts';
import { makeTask } from '../kit/make.ts';
import { fill } from '../kit/tasks.ts';
import { until } from '../kit/until.ts';
import { signUp, type User } from '../kit/users.ts';

const heapMebibytes = 256;

const pages = (count: number, selection = 'description') =>
  `{ ${Array.from({ length: count }, (_, n) => `a${n}:tasks(first:500){nodes{${selection}}}`).join(' ')} }`;

const tooLargeError = {
  extensions: { code: 'VALIDATION_FAILED', errors: [{ path: 'query', message: expect.stringContaining('MiB') }] },
};
const overloaded = { extensions: { code: 'UNAVAILABLE', retryAfter: 1 } };

/** Reads a list in pieces: the whole would be too large for this process, too. */
async function readWhole(url: string, { cookie }: User) {
  const response = await fetch(url, { headers: { Cookie: cookie ?? '' } });
  const decoder = new TextDecoder();
  let [descriptions, end] = [0, ''];
  for await (const chunk of response.body ?? []) {
    // A cut name is completed by the next piece.
    const text = end + decoder.decode(chunk, { stream: true });
    descriptions += text.split(description).length - 1;
    end = text.slice(1 - description.length);
  }
  return { status: response.status, descriptions, end: end.slice(-3) };
}
const description = '"description":';

describe('a response that is larger than a process can hold', () => {
  let service: Service;
  let anna: User;
  let smallService: ServiceProcess;
  let smallClient: Client;

  beforeAll(async () => {
    service = await startService();
    anna = await signUp(service);
    await fill(service, anna, 500, { description: 'a'.repeat(16_384) });
    smallService = await spawnService(
      {
        ...service.variables,
        LOG_LEVEL: 'silent',
      },
      [process.execPath, `--max-old-space-size=${heapMebibytes}`, 'dist/src/process/main.js'],
    );
    smallClient = new Client(smallService.url ?? '', anna.cookie);
  });
  afterAll(async () => {
    smallService.signal('SIGTERM');
    await smallService.ended;
    await service.close();
  });

  test.each([
    ['pages under many names', pages(20)],
    [
      'fragments of fragments, by less than a thousand characters',
      `{ ${Array.from({ length: 25 }, (_, n) => `a${n}:tasks(first:500){...P}`).join(' ')} } fragment P on TaskConnection { nodes { ...T } } fragment T on Task { a:description b:description c:description }`,
    ],
    [
      'one text under many names',
      `{tasks(first:100){nodes{${Array.from({ length: 40 }, (_, n) => `a${n}:description`).join(' ')}}}}`,
    ],
    [
      'tasks below projects',
      `{projects{${Array.from({ length: 9 }, (_, n) => `a${n}:tasks(first:${500 - n}){nodes{description}}`).join(' ')}}}`,
    ],
  ])('is refused, and the process survives: %s', async (_name, query) => {
    expect(await smallClient.graphql(query)).toMatchObject({ errors: [tooLargeError] });
    const answers = await Promise.all(Array.from({ length: 8 }, () => smallClient.graphql(query)));
    for (const { data, errors } of answers) {
      expect(data).toBeUndefined();
      const [error] = errors ?? [];
      expect(errors).toMatchObject([error?.extensions.code === 'UNAVAILABLE' ? overloaded : tooLargeError]);
    }
    expect(await smallClient.data('{ tagCount }')).toEqual({ tagCount: 0 });
  });

  test('of an account that reads none stays bounded, and others are served', async () => {
    const ben = await signUp(service);
    const opened: IncomingMessage[] = [];
    const open = (name: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const query = `query ${name} { tasks(first: 500) { nodes { description } } }`;
        const headers = { Cookie: anna.cookie, 'x-graphql-yoga-csrf': '1' };
        get(`${service.url}/graphql?query=${encodeURIComponent(query)}`, { headers, agent: false }, (response) => {
          opened.push(response);
          resolve(response.statusCode);
        }).on('error', reject);
      });
    const pageBytes = 500 * 16_384;
    const statuses = [];
    for (let at = 0; at < maxBytesOfOwner / pageBytes + 2; at += 1) statuses.push(await open(`Q${at}`));
    expect([statuses[0], statuses.at(-1)]).toEqual([200, 503]);
    expect(await ben.data('{ tagCount }')).toEqual({ tagCount: 0 });
    for (const response of opened) response.destroy();
    await until('the account is served again', async () => (await open('Again')) === 200);
    opened.at(-1)?.destroy();
  });

  test('does not include the largest page of tasks with long descriptions', async () => {
    const { tasks } = await smallClient.data<{ tasks: { nodes: { description: string }[] } }>(
      '{ tasks(first: 500) { nodes { description } } }',
    );
    expect(tasks.nodes).toHaveLength(500);
    expect(new Set(tasks.nodes.map(({ description }) => description.length))).toEqual(new Set([16_384]));
  });

  test('of a mutation has no data, although the mutation has happened', async () => {
    const dora = await signUp(service);
    const parent = await makeTask(dora, { title: 'before' });
    await fill(service, dora, 1500, { description: 'd'.repeat(16_384) });
    await service.sql('UPDATE tasks SET parent_id = $2 WHERE space_id = $1 AND id <> $2', [dora.id, parent.id]);
    const dorasSmallClient = new Client(smallService.url ?? '', dora.cookie);
    const renaming = `mutation { updateTask(id: "${parent.id}", input: {title: "after"}) { children { description } } }`;
    const { data, errors } = await dorasSmallClient.graphql(renaming);
    expect(data).toBeNull();
    expect(errors).toMatchObject([tooLargeError]);
    expect(await dorasSmallClient.data(`{ task(id: "${parent.id}") { title } }`)).toEqual({ task: { title: 'after' } });
  });

  test('does not prevent large lists without pages, which are sent whole, all at once', async () => {
    const carl = await signUp(service);
    await fill(service, carl, 6000, { description: 'b'.repeat(1000), levels: 2 });
    const lists = await Promise.all(
      Array.from({ length: 8 }, (_, n) => readWhole(`${smallService.url ?? ''}/api/v2/todo?turn=${n}`, carl)),
    );
    // Every task is an entry, and every second one is a child, too.
    const expected = { status: 200, descriptions: 9000, end: '}]}' };
    expect(lists).toEqual(lists.map(() => expected));
    expect(await smallClient.data('{ tagCount }')).toEqual({ tagCount: 0 });
  });
});

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { sharedService } from '../kit/shared-service.ts';
import { randomEmail } from '../kit/random.ts';
import { fileOf, sectionOf } from './page.ts';

const run = promisify(execFile);
const page = await fileOf('README.md');

test('the README begins with a clone, and names disk space and time', () => {
  const start = sectionOf(page, '## Start');
  expect(start).toMatch(/^git clone .* && cd taskgate\nnpm ci && npm start$/m);
  expect(start).toMatch(/780 MB of disk space and about a minute/);
});

test('the commands of the tour sign up, and complete a task that repeats', async () => {
  const { url, dataDir } = await sharedService();
  const email = randomEmail();
  const blocks = [...sectionOf(page, '## A tour').matchAll(/```sh\n(.*?)```/gs)].map(([, block]) => block);
  const script = blocks
    .join('')
    .replaceAll('http://127.0.0.1:3000', url)
    .replaceAll('anna@example.com', email)
    .replaceAll('cookies.txt', `${dataDir}/cookies.txt`)
    .replaceAll('.data/outbox', `${dataDir}/outbox`)
    // A busy machine needs longer.
    .replace('sleep 1\n', `until grep -qs '${email}' ${dataDir}/outbox/*.eml; do sleep 0.1; done\n`);
  const { stdout } = await run('bash', ['-c', script]);
  const shown = stdout.trimEnd().split('\n');
  expect(shown.slice(-4).map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { recurrence: { summary: 'Every year on 15 May', date: '2027-05-15', number: 1 } },
    { todo: { completed: true } },
    { todos: [{ completed: true }, { completed: false, dueDate: expect.stringMatching(/-05-15$/) }] },
    {
      data: {
        tasks: {
          nodes: [
            { title: 'Plant tomatoes', children: [{ title: 'Buy soil', completed: true }] },
            {
              title: 'Plant tomatoes',
              tags: [{ name: 'garden' }],
              children: [{ title: 'Buy soil', completed: false }],
            },
          ],
        },
      },
    },
  ]);
});

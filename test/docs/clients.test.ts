import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { sharedService } from '../kit/shared-service.ts';
import { signUp } from '../kit/users.ts';
import { fileOf, sectionOf } from './page.ts';

const run = promisify(execFile);
const page = await fileOf('docs/clients.md');

test.each(['index.html', 'vite.config.js', 'replica.js', 'main.jsx', 'public/sw.js'])(
  'the page that works offline shows %s as in the tested example',
  async (file) => {
    const [, codeInDocs] = new RegExp(`^\`${file}\`[^\n]*:\n\n\`\`\`\\w+\n(.*?)^\`\`\``, 'ms').exec(page) ?? [];
    expect(codeInDocs).toBe(await fileOf(`examples/react/${file}`));
  },
);

/** Runs the commands below a heading. @returns their output */
async function runBlock(heading: string): Promise<string> {
  const service = await sharedService();
  const { email, password } = await signUp(service);
  const [, block = ''] = /```sh\n(.*?)```/s.exec(sectionOf(page, heading)) ?? [];
  const script = block
    .replaceAll('http://127.0.0.1:3000', service.url)
    .replaceAll('anna@example.com', email)
    .replaceAll('correct horse battery', password)
    .replaceAll('cookies.txt', `${service.dataDir}/cookies.txt`);
  const env = { PATH: process.env['PATH'], TASKGATE_URL: service.url };
  return (await run('bash', ['-c', script], { env })).stdout;
}

test('the commands for scripts make a first token, and use it', async () => {
  expect(await runBlock('## Scripts')).toBe('listed: 0\nadded: Buy milk\n');
});

test('the command for curl runs the tour', async () => {
  expect(await runBlock('## curl')).toBe(
    'added: 1\nrepeats: Every week on Saturday\ncompleted: Buy milk\nfollowed: 4 changes\n',
  );
});

test('the page says what TypeScript needs with nodenext', () => {
  expect(page).toMatch(/"moduleResolution": "nodenext"/);
});

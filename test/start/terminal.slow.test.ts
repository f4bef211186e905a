import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { accessService } from '../kit/service.ts';
import { createTestDatabase } from '../kit/postgres.ts';
import { dataFolders, endServices, spawnService } from '../kit/process.ts';
import { randomEmail } from '../kit/random.ts';
import { describeIfInstalled } from '../kit/where-installed.ts';

const script = '/usr/bin/script';
const inTerminal = [script, '--quiet', '--return', '--command', 'exec node dist/src/process/main.js', '/dev/null'];

const folders = dataFolders();
let DATABASE_URL: string;
beforeAll(async () => {
  DATABASE_URL = await createTestDatabase();
});
afterEach(() => endServices('SIGTERM'));
afterAll(() => folders.remove());

/** @returns the code from the mail, and the service's output so far */
async function requestCode(variables: Record<string, string>, command?: string[]) {
  const DATA_DIR = await folders.make();
  const service = await spawnService({ DATABASE_URL, DATA_DIR, ...variables }, command);
  const { anonymous, mailbox } = accessService(service.url ?? '', DATA_DIR);
  const email = randomEmail();
  await anonymous.post('/api/v1/user/signup/send-otp', { email });
  const code = await mailbox.takeCode(email);
  await anonymous.get('/api/v2/todo');
  service.signal('SIGINT');
  await service.ended;
  const line = new RegExp(`^Code for ${email}: ${code}\\r?$`, 'm');
  return { code, email, line, output: service.output(), errors: service.errors() };
}

describeIfInstalled(script)('in a terminal', () => {
  test('the code has a plain line, the log is readable, and no request has a line', async () => {
    const { line, output, code } = await requestCode({}, inTerminal);
    expect(output).toMatch(line);
    expect(output.split(code)).toHaveLength(2);
    expect(output).toMatch(/^\d\d:\d\d:\d\d info ready event=sys_startup /m);
    expect(output).not.toMatch(/^\{/m);
    expect(output).not.toMatch(/ request /);
  });
});

test('outside a terminal the log is JSON, and the plain line is on standard output', async () => {
  const { line, output, errors, email, code } = await requestCode({});
  expect(output).toMatch(line);
  const lines = errors.trimEnd().split('\n');
  const logEntries = lines.map((each) => JSON.parse(each) as object);
  expect(logEntries).toContainEqual(expect.objectContaining({ email, oneTimeCode: code }));
  expect(logEntries).toContainEqual(expect.objectContaining({ msg: 'request', route: '/api/v2/todo' }));
});

test('in production a code is only in the log', async () => {
  const production = { NODE_ENV: 'production', MAIL_TO_FILES: 'on', SESSION_SECRET: 'x'.repeat(16) };
  const { output, errors, code } = await requestCode(production);
  expect(output).not.toContain(code);
  expect(errors).toContain(`"oneTimeCode":"${code}"`);
});

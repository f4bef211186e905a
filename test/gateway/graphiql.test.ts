import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { examples } from '../../src/gateway/examples.ts';
import { operationChecker } from '../../src/gateway/operation.ts';
import { schema } from '../../src/schema.ts';
import { makeTask } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';

const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
// Where a browser is missing the page cannot be looked at; in CI that is a failure.
const withBrowser = existsSync(executablePath) || process.env['CI'] === 'true' ? describe : describe.skip;

const html = { headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } };

describe('GET /graphql of a browser', () => {
  let service: Service;
  let anna: User;
  beforeAll(async () => {
    service = await startService();
    anna = await signUp(service);
  });
  afterAll(() => service.close());

  test('answers one page without addresses of others, under a policy of its own', async () => {
    const { status, headers, body } = await anna.get<string>('/graphql', html);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    // Said as a boolean, as the page is 9 MB long. What its scripts ask for, the browser below tells.
    expect(/<(script|link)[^>]* (src|href)="(?!data:)/.test(body.slice(0, body.indexOf('<noscript>')))).toBe(false);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'; script-src 'sha256-");
    expect(policy).not.toMatch(/https?:|\*/);
    const data = await anna.post('/graphql', { query: '{ __typename }' });
    expect(data.headers.get('content-security-policy')).not.toBe(policy);
  });

  test('answers 304 where the browser has the page', async () => {
    const { headers } = await anna.get('/graphql', html);
    const again = await anna.get('/graphql', {
      headers: { ...html.headers, 'If-None-Match': headers.get('etag') ?? '', 'Cache-Control': 'max-age=0' },
    });
    expect(again).toMatchObject({ status: 304, body: '' });
  });

  test('opens with examples that fit the schema and the limits', () => {
    const sender = { requestId: 'test', hasSession: true };
    const check = operationChecker(schema, { introspection: true, persisted: { listed: new Map(), only: false } });
    for (const { query, variables } of examples) {
      const checked = check({ query, variables: variables && JSON.parse(variables) }, sender);
      expect(checked.errors?.map(({ message }) => message)).toBeUndefined();
    }
  });

  withBrowser('in Chromium', () => {
    let browser: Browser | undefined;
    let context: BrowserContext;
    let page: Page;
    const addresses: string[] = [];
    const complaints: string[] = [];

    beforeAll(async () => {
      const flags = [
        '--headless',
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ];
      browser = await chromium.launch({ executablePath, args: flags });
      context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
      const [name = '', value = ''] = (anna.cookie ?? '').split('=');
      await context.addCookies([{ name, value, url: service.url }]);
      // Below Jest's own, so that what is waited for in vain has a name.
      context.setDefaultTimeout(90_000);
      page = await context.newPage();
      page.on('request', (request) => addresses.push(request.url()));
      page.on('console', (message) => {
        if (message.type() === 'error') complaints.push(message.text());
      });
      page.on('pageerror', (error) => complaints.push(error.message));
      await page.goto(`${service.url}/graphql`);
    });
    afterAll(() => browser?.close());

    test('runs an example as the user who is signed in', async () => {
      const { title } = await makeTask(anna);
      await page.getByRole('button', { name: /Execute query/ }).click();
      const answer = page.locator('.graphiql-response');
      await answer.getByText(title).waitFor();
      expect(await answer.innerText()).toContain('totalCount');
    });

    test('follows the changes of tasks', async () => {
      await page.getByRole('button', { name: 'TaskChanges', exact: true }).click();
      // GraphiQL reads a tab's text, and with it the name of the operation to run, a moment after it has been chosen; by
      // then it has stored the text. Whoever is quicker runs the operation of the tab before, which is not there.
      await page.waitForFunction(() => localStorage.getItem('graphiql:query')?.includes('subscription TaskChanges'));
      const streaming = page.waitForResponse(
        (response) => response.headers()['content-type']?.startsWith('text/event-stream') === true,
      );
      await page.getByRole('button', { name: /Execute query/ }).click();
      await streaming;
      const { title } = await makeTask(anna);
      await page.locator('.graphiql-response').getByText(title).waitFor();
      if (process.env['SCREENSHOT']) await page.screenshot({ path: process.env['SCREENSHOT'] });
      await page.getByRole('button', { name: /Stop query/ }).click();
    });

    test('shows the documentation of the schema', async () => {
      await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
      await page.getByRole('link', { name: 'Query', exact: true }).click();
      await page.getByText('What can be read.').waitFor();
    });

    test('asks nobody but the service, and breaks no policy', () => {
      const elsewhere = addresses.filter(
        (address) => !address.startsWith(service.url) && !/^(blob|data):/.test(address),
      );
      expect(elsewhere).toEqual([]);
      expect(complaints).toEqual([]);
    });
  });
});

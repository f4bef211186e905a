import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { examples } from '../../src/graphql-transport/examples.ts';
import { executorWith } from '../kit/executor.ts';
import { openPage, type WatchedPage } from '../kit/browser.ts';
import { describeWithBrowser } from '../kit/with-browser.ts';
import { makeTask } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';
import { operationChecker } from '../../packages/execution/check-operation.ts';

const html = { headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } };

describe('GET /graphql of a browser', () => {
  let service: Service;
  let anna: User;
  beforeAll(async () => {
    service = await startService();
    anna = await signUp(service);
  });
  afterAll(() => service.close());

  test('serves one page without addresses of others, under its own policy', async () => {
    const { status, headers, body } = await anna.get<string>('/graphql', html);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    // A boolean, because the page has 9 MB. The browser below reports the requests of its scripts.
    expect(/<(script|link)[^>]* (src|href)="(?!data:)/.test(body.slice(0, body.indexOf('<noscript>')))).toBe(false);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^default-src 'none'; .*; script-src 'sha256-/);
    expect(policy).not.toMatch(/https?:|\*/);
    const data = await anna.post('/graphql', { query: '{ __typename }' });
    expect(data.headers.get('content-security-policy')).not.toBe(policy);
  });

  test('responds with 304 if the browser has the page', async () => {
    const { headers } = await anna.get('/graphql', html);
    const revalidated = await anna.get('/graphql', {
      headers: { ...html.headers, 'If-None-Match': headers.get('etag') ?? '', 'Cache-Control': 'max-age=0' },
    });
    expect(revalidated).toMatchObject({ status: 304, body: '' });
  });

  test('opens with examples that fit the schema and the limits', () => {
    const sender = { requestId: 'test', userId: 'user', onNewDocument: () => undefined };
    const check = operationChecker(executorWith());
    for (const { query, variables } of examples) {
      const checked = check({ query, variables: variables && JSON.parse(variables) }, sender);
      expect(checked.errors?.map(({ message }) => message)).toBeUndefined();
    }
  });

  describeWithBrowser('in Chromium', () => {
    let watchedPage: WatchedPage;
    let page: WatchedPage['page'];

    beforeAll(async () => {
      watchedPage = await openPage(service.url, anna.cookie);
      ({ page } = watchedPage);
      await page.goto(`${service.url}/graphql`);
    });
    afterAll(() => watchedPage.browser.close());

    test('runs an example as the signed-in user', async () => {
      const { title } = await makeTask(anna);
      await page.getByRole('button', { name: /Execute query/ }).click();
      const answer = page.locator('.graphiql-response');
      await answer.getByText(title).waitFor();
      expect(await answer.innerText()).toContain('totalCount');
    });

    test('follows the changes of tasks', async () => {
      await page.getByRole('button', { name: 'TaskChanges', exact: true }).click();
      // GraphiQL stores the text of a tab once it has read it. Before that it would run the operation of the previous
      // tab.
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
      await page.getByText('All fields except', { exact: false }).waitFor();
    });

    test('makes requests only to the service, and violates no policy', () => {
      const foreignAddresses = watchedPage.addresses.filter(
        (address) => !address.startsWith(service.url) && !/^(blob|data):/.test(address),
      );
      expect(foreignAddresses).toEqual([]);
      expect(watchedPage.problems).toEqual([]);
    });
  });
});

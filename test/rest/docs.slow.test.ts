import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { routes } from '../../rest/routes.ts';
import { errorCodes } from '../../src/platform/errors.ts';
import { openPage } from '../kit/browser.ts';
import { describeWithBrowser } from '../kit/with-browser.ts';
import { checkAnswer } from '../kit/openapi.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp } from '../kit/users.ts';

interface OpenApi {
  paths: Record<string, Record<string, OpenApiOperation>>;
  components: {
    responses: Record<string, { description: string; content: { 'application/json': { examples: object } } }>;
  };
}

interface OpenApiOperation {
  operationId: string;
  summary: string;
  parameters: { name?: string; in?: string; schema?: object }[];
  requestBody?: { content: { 'application/json': { schema: { properties?: object } } } };
  responses: Record<string, { $ref?: string }>;
}

describe('the documentation of the service', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ CONSOLE: 'off' });
  });
  afterAll(() => service.close());

  const read = (path: string) => fetch(new URL(path, service.url));

  test('GET /docs shows the REST reference with its own assets', async () => {
    const page = await read('/docs');
    expect(page.headers.get('content-type')).toContain('text/html');
    const assets = [...(await page.text()).matchAll(/(?:src|href)="(?!data:)([^"]+)"/g)].map(([, asset = '']) => asset);
    expect(assets).toHaveLength(4);
    for (const asset of assets) {
      expect(asset).toMatch(/^\/docs\//);
      expect((await read(asset)).status).toBe(200);
    }
  });

  test('GET / leads a browser to both, and is 404 for a data client', async () => {
    const page = await fetch(service.url, { headers: { Accept: 'text/html,*/*;q=0.8' } });
    expect(page.headers.get('content-type')).toContain('text/html');
    const links = [...(await page.text()).matchAll(/<a href="([^"]+)"/g)].map(([, link = '']) => link);
    expect(links).toEqual(['/graphql', '/docs']);
    expect((await read('/')).status).toBe(404);
  });

  test('the OpenAPI document has every row, with its input and its errors', async () => {
    const { paths } = (await (await read('/api/openapi.json')).json()) as OpenApi;
    for (const { method, path, summary, status = 200, auth, input } of routes.filter((row) => !row.raw)) {
      const operation = paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method];
      expect(operation?.summary).toBe(summary);
      expect(operation?.responses).toHaveProperty(String(status));
      expect('401' in (operation?.responses ?? {})).toBe(auth === 'session');
      expect(operation?.requestBody !== undefined).toBe(input.shape.body !== undefined);
      expect(operation?.responses).toHaveProperty('503');
    }
  });

  test('the OpenAPI document names the endpoints that limit their callers or refuse their members', async () => {
    const { paths } = (await (await read('/api/openapi.json')).json()) as OpenApi;
    const answering = (status: number) =>
      Object.entries(paths).flatMap(([path, methods]) =>
        Object.keys(methods).flatMap((method) => (methods[method]?.responses[status] ? [`${method} ${path}`] : [])),
      );
    expect(answering(429)).toEqual(answering(500));
    const writes = routes.filter(({ method, auth }) => method !== 'get' && auth === 'session');
    const others = ['post /api/v1/user/signin', 'get /api/v1/auth/{provider}', 'get /api/v1/auth/{provider}/callback'];
    expect(answering(403).toSorted()).toEqual(
      [...writes.map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`), ...others].toSorted(),
    );
  });

  test('the OpenAPI document describes all codes of each status', async () => {
    const { paths, components } = (await (await read('/api/openapi.json')).json()) as OpenApi;
    const described = (path: string, status: number) => {
      const { $ref = '' } = paths[path]?.['get']?.responses[status] ?? {};
      return components.responses[$ref.replace('#/components/responses/', '')];
    };
    const { VALIDATION_FAILED, CURSOR_EXPIRED, RATE_LIMITED } = errorCodes;
    expect(described('/api/v2/projects', 400)?.description).toBe(`\`VALIDATION_FAILED\`: ${VALIDATION_FAILED.meaning}`);
    expect(Object.keys(described('/api/v2/sync', 400)?.content['application/json'].examples ?? {})).toEqual([
      'VALIDATION_FAILED',
      'CURSOR_EXPIRED',
    ]);
    expect(described('/api/v2/sync', 400)?.description).toContain(CURSOR_EXPIRED.meaning);
    expect(described('/api/v2/projects', 429)?.description).toBe(`\`RATE_LIMITED\`: ${RATE_LIMITED.meaning}`);
  });

  test('the OpenAPI document describes how to resume a stream', async () => {
    const { paths } = (await (await read('/api/openapi.json')).json()) as OpenApi;
    for (const path of ['/api/v2/events', '/api/v2/sync']) {
      const parameters = paths[path]?.['get']?.parameters ?? [];
      expect(parameters).toContainEqual({ $ref: '#/components/parameters/LastEventId' });
      expect(parameters).toContainEqual(expect.objectContaining({ name: 'after', in: 'query' }));
    }
    const limit = paths['/api/v2/sync']?.['get']?.parameters.find(({ name }) => name === 'limit');
    expect(limit?.schema).toEqual({ type: 'integer', minimum: 1, maximum: 5000, default: 500 });
  });

  test('the OpenAPI document has no input that is refused', async () => {
    const { paths } = (await (await read('/api/openapi.json')).json()) as OpenApi;
    const { properties } =
      paths['/api/v1/user/user-preferences']?.['put']?.requestBody?.content['application/json'].schema ?? {};
    expect(Object.keys(properties ?? {})).toEqual(['emailEnabled', 'reminderBefore', 'taskRemainders', 'dailyDigest']);
  });

  test('the OpenAPI document has a unique name for each operation', async () => {
    const { paths } = (await (await read('/api/openapi.json')).json()) as OpenApi;
    const names = Object.values(paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    expect(names).toHaveLength(routes.length);
    expect(new Set(names).size).toBe(names.length);
    expect(names.every((name) => /^[a-z]+([A-Z][a-z]+)*$/.test(name))).toBe(true);
  });

  test.each([
    ['a status', 418, { count: 1 }, 'answers 418'],
    ['a property', 200, { count: 1, more: 1 }, 'additional properties'],
    ['a type', 200, { count: '1' }, 'must be integer'],
    ['a code', 401, { message: 'no', code: 'NOT_FOUND' }, 'allowed values'],
  ])('the tests notice a response with %s that is not in the OpenAPI document', (_label, status, body, problem) => {
    const headers = new Headers({ 'content-type': 'application/json; charset=utf-8' });
    const check = (answer: object) => checkAnswer('GET', '/api/v2/tag/count?x=1', { status, headers, body: answer });
    expect(() => check(body)).toThrow(problem);
    expect(() => checkAnswer('GET', '/api/v2/tag/count', { status: 200, headers, body: { count: 1 } })).not.toThrow();
  });

  test('GET /metrics is unknown to clients', async () => {
    const response = await read('/metrics');
    expect([response.status, await response.json()]).toMatchObject([404, { code: 'NOT_FOUND' }]);
  });

  test('GET /healthz and /readyz respond while the service runs', async () => {
    expect(await (await read('/healthz')).json()).toEqual({ status: 'ok' });
    expect(await (await read('/readyz')).json()).toEqual({ status: 'ok' });
  });

  describeWithBrowser('in Chromium', () => {
    test('the first page leads to the others, and violates no policy', async () => {
      const { browser, page, problems } = await openPage(service.url);
      await page.goto(service.url);
      if (process.env['SCREENSHOT']) await page.screenshot({ path: process.env['SCREENSHOT'] });
      await page.getByRole('link', { name: 'REST' }).click();
      await page.locator('.opblock').first().waitFor();
      await page.goBack();
      await page.getByRole('link', { name: 'GraphQL' }).click();
      await page.getByRole('button', { name: 'SignUp', exact: true }).waitFor();
      expect(problems).toEqual([]);
      await browser.close();
    });

    test('requests of the REST reference use the session of the browser', async () => {
      const anna = await signUp(service);
      const { browser, page } = await openPage(service.url);
      await page.goto(`${service.url}/docs`);
      await page.locator('.opblock').first().waitFor();
      expect(await page.locator('.authorize').count()).toBe(0);
      await page.getByLabel('E-mail').fill(anna.email);
      await page.getByRole('textbox', { name: 'Password' }).fill('wrong');
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByText('Wrong e-mail address or password').waitFor();
      await page.getByRole('textbox', { name: 'Password' }).fill(anna.password);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByText(`Signed in as ${anna.email}`).waitFor();
      const operation = page.locator('#operations-user-getProfile');
      await operation.locator('.opblock-summary-control').click();
      await operation.getByRole('button', { name: 'Execute' }).click();
      await operation.locator('.live-responses-table').getByText(anna.id).waitFor();
      if (process.env['SCREENSHOT']) await page.screenshot({ path: process.env['SCREENSHOT'] });
      await page.getByRole('button', { name: 'Sign out', exact: true }).click();
      await page.getByText('Sign in to send requests').waitFor();
      await browser.close();
    });

    test('the REST reference uses the colours of the system', async () => {
      const { browser, page } = await openPage(service.url);
      const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.goto(`${service.url}/docs`);
      await page.locator('html.dark-mode .opblock').first().waitFor();
      const dark = await background();
      if (process.env['SCREENSHOT']) await page.screenshot({ path: `${process.env['SCREENSHOT']}-dark.png` });
      await page.emulateMedia({ colorScheme: 'light' });
      await page.locator('html:not(.dark-mode)').waitFor();
      if (process.env['SCREENSHOT']) await page.screenshot({ path: `${process.env['SCREENSHOT']}-light.png` });
      expect(await background()).not.toBe(dark);
      await browser.close();
    });

    test('the REST reference shows every endpoint, makes requests only to the service, and violates no policy', async () => {
      const { browser, page, addresses, problems } = await openPage(service.url);
      await page.goto(`${service.url}/docs`);
      await page.locator('.opblock').first().waitFor();
      expect(await page.locator('.opblock').count()).toBeGreaterThanOrEqual(routes.length);
      await page.locator('.opblock-summary-control').first().click();
      await page.locator('.opblock-body').first().waitFor();
      expect(addresses.filter((address) => !address.startsWith(service.url) && !address.startsWith('data:'))).toEqual(
        [],
      );
      expect(problems).toEqual([]);
      await browser.close();
    });
  });
});

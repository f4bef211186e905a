import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { routes } from '../../rest/routes.ts';
import { errorCodes } from '../../src/kernel/errors.ts';
import { openPage, withBrowser } from '../kit/browser.ts';
import { type Service, startService } from '../kit/service.ts';

interface OpenApi {
  paths: Record<string, Record<string, OpenApiOperation>>;
}

interface OpenApiOperation {
  summary: string;
  parameters: { name: string; in: string; description?: string }[];
  requestBody?: object;
  responses: Record<string, object>;
}

describe('what the service tells of itself', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  const read = (path: string) => fetch(new URL(path, service.url));

  test('GET /docs shows the REST reference with assets of its own', async () => {
    const page = await read('/docs');
    expect(page.headers.get('content-type')).toContain('text/html');
    const assets = [...(await page.text()).matchAll(/(?:src|href)="(?!data:)([^"]+)"/g)].map(([, asset = '']) => asset);
    expect(assets).toHaveLength(3);
    for (const asset of assets) {
      expect(asset).toMatch(/^\/docs\//);
      expect((await read(asset)).status).toBe(200);
    }
  });

  test('GET / leads a browser to both, and has nothing for a client of data', async () => {
    const page = await fetch(service.url, { headers: { Accept: 'text/html,*/*;q=0.8' } });
    expect(page.headers.get('content-type')).toContain('text/html');
    const links = [...(await page.text()).matchAll(/<a href="([^"]+)"/g)].map(([, link = '']) => link);
    expect(links).toEqual(['/graphql', '/docs']);
    expect((await read('/')).status).toBe(404);
  });

  test('the OpenAPI document has every row, with its input and its errors', async () => {
    const { paths } = (await (await read('/docs/openapi.json')).json()) as OpenApi;
    for (const { method, path, summary, status = 200, auth, input } of routes) {
      const operation = paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method];
      expect(operation?.summary).toBe(summary);
      expect(operation?.responses).toHaveProperty(String(status));
      expect('401' in (operation?.responses ?? {})).toBe(auth === 'session');
      expect(operation?.requestBody !== undefined).toBe(input.shape.body !== undefined);
      expect(operation?.responses).toHaveProperty('503');
    }
  });

  test('the OpenAPI document names the endpoints that limit their callers or refuse their members', async () => {
    const { paths } = (await (await read('/docs/openapi.json')).json()) as OpenApi;
    const answering = (status: number) =>
      Object.entries(paths).flatMap(([path, methods]) =>
        Object.keys(methods).flatMap((method) => (methods[method]?.responses[status] ? [`${method} ${path}`] : [])),
      );
    expect(answering(429)).toEqual(answering(500));
    expect(answering(403)).toEqual(['post /api/v2/projects', 'delete /api/v2/projects/{id}']);
  });

  test('the OpenAPI document says of each status what its code means', async () => {
    const { paths } = (await (await read('/docs/openapi.json')).json()) as OpenApi;
    expect(paths['/api/v1/user/password']?.['put']?.responses).toMatchObject({
      401: { description: errorCodes.UNAUTHENTICATED.meaning },
    });
    expect(paths['/api/v1/user/signin']?.['post']?.responses).toMatchObject({
      400: { description: errorCodes.VALIDATION_FAILED.meaning },
      429: { description: errorCodes.RATE_LIMITED.meaning },
      500: { description: errorCodes.INTERNAL.meaning },
      503: { description: errorCodes.UNAVAILABLE.meaning },
    });
  });

  test('the OpenAPI document says how a stream of events is resumed', async () => {
    const { paths } = (await (await read('/docs/openapi.json')).json()) as OpenApi;
    const parametersOf = (path: string) => paths[path]?.['get']?.parameters ?? [];
    for (const path of ['/api/v2/events', '/api/v2/sync']) {
      const places = parametersOf(path).map(({ name, in: place }) => [name, place]);
      expect(places).toEqual(
        expect.arrayContaining([
          ['after', 'query'],
          ['Last-Event-ID', 'header'],
        ]),
      );
    }
    expect(parametersOf('/api/v2/sync').find(({ name }) => name === 'limit')?.description).toMatch('1 to 5,000');
  });

  test('GET /metrics is no path for clients', async () => {
    const response = await read('/metrics');
    expect([response.status, await response.json()]).toMatchObject([404, { code: 'NOT_FOUND' }]);
  });

  test('GET /healthz and /readyz answer while the service runs', async () => {
    expect(await (await read('/healthz')).json()).toEqual({ status: 'ok' });
    expect(await (await read('/readyz')).json()).toEqual({ status: 'ok' });
  });

  withBrowser('in Chromium', () => {
    test('the first page leads to the others, and breaks no policy', async () => {
      const { browser, page, complaints } = await openPage(service.url);
      await page.goto(service.url);
      if (process.env['SCREENSHOT']) await page.screenshot({ path: process.env['SCREENSHOT'] });
      await page.getByRole('link', { name: 'REST' }).click();
      await page.locator('.opblock').first().waitFor();
      await page.goBack();
      await page.getByRole('link', { name: 'GraphQL' }).click();
      await page.getByRole('button', { name: 'SignUp', exact: true }).waitFor();
      expect(complaints).toEqual([]);
      await browser.close();
    });

    test('the REST reference shows every endpoint, asks nobody but the service, and breaks no policy', async () => {
      const { browser, page, addresses, complaints } = await openPage(service.url);
      await page.goto(`${service.url}/docs`);
      await page.locator('.opblock').first().waitFor();
      expect(await page.locator('.opblock').count()).toBeGreaterThanOrEqual(routes.length);
      await page.locator('.opblock-summary-control').first().click();
      await page.locator('.opblock-body').first().waitFor();
      expect(addresses.filter((address) => !address.startsWith(service.url) && !address.startsWith('data:'))).toEqual(
        [],
      );
      expect(complaints).toEqual([]);
      await browser.close();
    });
  });
});

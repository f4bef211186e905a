import { beforeAll, describe, expect, test } from '@jest/globals';
import { pages } from '../../console/src/app/paths.ts';
import { codesLocation } from '../../src/pages/console.ts';
import { loadConfig } from '../../src/config/config.ts';
import { type Service, startService } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';

const html = { headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } };

describe('the console', () => {
  let service: Service;
  beforeAll(async () => {
    service = await sharedService();
  });

  const get = (path: string, options = {}) => service.anonymous.get<string>(path, options);

  test('is one page at all of its addresses, under a strict policy', async () => {
    const page = await get('/', html);
    expect(page).toMatchObject({ status: 200 });
    expect(page.headers.get('content-security-policy')).toBe(
      "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect(page.body).not.toMatch(/<script>|style=|<style/);
    for (const path of pages.flatMap((name) => [`/${name}`, `/${name}/any_1`])) {
      expect(await get(path, html)).toMatchObject({ status: 200, body: page.body });
    }
    expect(page.body).toContain(`content="${service.dataDir}/outbox"`);
  });

  test('has assets named by their hash, compressed for clients that accept that', async () => {
    const { body } = await get('/', html);
    const paths = [...body.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path = '']) => path);
    expect(paths.map((path) => path.replace(/-\w+\./, '.'))).toEqual(
      expect.arrayContaining(['/assets/icon.svg', '/assets/style.css', '/assets/console.js']),
    );
    for (const path of paths) {
      const { status, headers } = await get(path);
      expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable']);
      expect(headers.get('content-encoding')).toBe('gzip');
      const plain = await get(path, { headers: { 'Accept-Encoding': 'identity' } });
      expect(plain.headers.get('content-encoding')).toBeNull();
    }
    expect((await get('/assets/none.js')).status).toBe(404);
    expect((await get('/sw.js')).headers.get('cache-control')).toBe('no-cache');
  });

  test('is not sent to programs', async () => {
    for (const path of ['/', '/today']) {
      expect(await service.anonymous.get(path)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    }
    expect((await get('/somewhere', html)).status).toBe(404);
  });
});

test.each([
  { variables: { DATA_DIR: '.data' }, place: '.data/outbox' },
  { variables: { DATA_DIR: '/a "b" <c>' }, place: '/a "b" <c>/outbox' },
  { variables: { SMTP_URL: 'smtp://127.0.0.1' }, place: 'smtp' },
  { variables: { NODE_ENV: 'production', MAIL_TO_FILES: 'on', SESSION_SECRET: 'x'.repeat(16) }, place: 'files' },
])('the page with $variables names $place as the place of codes', ({ variables, place }) => {
  expect(codesLocation(loadConfig(variables))).toBe(place);
});

test('CONSOLE=off shows links to the APIs instead', async () => {
  const service = await startService({ CONSOLE: 'off' });
  const { body } = await service.anonymous.get<string>('/', html);
  expect(body).toContain('Programs use it through its APIs');
  expect((await service.anonymous.get('/today', html)).status).toBe(404);
  await service.close();
});

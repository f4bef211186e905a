import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { newPage, openPage, type WatchedPage } from '../kit/browser.ts';
import { type Service, startService } from '../kit/service.ts';
import { until } from '../kit/until.ts';
import { signUp, type User } from '../kit/users.ts';
import { describeWithBrowser } from '../kit/with-browser.ts';

interface Manifest {
  readonly name: string;
  readonly display: string;
  readonly icons: readonly { src: string; sizes: string; type: string; purpose: string }[];
  readonly shortcuts: readonly { name: string; url: string }[];
  readonly share_target: { action: string; method: string; params: Record<string, string> };
}

describeWithBrowser('the installed console', () => {
  let service: Service;
  let watchedPage: WatchedPage;
  let page: WatchedPage['page'];
  let manifest: Manifest;
  let user: User;
  beforeAll(async () => {
    service = await startService();
    user = await signUp(service);
    watchedPage = await openPage(service.url, user.cookie);
    ({ page } = watchedPage);
    await page.goto(`${service.url}/today`);
    const url = await page.locator('link[rel=manifest]').getAttribute('href');
    manifest = (await (await fetch(service.url + (url ?? ''))).json()) as Manifest;
  });
  afterAll(async () => {
    await watchedPage.browser.close();
    await service.close();
  });

  /** The color of a pixel near the corner. 0 is transparent. */
  const cornerOf = async (image: Buffer) => {
    const { data } = await sharp(image)
      .extract({ left: 1, top: 1, width: 1, height: 1 })
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    return data[3];
  };

  test('can be installed in the browser', async () => {
    const session = await page.context().newCDPSession(page);
    const { errors, data } = (await session.send('Page.getAppManifest')) as { errors: unknown[]; data?: string };
    expect(errors).toEqual([]);
    expect(JSON.parse(data ?? '{}')).toEqual(manifest);
    const { installabilityErrors } = await session.send('Page.getInstallabilityErrors');
    // Contexts of tests are incognito.
    expect(installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== 'in-incognito')).toEqual([]);
    expect(watchedPage.problems).toEqual([]);
  });

  test('has icons of all sizes and shapes, which are small', async () => {
    expect(manifest).toMatchObject({ name: 'Taskgate', display: 'standalone' });
    expect(manifest.icons.map(({ sizes, purpose }) => `${sizes} ${purpose}`)).toEqual([
      '192x192 any',
      '512x512 any',
      '192x192 maskable',
      '512x512 maskable',
    ]);
    const touch = await page.locator('link[rel=apple-touch-icon]').getAttribute('href');
    const icons = [...manifest.icons, { src: touch ?? '', sizes: '180x180', type: 'image/png', purpose: 'touch' }];
    for (const { src, sizes, type, purpose } of icons) {
      const response = await fetch(service.url + src);
      expect(response.headers.get('content-type')).toBe(type);
      const image = Buffer.from(await response.arrayBuffer());
      expect(image.length).toBeLessThan(10_000);
      const { width, height, format } = await sharp(image).metadata();
      expect([`${width}x${height}`, format]).toEqual([sizes, 'png']);
      // Systems cut the corners of full icons.
      expect(await cornerOf(image)).toBe(purpose === 'any' ? 0 : 255);
    }
  });

  test('shows its own build offline, also if the browser still has the previous one', async () => {
    const other = await newPage(watchedPage.browser, service.url, user.cookie);
    await other.goto(`${service.url}/docs`);
    await other.evaluate(async () => {
      const headers = { 'Content-Type': 'text/html' };
      await (await caches.open('console-previous')).put('/', new Response('The previous build', { headers }));
    });
    await other.goto(`${service.url}/today`);
    await other.waitForFunction(() => navigator.serviceWorker.controller !== null);
    expect(await other.evaluate(() => caches.keys())).toContain('console-previous');
    await other.context().setOffline(true);
    await other.reload();
    expect(await other.locator('body').textContent()).not.toContain('The previous build');
    await other.getByRole('heading', { name: 'Today' }).waitFor();
    await other.context().close();
  });

  test('keeps no page of another build, which a proxy may send during an update', async () => {
    let wrongPages = 0;
    const proxy = createServer((request, response) => {
      void (async () => {
        const { accept = '*/*', 'sec-fetch-mode': mode } = request.headers;
        const answer = await fetch(service.url + (request.url ?? ''), { headers: { accept } });
        const isOfWorker = request.url === '/' && mode !== 'navigate';
        const body = Buffer.from(await answer.arrayBuffer());
        response.writeHead(answer.status, { 'Content-Type': answer.headers.get('content-type') ?? '' });
        if (isOfWorker && (wrongPages += 1) === 1) response.end('<script src="/assets/console-OTHER.js"></script>');
        else response.end(body);
      })();
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/`;
    const context = await watchedPage.browser.newContext();
    const other = await context.newPage();
    await other.goto(url);
    await until('the worker has asked for the page', () => wrongPages > 0);
    await other.reload();
    await other.waitForFunction(() => navigator.serviceWorker.controller !== null);
    expect(await other.evaluate(async () => (await caches.match('/'))?.text())).not.toContain('OTHER');
    await context.close();
    proxy.closeAllConnections();
    proxy.close();
  });

  test('its shortcut opens the field of a new task', async () => {
    const [shortcut] = manifest.shortcuts;
    expect(shortcut?.name).toBe('Add a task');
    await page.goto(service.url + (shortcut?.url ?? ''));
    await page.getByRole('textbox', { name: 'Add a task', exact: true }).and(page.locator(':focus')).waitFor();
    expect(new URL(page.url()).search).toBe('');
  });

  test.each([
    {
      shared: { title: 'Seeds', text: 'Order them\ntomorrow', url: 'https://seeds.example/a?b' },
      line: 'Seeds Order them tomorrow https://seeds.example/a?b',
    },
    {
      shared: { title: '', text: 'Read https://seeds.example', url: 'https://seeds.example' },
      line: 'Read https://seeds.example',
    },
    { shared: { title: 'Twice', text: 'Twice', url: '' }, line: 'Twice' },
    { shared: { title: 'x'.repeat(600), text: '', url: '' }, line: 'x'.repeat(500) },
  ])('what another app shares fills the field', async ({ shared, line }) => {
    const { action, method, params } = manifest.share_target;
    expect(method).toBe('GET');
    const query = new URLSearchParams(Object.entries(shared).map(([name, value]) => [params[name] ?? '', value]));
    await page.goto(`${service.url}${action}?${query.toString()}`);
    const field = page.getByRole('textbox', { name: 'Add a task', exact: true });
    await field.and(page.locator(':focus')).waitFor();
    expect(await field.inputValue()).toBe(line);
    // Nothing is added before the user agrees.
    expect(await page.getByRole('checkbox').count()).toBe(0);
    await page.reload();
    await field.waitFor();
    expect(await field.inputValue()).toBe('');
  });
});

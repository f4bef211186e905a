import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { build } from 'esbuild';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { openPage, type WatchedPage } from '../kit/browser.ts';
import { describeWithBrowser } from '../kit/with-browser.ts';
import { seededRandom, seedOfRun } from '../kit/random.ts';
import { type Service, startService } from '../kit/service.ts';
import { until } from '../kit/until.ts';
import { signUp, type User } from '../kit/users.ts';
import { clientAs, contentOfService } from './kit.ts';
import type { Tab } from './page.ts';
import { noteTitles } from './titles.ts';

type Page = WatchedPage['page'];

const root = path.resolve(import.meta.dirname, '../..');

async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [path.join(root, 'test/client/page.ts')],
    alias: { 'taskgate-client': path.join(root, 'client/src/index.ts') },
    bundle: true,
    write: false,
    format: 'iife',
  });
  return outputFiles[0]?.text ?? '';
}

describeWithBrowser('replicas in the tabs of a browser', () => {
  let service: Service;
  let script: string;
  let user: User;
  let watchedPage: WatchedPage;
  let sockets: Page[];

  beforeAll(async () => {
    [service, script] = await Promise.all([startService(), bundle()]);
  });
  afterAll(() => service.close());
  beforeEach(async () => {
    user = await signUp(service);
    watchedPage = await openPage(service.url, user.cookie);
    sockets = [];
  });
  afterEach(() => watchedPage.browser.close());

  const call = <Name extends keyof Tab>(
    page: Page,
    name: Name,
    ...values: Parameters<Tab[Name]>
  ): Promise<Awaited<ReturnType<Tab[Name]>>> => page.evaluate(`tab.${name}(...${JSON.stringify(values)})`);

  async function openTab(page?: Page): Promise<Page> {
    const tab = page ?? (await watchedPage.page.context().newPage());
    tab.on('websocket', () => sockets.push(tab));
    await tab.route('**/tab', (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }));
    await tab.goto(`${service.url}/tab`);
    await tab.addScriptTag({ content: script });
    await call(tab, 'open', service.url);
    return tab;
  }

  const untilTitles = (page: Page, ...titles: string[]) =>
    until(`a tab to show ${titles.join()}`, async () =>
      isDeepStrictEqual([...(await call(page, 'titles'))].sort(), [...titles].sort()),
    );
  const untilLive = (page: Page) => until('a tab to be live', async () => (await call(page, 'status')) === 'live');
  const untilEqual = (page: Page) =>
    until('a tab to be equal to the service', async () =>
      isDeepStrictEqual(await call(page, 'content'), await contentOfService(clientAs(service, user))),
    );
  const untilSent = (page: Page) => until('a tab to have sent all', async () => (await call(page, 'pending')) === 0);

  test('show the same data over one connection', async () => {
    const first = await openTab(watchedPage.page);
    await untilLive(first);
    const second = await openTab();
    await untilLive(second);
    await call(first, 'add', 'of the first');
    await untilTitles(second, 'of the first');
    await call(second, 'add', 'of the second');
    await untilTitles(first, 'of the first', 'of the second');
    await user.post('/api/v2/todo', { title: 'of another device' });
    for (const page of [first, second]) {
      await untilTitles(page, 'of the first', 'of the second', 'of another device');
      await untilSent(page);
      await untilEqual(page);
    }
    expect(sockets).toEqual([first]);
  });

  test('take over from a closed tab, with its unsent mutations', async () => {
    const first = await openTab(watchedPage.page);
    await untilLive(first);
    const second = await openTab();
    await untilLive(second);
    await first.route('**/graphql', (route) => route.abort());
    await call(first, 'add', 'unsent');
    await call(second, 'add', 'unsent as well');
    await first.close();
    await untilSent(second);
    await untilTitles(second, 'unsent', 'unsent as well');
    await untilEqual(second);
    const third = await openTab();
    await untilTitles(third, 'unsent', 'unsent as well');
    expect(sockets.filter((page) => page === third)).toEqual([]);
  });

  test('show the records of the first version of their storage', async () => {
    const page = await openTab(watchedPage.page);
    await call(page, 'close');
    await page.evaluate(
      () => new Promise((resolve) => (indexedDB.deleteDatabase('taskgate:account').onsuccess = resolve)),
    );
    const records: [string, unknown][] = [
      ['cursor', 'a cursor'],
      [
        'mutation/mut_1',
        { key: 'mut_1', name: 'createTask', variables: { input: { title: '“unsent”', dueDate: null } } },
      ],
      ['version', 7],
    ];
    await call(page, 'storeAsBefore', records);
    expect(await call(page, 'load')).toEqual(records);
    expect(await call(page, 'load')).toEqual(records);
  });

  test('keep mutations that were made offline after all of them were closed', async () => {
    const context = watchedPage.page.context();
    const first = await openTab(watchedPage.page);
    await untilLive(first);
    const second = await openTab();
    await context.setOffline(true);
    await call(first, 'add', 'one');
    await call(second, 'add', 'two');
    // This page keeps the browser open.
    await context.newPage();
    await first.close();
    await second.close();
    const third = await openTab();
    await untilTitles(third, 'one', 'two');
    expect(await call(third, 'status')).toBe('offline');
    await context.setOffline(false);
    await untilSent(third);
    await untilEqual(third);
  });

  test('report the same refusals', async () => {
    const first = await openTab(watchedPage.page);
    await untilLive(first);
    const second = await openTab();
    await call(second, 'add', '');
    for (const page of [first, second]) {
      await until('a tab to say what was refused', async () => (await call(page, 'refused')).length === 1);
      await untilTitles(page);
    }
  });

  test.each([
    ['deleted', (page: Page) => page.evaluate("indexedDB.deleteDatabase('taskgate:account')")],
    [
      'cleared',
      async (page: Page) => {
        const session = await page.context().newCDPSession(page);
        await session.send('Storage.clearDataForOrigin', { origin: service.url, storageTypes: 'indexeddb' });
      },
    ],
  ])('fill a database again that was %s', async (_label, loseLeader) => {
    const first = await openTab(watchedPage.page);
    await untilLive(first);
    await call(first, 'add', 'before');
    const second = await openTab();
    await untilTitles(second, 'before');
    await loseLeader(first);
    await user.post('/api/v2/todo', { title: 'of another device' });
    await call(second, 'add', 'after');
    for (const page of [first, second]) {
      await untilTitles(page, 'before', 'of another device', 'after');
      await untilSent(page);
    }
    expect(sockets).toEqual([first]);
    const context = watchedPage.page.context();
    await context.newPage();
    await first.close();
    await second.close();
    await context.clearCookies();
    await untilTitles(await openTab(), 'before', 'of another device', 'after');
  });

  test('report a full disk, and continue when there is space again', async () => {
    await user.post('/api/v2/todo', { title: 'of another device' });
    const session = await watchedPage.page.context().newCDPSession(watchedPage.page);
    await session.send('Storage.overrideQuotaForOrigin', { origin: service.url, quotaSize: 1 });
    const page = await openTab(watchedPage.page);
    await until('a tab to say so', async () => (await call(page, 'problem')) === 'STORAGE_FAILED');
    await session.send('Storage.overrideQuotaForOrigin', { origin: service.url });
    await untilTitles(page, 'of another device');
    await untilLive(page);
    expect(await call(page, 'problem')).toBeUndefined();
  });

  test('stay in memory if the browser forbids IndexedDB, and report that', async () => {
    await watchedPage.page.addInitScript(() => {
      IDBFactory.prototype.open = () => {
        throw new DOMException('denied', 'SecurityError');
      };
    });
    const page = await openTab(watchedPage.page);
    await untilLive(page);
    expect(await call(page, 'problem')).toBe('STORAGE_FAILED');
    await call(page, 'add', 'in memory');
    await untilSent(page);
    await untilEqual(page);
  });

  test('equal the service in the end, with each mutation once or refused, however they are closed and cut off', async () => {
    const seed = seedOfRun();
    const random = seededRandom(seed);
    const context = watchedPage.page.context();
    const countTitles = await noteTitles(service.databaseUrl);
    // This page keeps the browser open.
    await context.newPage();
    const pages = [await openTab(watchedPage.page), await openTab()];
    const mutations: { key: string; title?: string }[] = [];
    for (let count = 0; count < 150; count += 1) {
      const index = Math.floor(random() * pages.length);
      const page = pages[index];
      if (!page) continue;
      if (random() < 0.1) await context.setOffline(random() < 0.5);
      const pendingAction = call(page, 'act', Math.floor(random() * 2 ** 32));
      if (random() < 0.06) {
        // The mutation may be stored or not.
        const lost = pendingAction.then((mutation) => void mutations.push(mutation)).catch(() => undefined);
        await page.close();
        await lost;
        pages[index] = await openTab();
      } else mutations.push(await pendingAction);
    }
    await context.setOffline(false);
    for (const page of pages) await call(page, 'reconnect');
    for (const page of pages) await untilSent(page);
    for (const page of pages) await untilEqual(page);
    const times = await countTitles();
    const refusedKeys = new Set(await call(pages[0] ?? watchedPage.page, 'refused'));
    const problems = mutations
      .filter(({ title }) => title !== undefined)
      .filter(({ key, title = '' }) => (times.get(title) ?? 0) !== (refusedKeys.has(key) ? 0 : 1));
    expect({ seed, problems }).toEqual({ seed, problems: [] });
    expect(new Set(await call(pages[1] ?? watchedPage.page, 'refused'))).toEqual(refusedKeys);
  });
});

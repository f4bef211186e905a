import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openPage, type WatchedPage } from '../kit/browser.ts';
import { Client } from '../kit/client.ts';
import { Mailbox } from '../kit/mailbox.ts';
import { createTestDatabase } from '../kit/postgres.ts';
import { dataFolders, endServices, type ServiceProcess, spawnService } from '../kit/process.ts';
import { randomEmail } from '../kit/random.ts';
import { until } from '../kit/until.ts';
import { describeWithBrowser } from '../kit/with-browser.ts';
import { add, type Page } from './acts.ts';

interface Titles {
  tasks: { nodes: { title: string }[] };
}

describeWithBrowser('a page of the console that is open', () => {
  const folders = dataFolders();
  let variables: Record<string, string>;
  let service: ServiceProcess;
  let user: Client;
  let watchedPage: WatchedPage;
  let page: Page;
  const start = async () => {
    service = await spawnService(variables);
    if (service.url === undefined) throw new Error(service.errors());
    return service.url;
  };
  beforeAll(async () => {
    const DATA_DIR = await folders.make();
    variables = { DATABASE_URL: await createTestDatabase(), DATA_DIR, RATE_LIMITS: 'off' };
    const url = await start();
    variables['PORT'] = new URL(url).port;
    user = new Client(url);
    const email = randomEmail();
    await user.post('/api/v1/user/signup/send-otp', { email });
    const code = await new Mailbox(DATA_DIR).takeCode(email);
    await user.post('/api/v1/user/signup/verify', { email, code, password: 'correct horse battery' });
    watchedPage = await openPage(url, user.cookie);
    ({ page } = watchedPage);
    await page.goto(`${url}/today`);
    await page.getByRole('heading', { name: 'Today' }).waitFor();
  });
  afterAll(async () => {
    await watchedPage.browser.close();
    await endServices('SIGKILL');
    await folders.remove();
  });

  const untilServiceHas = (...titles: string[]) =>
    until(`the service has ${titles.join()}`, async () => {
      const { tasks } = await user.data<Titles>('{ tasks(first: 100) { nodes { title } } }');
      return titles.every((title) => tasks.nodes.some((task) => task.title === title));
    });
  const untilShown = (title: string) => page.getByRole('checkbox', { name: title, exact: true }).waitFor();

  test.each(['SIGTERM', 'SIGKILL'] as const)(
    'survives a service that ends by %s, and loses nothing',
    async (signal) => {
      await add(page, `Before ${signal}`);
      service.signal(signal);
      await service.ended;
      await page.getByRole('status').filter({ hasText: 'Offline' }).waitFor();
      await add(page, `Meanwhile ${signal}`);
      await page.getByText('Not sent yet').first().waitFor();
      await start();
      await untilServiceHas(`Before ${signal}`, `Meanwhile ${signal}`);
      await page.getByText('Not sent yet').first().waitFor({ state: 'detached' });
      await page.getByRole('status').filter({ hasText: 'Offline' }).waitFor({ state: 'detached' });
      await user.data('mutation ($day: Date!) { createTask(input: { title: "Of elsewhere", dueDate: $day }) { id } }', {
        day: await page.evaluate(() => new Date().toLocaleDateString('sv')),
      });
      for (const title of [`Before ${signal}`, `Meanwhile ${signal}`]) await untilShown(title);
      await page.getByRole('checkbox', { name: 'Of elsewhere' }).first().waitFor();
    },
  );

  test('reports a full browser storage, shows its data, and recovers when there is space', async () => {
    await add(page, 'Kept');
    await untilServiceHas('Kept');
    await page.evaluate(() => {
      const { prototype } = IDBObjectStore;
      const put = Object.getOwnPropertyDescriptor(prototype, 'put') ?? {};
      Object.assign(globalThis, { giveRoom: () => void Object.defineProperty(prototype, 'put', put) });
      prototype.put = () => {
        throw new DOMException('The disk is full', 'QuotaExceededError');
      };
    });
    await add(page, 'Too much');
    const refusal = page.getByRole('alert').filter({ hasText: 'Too much' });
    await refusal.getByText('The browser has no storage space left.').waitFor();
    await user.data('mutation { createTag(name: "from elsewhere") { id } }');
    const full = page.getByRole('alert').filter({ hasText: 'no space for your tasks' });
    await full.waitFor();
    await untilShown('Kept');
    await page.evaluate('giveRoom()');
    await full.waitFor({ state: 'detached' });
    await page.getByRole('navigation').getByRole('link', { name: 'from elsewhere' }).waitFor();
    await add(page, 'Room again');
    await untilServiceHas('Room again');
    await page.reload();
    for (const title of ['Kept', 'Room again']) await untilShown(title);
    expect(watchedPage.problems.filter((text) => !/ERR_|Quota|WebSocket|status of 50/.test(text))).toEqual([]);
  });
});

import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { openPage, type WatchedPage } from '../kit/browser.ts';
import { makeProject, makeSection, makeTag, makeTask } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { until } from '../kit/until.ts';
import { signUp, type User } from '../kit/users.ts';
import { describeWithBrowser } from '../kit/with-browser.ts';
import { kinds } from '../tasks/search-cases.ts';
import { type Page, titles } from './acts.ts';

describeWithBrowser('the search of the console', () => {
  let service: Service;
  let anna: User;
  let watchedPage: WatchedPage;
  let page: Page;
  beforeAll(async () => {
    service = await startService();
    anna = await signUp(service);
    watchedPage = await openPage(service.url, anna.cookie);
    ({ page } = watchedPage);
  });
  afterAll(async () => {
    await watchedPage.browser.close();
    await service.close();
  });
  beforeEach(async () => {
    await service.sql('DELETE FROM tasks; DELETE FROM trash');
    await page.goto(`${service.url}/today`);
    await page.evaluate('navigator.serviceWorker.ready');
  });

  const field = () => page.getByLabel('Search', { exact: true });
  const status = (text: string) => page.locator('main').getByRole('status').filter({ hasText: text });
  const group = (name: string) => page.locator('main').getByRole('group', { name, exact: true });
  const marks = () => page.locator('main mark').allTextContents();

  /** Types a query by keys. @returns the texts of the status during the search */
  async function type(query: string): Promise<string[]> {
    await page.evaluate(() => {
      const announcements: string[] = [];
      const recordAnnouncement = () => {
        const text = document.querySelector('main [role=status]')?.textContent;
        if (text && announcements.at(-1) !== text) announcements.push(text);
      };
      new MutationObserver(recordAnnouncement).observe(document.body, {
        subtree: true,
        childList: true,
        characterData: true,
      });
      Object.assign(globalThis, { said: announcements });
    });
    await field().fill('');
    // A busy browser may render two keys at once.
    for (let length = 1; length <= query.length; length += 1) {
      const typed = query.slice(0, length);
      await page.keyboard.type(typed.slice(-1));
      await page.waitForURL(({ searchParams }) => searchParams.get('q')?.trim() === typed.trim());
      // The first key opens the page, which then reads the tasks.
      await status('found').waitFor();
      await page.evaluate(() => new Promise(requestAnimationFrame));
    }
    return page.evaluate<string[]>('said');
  }

  const untilInView = (element: ReturnType<Page['locator']>) =>
    until('it is in sight', async () => {
      const box = await element.boundingBox();
      return box !== null && box.y >= 0 && box.y < 900;
    });

  test.each(['without a network', 'with one'])('finds the same as the service %s', async (how) => {
    for (const [, title] of kinds) await makeTask(anna, { title });
    const last = await makeTag(anna);
    await page.getByRole('link', { name: last.name }).waitFor();
    await page.context().setOffline(how === 'without a network');
    for (const [, title, queries] of kinds) {
      await field().fill(queries[0] ?? '');
      await page.getByRole('link', { name: title, exact: true }).waitFor();
      expect(await marks()).not.toEqual([]);
    }
    await page.context().setOffline(false);
  });

  test('announces the results at each key, also while a word with a typo is typed', async () => {
    await makeTask(anna, { title: 'Finish the research' });
    await makeTask(anna, { title: 'Research hotels', description: 'By the sea' });
    await makeTask(anna, { title: 'Milk', dueDate: '2026-01-01' });
    await page.getByRole('link', { name: 'Milk' }).waitFor();
    // A status is announced only if it changes.
    const hint: unknown = expect.stringContaining('Search tasks');
    expect(await type('reseerch')).toEqual([hint, '2 tasks found']);
    expect(await titles(page)).toEqual(['Finish the research', 'Research hotels']);
    expect(await marks()).toEqual(['research', 'Research']);
    expect(await type('reseerch sea')).toEqual([hint, '2 tasks found', '1 task found']);
    expect(await type('mlik')).toEqual([hint, '1 task found', 'Nothing found']);
  });

  test('marks matches, and keeps the names of links and checkboxes whole', async () => {
    await makeTask(anna, { title: 'Send résumé.pdf to Zoë' });
    await type('resu zoe');
    expect(await marks()).toEqual(['résu', 'Zoë']);
    for (const role of ['link', 'checkbox'] as const) {
      await page.getByRole(role, { name: 'Send résumé.pdf to Zoë', exact: true }).waitFor();
    }
  });

  test('has completed tasks last, and a task that is completed there keeps its place', async () => {
    for (const title of ['Order tea', 'Order cake', 'Order plates']) {
      const { id } = await makeTask(anna, { title });
      // Completes the task before the page finds it.
      if (title === 'Order tea') await anna.patch(`/api/v2/todo/${id}`, { completed: true });
    }
    await type('order');
    await page.getByText('3 tasks found', { exact: true }).waitFor();
    expect(await titles(page)).toEqual(['Order cake', 'Order plates', 'Order tea']);
    await page.getByRole('checkbox', { name: 'Order cake' }).check();
    await page.getByRole('status').getByText('Completed “Order cake”').waitFor();
    expect(await titles(page)).toEqual(['Order cake', 'Order plates', 'Order tea']);
    await type('orde');
    expect(await titles(page)).toEqual(['Order plates', 'Order tea', 'Order cake']);
  });

  test('finds projects, sections and tags, as links in groups', async () => {
    const project = await makeProject(anna, { name: 'Été en Provence' });
    for (let index = 0; index < 30; index += 1) await makeTask(anna, { title: `Day ${index}`, projectId: project.id });
    const section = await makeSection(anna, project.id, { name: "Avant l'été" });
    const tag = await makeTag(anna, { name: 'ete' });
    await makeTask(anna, { title: "Réserver pour l'été", tags: [tag.id] });
    await page.getByRole('navigation', { name: 'Lists' }).getByRole('link', { name: tag.name }).waitFor();
    await type('été');
    await page.getByText('1 task found, 1 project, 1 section, 1 tag', { exact: true }).waitFor();
    expect(await marks()).toEqual(['Été', 'été', 'ete', 'été']);
    for (const [name, link, address] of [
      ['Projects', 'Été en Provence', `/projects/${project.id}`],
      ['Sections', "Avant l'été", `/projects/${project.id}?section=${section.id}`],
      ['Tags', 'ete', `/tags/${tag.id}`],
    ] as const) {
      await type('été');
      await group(name).getByRole('heading', { name }).waitFor();
      await group(name).getByRole('link', { name: link, exact: true }).click();
      await page.waitForURL(service.url + address);
      if (name === 'Sections') await untilInView(page.getByRole('region', { name: link }).getByRole('heading'));
    }
    await type('provence');
    await page.getByText('No tasks found, 1 project', { exact: true }).waitFor();
  });

  test('finds simultaneous changes by others', async () => {
    const { id } = await makeTask(anna, { title: 'Harbour' });
    await page.getByRole('link', { name: 'Inbox' }).waitFor();
    await type('harbour');
    await anna.patch(`/api/v2/todo/${id}`, { title: 'Lighthouse' });
    await status('Nothing found').waitFor();
    await makeTask(anna, { title: 'To the harbour' });
    await status('1 task found').waitFor();
    expect(await marks()).toEqual(['harbour']);
  });

  test('leads on if nothing is found', async () => {
    await type('harbour');
    await page.locator('main').getByText('Try fewer or other words.').waitFor();
    await page.locator('main').getByRole('button', { name: 'Go to Today' }).click();
    await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor();
  });
});

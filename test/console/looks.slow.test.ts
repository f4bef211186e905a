import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openPage, type WatchedPage } from '../kit/browser.ts';
import { makeProject, makeSection, makeTag, makeTask } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { until } from '../kit/until.ts';
import { signUp, type User } from '../kit/users.ts';
import { describeWithBrowser } from '../kit/with-browser.ts';
import { makeWebhook } from '../webhooks/webhooks.ts';
import { add, barriers, choose, type Page } from './acts.ts';

describeWithBrowser('how the console looks', () => {
  let service: Service;
  let watchedPage: WatchedPage;
  let page: Page;
  let user: User;
  let project: string;
  let task: string;
  let tag: { id: string };
  /** A word of the longest valid length. */
  const long = 'Donaudampfschifffahrtsgesellschaftskapitänswitwenrentenauszahlungsstelle'.repeat(4).slice(0, 255);
  beforeAll(async () => {
    service = await startService();
    user = await signUp(service);
    const { id } = await makeProject(user, { name: long });
    await makeSection(user, id, { name: long });
    tag = await makeTag(user, { name: long });
    const { id: taskId } = await makeTask(user, {
      title: long,
      projectId: id,
      dueDate: '2026-01-01',
      tags: [tag.id],
    });
    project = `/projects/${id}`;
    const { webhook } = await makeWebhook(user, `https://hooks.invalid/${long}`, { spaceIds: [user.id] });
    await service.sql(
      `WITH failing AS (UPDATE webhooks SET failing_since = now(), reason = $2 WHERE id = $1)
       INSERT INTO webhook_attempts (webhook_id, message_id, type, at, ms, changes, error)
       SELECT $1, 'msg_' || n, 'tasks.changed', now(), 15000, 500, $2 FROM generate_series(1, 50) AS n`,
      [webhook.id, 'The endpoint did not answer within 15 seconds.'],
    );
    watchedPage = await openPage(service.url, user.cookie);
    ({ page } = watchedPage);
    task = `/tasks/${taskId}`;
  });
  afterAll(async () => {
    await watchedPage.browser.close();
    await service.close();
  });

  test('nothing is animated if the user prefers reduced motion', async () => {
    const animatedElements = () =>
      page.evaluate(() => {
        const isStatic = (style: CSSStyleDeclaration) =>
          style.scrollBehavior !== 'smooth' &&
          [style.transitionDuration, style.animationDuration].every((text) => /^0s(, 0s)*$/.test(text));
        return [...document.querySelectorAll('*')]
          .filter((element) =>
            [undefined, '::before', '::after'].some(
              (pseudoElement) => !isStatic(getComputedStyle(element, pseudoElement)),
            ),
          )
          .map((element) => element.outerHTML.slice(0, 80));
      });
    await page.setViewportSize({ width: 1400, height: 900 });
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    await page.goto(`${service.url}${task}`);
    await page.getByRole('complementary', { name: 'Task' }).getByLabel('Title').waitFor();
    expect(await animatedElements()).not.toEqual([]);
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Close' }).click();
    await add(page, 'Unsent');
    await page.getByText('Not sent yet').waitFor();
    await page.getByRole('link', { name: 'Unsent' }).click();
    await page.getByRole('button', { name: 'Project menu' }).click();
    expect(await animatedElements()).toEqual([]);
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await page.getByRole('dialog').waitFor();
    expect(await animatedElements()).toEqual([]);
    await page.keyboard.press('Escape');
    await page.context().setOffline(false);
    await page.getByText('Not sent yet').waitFor({ state: 'detached' });
  });

  test('the lists of a phone close by a tap outside them, by Escape, and by the choice of the page that is shown', async () => {
    await page.setViewportSize({ width: 390, height: 800 });
    await page.goto(`${service.url}/today`);
    const lists = page.getByRole('navigation', { name: 'Lists' });
    for (const close of [
      () => page.mouse.click(380, 500),
      () => page.keyboard.press('Escape'),
      () => lists.getByRole('link', { name: 'Today' }).click(),
    ]) {
      await page.getByRole('button', { name: 'Menu', exact: true }).click();
      await lists.waitFor();
      await close();
      await lists.waitFor({ state: 'hidden' });
    }
  });

  test('one heading has the name of the page, and the list of shortcuts starts at its top', async () => {
    await page.goto(`${service.url}/today`);
    await page.getByRole('region', { name: 'Overdue' }).waitFor();
    await page.getByRole('heading', { name: 'Today' }).waitFor();
    await page.setViewportSize({ width: 320, height: 500 });
    await page.keyboard.press('?');
    const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await sheet.waitFor();
    expect(
      await sheet.evaluate(({ scrollTop, scrollHeight, clientHeight }) => [scrollTop, scrollHeight > clientHeight]),
    ).toEqual([0, true]);
    await page.keyboard.press('Escape');
  });

  test.each([320, 390, 768, 1280, 2560])('everything fits in %d pixels', async (width) => {
    await page.setViewportSize({ width, height: 800 });
    /** Elements that stick out of the window, unless an ancestor clips or scrolls them. */
    const elementsOutside = () =>
      page.evaluate(() => {
        const isClipped = (element: Element | null): boolean =>
          element !== null && (getComputedStyle(element).overflowX !== 'visible' || isClipped(element.parentElement));
        return [...document.querySelectorAll('body *')]
          .filter((element) => element.checkVisibility() && !isClipped(element.parentElement))
          .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
          .map((element) => element.outerHTML.slice(0, 80));
      });
    const scrolling = () =>
      page.evaluate(() =>
        [
          ...document.querySelectorAll(
            'body *:not(.board, .hidden, :is(.title-field, .text-field) label, input, textarea, .name, .title, .group-name a, .tags *, .place *)',
          ),
        ]
          .filter((element) => element.checkVisibility() && getComputedStyle(element).overflowX !== 'visible')
          .filter((element) => element.scrollWidth > element.clientWidth + 1)
          .map((element) => element.outerHTML.slice(0, 80)),
      );
    /** Parts beyond the edge of a list, which a row clips. */
    const beyond = () =>
      page.evaluate(() =>
        [...document.querySelectorAll('main ul, aside ul')].flatMap((list) =>
          [...list.querySelectorAll('*')]
            .filter((element) => element.checkVisibility() && !element.matches('.board *, .hidden, [role=gridcell] *'))
            .filter((element) => element.getBoundingClientRect().right > list.getBoundingClientRect().right + 1)
            .map((element) => element.outerHTML.slice(0, 80)),
        ),
      );
    const wideElements = async () => [...(await elementsOutside()), ...(await scrolling()), ...(await beyond())];
    const settings = ['profile', 'notifications', 'security', 'tokens', 'webhooks', 'export', 'account'].map(
      (name) => `/settings/${name}`,
    );
    const lists = [
      '/today',
      '/upcoming',
      '/calendar',
      '/completed',
      '/trash',
      '/workspaces',
      project,
      `/tags/${tag.id}`,
      '/search?q=d',
      task,
    ];
    for (const path of [...lists, ...settings]) {
      await page.goto(`${service.url}${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      expect([path, ...(await wideElements())]).toEqual([path]);
    }
    for (const query of ['?group=tag&sort=title', `?tag=${tag.id}&due=overdue`, '?due=none&priority=low']) {
      await page.goto(`${service.url}${project}${query}`);
      await page.getByRole('button', { name: 'Display', exact: true }).click();
      await page.getByRole('dialog', { name: 'Display' }).getByLabel('Sort by').waitFor();
      expect([query, ...(await wideElements())]).toEqual([query]);
      await page.keyboard.press('Escape');
    }
    await page.getByRole('dialog', { name: 'Display' }).waitFor({ state: 'hidden' });
    await page.keyboard.press('Control+k');
    for (const words of ['', long.slice(0, 20)]) {
      await page.getByRole('combobox', { name: 'Commands' }).fill(words);
      await page.getByRole('option').first().waitFor();
      expect([words, ...(await wideElements())]).toEqual([words]);
    }
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Commands' }).waitFor({ state: 'detached' });
    await page.goto(`${service.url}${project}`);
    const line = page.getByLabel('Add a task');
    for (const name of [`#${long}`, `@${long}`]) {
      await line.fill(`Dig ${name}`);
      await page.getByRole('list', { name: 'Details found' }).waitFor();
      expect([name.charAt(0), ...(await wideElements())]).toEqual([name.charAt(0)]);
    }
    await line.fill('');
    for (const view of ['Board', 'Calendar', 'List']) {
      await page.getByRole('radio', { name: view }).check();
      expect([view, ...(await wideElements())]).toEqual([view]);
    }
    await page.locator('main').getByRole('listitem').first().getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Move', exact: true }).click();
    await page.getByRole('toolbar').waitFor();
    expect(await wideElements()).toEqual([]);
    await page.keyboard.press('Escape');
    await choose(page, 'Project menu', 'Rename');
    await page.getByRole('dialog').waitFor();
    expect(await wideElements()).toEqual([]);
  });

  test.each(['light', 'dark'] as const)(
    'the palette, the display and missing pages are accessible in %s',
    async (theme) => {
      await page.setViewportSize({ width: 320, height: 700 });
      await page.emulateMedia({ colorScheme: theme });
      await page.goto(`${service.url}${project}?sort=title&tag=${tag.id}`);
      await page.getByRole('button', { name: 'Display', exact: true }).click();
      await page.getByRole('dialog', { name: 'Display' }).getByLabel('Sort by').waitFor();
      expect(await barriers(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog', { name: 'Display' }).waitFor({ state: 'hidden' });
      await page.keyboard.press('Control+k');
      await page.getByRole('option').first().waitFor();
      expect(await barriers(page)).toEqual([]);
      await page.keyboard.press('Escape');
      for (const path of [`${project}?group=priority`, '/projects/none', '/settings/profile', '/settings/webhooks']) {
        await page.goto(service.url + path);
        await page.getByRole('heading', { level: 1 }).waitFor();
        expect([path, ...(await barriers(page))]).toEqual([path]);
      }
      await page.emulateMedia({ colorScheme: 'light' });
    },
  );

  test('a printed list has all its tasks, and nothing else', async () => {
    const { id: projectId } = await makeProject(user, { name: 'Printed' });
    for (let index = 0; index < 100; index += 1) await makeTask(user, { title: `Task ${index}.`, projectId });
    const { id: projectSectionId } = await makeSection(user, projectId, { name: 'Later' });
    const parent = await makeTask(user, { title: 'Parent', projectId, projectSectionId, dueDate: '2026-01-01' });
    await makeTask(user, { title: 'Child', parentId: parent.id });
    const done = await makeTask(user, { title: 'Done before', projectId });
    await user.patch(`/api/v2/todo/${done.id}`, { completed: true });
    await page.evaluate(() => localStorage.setItem('taskgate:theme', 'dark'));
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.addInitScript(() => {
      // Runs before the console's own handler ends the print layout.
      addEventListener('afterprint', () =>
        Object.assign(globalThis, { printed: document.querySelectorAll('main li[data-task]').length }),
      );
    });
    await page.goto(`${service.url}/projects/${projectId}`);
    await page.getByRole('link', { name: 'Task 0.' }).click();
    await page.getByRole('complementary', { name: 'Task' }).waitFor();
    await page.locator('main [aria-setsize="100"]').first().waitFor();
    const rows = page.locator('main li[data-task]');
    expect(await rows.count()).toBeLessThan(102);
    const pdf = (await page.pdf()).toString('latin1');
    expect(await page.evaluate('printed')).toBe(103);
    expect(pdf.match(/\/Type \/Page\b/g)?.length).toBeGreaterThan(3);
    await page.emulateMedia({ media: 'print' });
    await until('all tasks are rendered', async () => (await rows.count()) === 103);
    for (const role of ['navigation', 'search', 'button', 'complementary'] as const)
      expect(await page.getByRole(role).count()).toBe(0);
    expect(await page.getByLabel('Add a task').isVisible()).toBe(false);
    const looks = await page.evaluate(() => {
      const styleOf = (selector: string) => getComputedStyle(document.querySelector(selector) ?? document.body);
      return {
        text: styleOf('main .title').color,
        day: styleOf('main time').color,
        paper: styleOf('html').backgroundColor,
        box: [styleOf('main .tick').borderTopColor, styleOf('main .tick').borderRadius],
      };
    });
    const black = 'rgb(0, 0, 0)';
    expect(looks).toEqual({ text: black, day: black, paper: 'rgb(255, 255, 255)', box: [black, '2px'] });
    await page
      .getByRole('region', { name: 'Later' })
      .getByRole('listitem')
      .filter({ hasText: 'Child' })
      .last()
      .waitFor();
    expect(await page.getByText('Done before').isVisible()).toBe(false);
    expect(await page.getByText('Completed (1)').isVisible()).toBe(false);
    const { bottom, height } = await page.evaluate(() => ({
      bottom: document.querySelector('main li:last-child')?.getBoundingClientRect().bottom ?? 0,
      height: document.documentElement.scrollHeight,
    }));
    expect(height).toBeGreaterThanOrEqual(bottom);
    await page.emulateMedia({ media: 'screen' });
    await until('the list is a window again', async () => (await rows.count()) < 102);
    await page.evaluate(() => localStorage.removeItem('taskgate:theme'));
  });
});

import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { newPage, openPage, type WatchedPage } from '../kit/browser.ts';
import { invite, makeProject, makeSection, makeTag, makeTask, makeWorkspace } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { until } from '../kit/until.ts';
import { signUp, type User } from '../kit/users.ts';
import { describeWithBrowser } from '../kit/with-browser.ts';
import { barriers, type Page, row, untilTitles } from './acts.ts';

describeWithBrowser('the places of rows and columns', () => {
  let service: Service;
  let user: User;
  let watchedPage: WatchedPage;
  let page: Page;
  let projectId: string;
  beforeAll(async () => {
    service = await startService();
    watchedPage = await openPage(service.url);
  });
  afterAll(async () => {
    await watchedPage.browser.close();
    await service.close();
  });
  beforeEach(async () => {
    user = await signUp(service);
    ({ id: projectId } = await makeProject(user, { name: 'Garden' }));
    page = await newPage(watchedPage.browser, service.url, user.cookie, { viewport: { width: 1280, height: 700 } });
  });

  const region = (name: string) => page.getByRole('region', { name, exact: true });
  const openBoard = async () => {
    await page.goto(`${service.url}/projects/${projectId}`);
    await page.getByRole('radio', { name: 'Board' }).check();
  };

  test('columns have the height of the window and scroll, and at least 17 rem', async () => {
    const sections = [];
    for (const name of ['Full', 'Empty', 'Third', 'Fourth', 'Fifth']) {
      sections.push((await makeSection(user, projectId, { name })).id);
    }
    for (let index = 0; index < 30; index += 1) {
      await makeTask(user, { title: `Task ${index}.`, projectId, projectSectionId: sections[0] });
    }
    await openBoard();
    await region('Full').waitFor();
    const [full, empty] = [await region('Full').boundingBox(), await region('Empty').boundingBox()];
    const rem = await page.evaluate(() => Number.parseFloat(getComputedStyle(document.documentElement).fontSize));
    for (const box of [full, empty]) {
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeGreaterThan(640);
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(700);
      expect(box?.width).toBeGreaterThanOrEqual(17 * rem);
    }
    await region('Full').evaluate((column) => column.scrollTo({ top: column.scrollHeight }));
    expect(await region('Full').evaluate((column) => column.scrollTop)).toBeGreaterThan(0);
    await page.getByRole('button', { name: 'Add a task to Full' }).click();
    await page.keyboard.type('Last');
    await page.keyboard.press('Enter');
    const { y = 0 } = (await row(page, 'Last').boundingBox()) ?? {};
    expect([y > 200, y < 700]).toEqual([true, true]);
    expect(await page.locator('main').evaluate((main) => main.scrollTop)).toBe(0);
  });

  test('“No section” is there for its tasks, or while a task moves', async () => {
    const { id } = await makeSection(user, projectId, { name: 'Beds' });
    await makeTask(user, { title: 'Dig', projectId, projectSectionId: id });
    await openBoard();
    await untilTitles(page, ['Dig'], 'Beds');
    expect(await region('No section').count()).toBe(0);
    await row(page, 'Dig').getByRole('link', { name: 'Dig' }).focus();
    await page.keyboard.press('Space');
    await region('No section').waitFor();
    expect(await barriers(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await region('No section').waitFor({ state: 'detached' });
    await row(page, 'Dig').hover();
    await page.mouse.down();
    await page.mouse.move(500, 400, { steps: 4 });
    await region('No section').waitFor();
    await region('No section').hover();
    await page.mouse.up();
    await untilTitles(page, ['Dig'], 'No section');
  });

  test('due dates and projects end at one edge, below the title on phones, and the ring has the priority', async () => {
    const tag = await makeTag(user, { name: 'phone' });
    await makeTask(user, { title: 'Dig', projectId, dueDate: '2026-01-01', priority: 'high', tags: [tag.id] });
    await makeTask(user, { title: 'Sow a long row of beans', projectId, dueDate: '2026-01-02' });
    await page.goto(`${service.url}/today`);
    const rows = page.getByRole('region', { name: 'Overdue' }).locator('.row');
    await rows.nth(1).waitFor();
    const ends = (selector: string) =>
      rows.locator(selector).evaluateAll((all) => all.map((each) => Math.round(each.getBoundingClientRect().right)));
    for (const selector of ['.due', '.place']) expect(new Set(await ends(selector)).size).toBe(1);
    const starts = await page.evaluate(() =>
      ['main h1', '.quick-add', '.row', '.tick', '.section-head h2'].map((selector) =>
        Math.round(document.querySelector(selector)?.getBoundingClientRect().left ?? 0),
      ),
    );
    expect(new Set(starts).size).toBe(1);
    await rows.getByText('High priority').waitFor({ state: 'attached' });
    const colors = await page.evaluate(() => {
      const styles = getComputedStyle(document.documentElement);
      const values = (names: string[]) => names.map((name) => styles.getPropertyValue(`--${name}`));
      const tags = values(['red', 'orange', 'yellow', 'green', 'blue', 'purple', 'pink']);
      return values(['high', 'medium', 'low']).filter((color) => color === '' || tags.includes(color));
    });
    expect(colors).toEqual([]);
    await page.setViewportSize({ width: 320, height: 700 });
    const [title, due] = [
      await rows.first().locator('.title').boundingBox(),
      await rows.first().locator('.due').boundingBox(),
    ];
    expect(due?.y).toBeGreaterThanOrEqual((title?.y ?? 0) + (title?.height ?? 0));
    expect(await barriers(page)).toEqual([]);
  });

  test('a card has no empty room', async () => {
    const tag = await makeTag(user, { name: 'phone' });
    const { id } = await makeSection(user, projectId, { name: 'Beds' });
    await makeTask(user, {
      ...{ title: 'Dig', projectId, projectSectionId: id, dueDate: '2026-01-01', tags: [tag.id] },
    });
    await openBoard();
    const boxOf = async (selector: string) => (await row(page, 'Dig').locator(selector).boundingBox()) ?? undefined;
    await region('Beds').getByRole('link', { name: 'Dig' }).waitFor();
    const [card, due, tags] = [await boxOf('.row'), await boxOf('.due'), await boxOf('.tags')];
    expect(card?.height).toBeLessThan(70);
    expect((tags?.x ?? 0) - ((due?.x ?? 0) + (due?.width ?? 0))).toBeLessThan(16);
  });

  test('a list has a button for a new section', async () => {
    await page.goto(`${service.url}/projects/${projectId}`);
    await page.getByRole('button', { name: 'New section' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Beds');
    await page.keyboard.press('Enter');
    await region('Beds').waitFor();
  });

  const isOneLine = async (...elements: Locator[]) => {
    const boxes = await Promise.all(elements.map((element) => element.boundingBox()));
    const middles = boxes.map((box) => (box?.y ?? 0) + (box?.height ?? 0) / 2);
    return Math.max(...middles) - Math.min(...middles) < 4;
  };

  test('buttons share one line on the smallest phone', async () => {
    const tag = await makeTag(user, { name: 'phone' });
    await page.setViewportSize({ width: 320, height: 640 });
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    await page.goto(`${service.url}/tags/${tag.id}`);
    await button('Tag menu').waitFor();
    expect(await isOneLine(page.getByRole('heading', { name: 'phone' }), button('Display'), button('Tag menu'))).toBe(
      true,
    );
    await page.goto(`${service.url}/projects/${projectId}`);
    await button('Project menu').waitFor();
    const view = page.getByRole('radiogroup', { name: 'View' });
    expect(await isOneLine(view, button('Display'), button('Project menu'))).toBe(true);
  });

  test('the choices of an offer share one line', async () => {
    const host = await signUp(service);
    const workspace = await makeWorkspace(host);
    await invite(host, workspace.id, user.email);
    for (const width of [320, 390]) {
      await page.setViewportSize({ width, height: 800 });
      await page.goto(`${service.url}/today`);
      const invitation = page.getByRole('list', { name: 'Invitations' });
      await invitation.getByRole('button', { name: 'Accept' }).waitFor();
      const buttons = ['Decline', 'Accept'].map((name) => invitation.getByRole('button', { name }));
      expect(await isOneLine(...buttons)).toBe(true);
    }
  });

  test('a list has space below its heading', async () => {
    const { id } = await makeTask(user, { title: 'Dig', projectId });
    await user.patch(`/api/v2/todo/${id}`, { completed: true });
    await page.goto(`${service.url}/completed`);
    await row(page, 'Dig').waitFor();
    const [heading, first] = [
      await page.getByRole('heading', { name: 'Completed' }).boundingBox(),
      await row(page, 'Dig').boundingBox(),
    ];
    expect((first?.y ?? 0) - ((heading?.y ?? 0) + (heading?.height ?? 0))).toBeGreaterThan(8);
  });

  test.each([1280, 360])('the navigation shows the open project, %i px wide', async (width) => {
    for (let index = 0; index < 40; index += 1) await makeProject(user, { name: `Project ${index}.` });
    const { id } = await makeProject(user, { name: 'Last' });
    await page.setViewportSize({ width, height: 700 });
    await page.goto(`${service.url}/projects/${id}`);
    await page.getByRole('heading', { name: 'Last' }).waitFor();
    if (width < 700) await page.getByRole('button', { name: 'Menu', exact: true }).click();
    const link = page.getByRole('navigation').getByRole('link', { name: 'Last' });
    await until('the link is in the window', async () => {
      const { y = 700, height = 0 } = (await link.boundingBox()) ?? {};
      return y > 0 && y + height / 2 < 700;
    });
  });
});

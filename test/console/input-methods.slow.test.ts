import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { CDPSession, Locator } from 'playwright-core';
import { openPage, type WatchedPage } from '../kit/browser.ts';
import { makeTask } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';
import { describeWithBrowser } from '../kit/with-browser.ts';
import type { Page } from './acts.ts';

describeWithBrowser('input methods and keyboards', () => {
  let service: Service;
  let anna: User;
  let watchedPage: WatchedPage;
  let page: Page;
  let devTools: CDPSession;
  let path: string;
  beforeAll(async () => {
    service = await startService();
    anna = await signUp(service);
    const { id } = await makeTask(anna, { title: 'Plan', dueDate: '2026-01-01' });
    path = `/tasks/${id}`;
    watchedPage = await openPage(service.url, anna.cookie);
    ({ page } = watchedPage);
    devTools = await page.context().newCDPSession(page);
    await page.goto(service.url + path);
    await page.getByRole('complementary', { name: 'Task' }).waitFor();
  });
  afterAll(async () => {
    await watchedPage.browser.close();
    await service.close();
  });

  /**
   * Begins a composition in a field. Input methods use the keys that end it. Safari reports these keys after the end.
   */
  async function compose(field: Locator, key: string, timing: 'in it' | 'after it'): Promise<void> {
    await field.focus();
    await devTools.send('Input.imeSetComposition', { text: 'かいぎ', selectionStart: 3, selectionEnd: 3 });
    if (timing === 'in it') return page.keyboard.press(key);
    await devTools.send('Input.insertText', { text: '会議' });
    await devTools.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', key, code: key, windowsVirtualKeyCode: 229 });
  }
  const details = () => page.getByRole('complementary', { name: 'Task' });
  const fields = {
    Tags: () => details().getByLabel('Tags'),
    'Add a subtask': () => details().getByLabel('Add a subtask'),
    Title: () => details().getByLabel('Title'),
    Description: () => details().getByLabel('Description'),
    'Add a task': () => page.getByLabel('Add a task'),
    Search: () => page.getByLabel('Search', { exact: true }),
  };

  for (const timing of ['in it', 'after it'] as const) {
    test.each(Object.keys(fields) as (keyof typeof fields)[])(
      `Enter and Escape end a composition in “%s” and nothing else, pressed ${timing}`,
      async (name) => {
        // Escape always empties a search field in Chromium.
        const keys = name === 'Search' && timing === 'after it' ? ['Enter'] : ['Enter', 'Escape'];
        for (const key of keys) {
          await page.goto(service.url + path);
          const field = fields[name]();
          await compose(field, key, timing);
          expect(await field.inputValue()).toContain(timing === 'in it' ? 'かいぎ' : '会議');
          expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
          expect(await details().count()).toBe(name === 'Search' ? 0 : 1);
        }
        const { tags, tasks } = await anna.data<{ tags: object[]; tasks: { nodes: object[] } }>(
          '{ tags { name } tasks(first: 9) { nodes { title } } }',
        );
        expect([tags, tasks.nodes.length]).toEqual([[], 1]);
      },
    );
  }

  test.each(['Enter', 'Escape'])('a dialog stays open when %s ends a composition', async (key) => {
    await page.goto(`${service.url}/today`);
    await page.getByRole('button', { name: 'New project' }).click();
    const field = page.getByRole('dialog').getByLabel('Name');
    await compose(field, key, 'in it');
    expect(await field.inputValue()).toBe('かいぎ');
    await devTools.send('Input.insertText', { text: '会議' });
    await page.keyboard.press('Escape');
    await field.waitFor({ state: 'detached' });
  });

  const press = (key: string, code: string, modifiers = 0) =>
    devTools.send('Input.dispatchKeyEvent', { type: 'keyDown', key, code, modifiers });
  const control = 2;

  test('shortcuts use the Latin letter, otherwise the position of the key', async () => {
    const field = page.getByLabel('Add a task');
    const search = page.getByLabel('Search', { exact: true });
    const open = async () => {
      await page.goto(`${service.url}/today`);
      await page.getByRole('link', { name: 'Plan' }).waitFor();
    };
    for (const [key, code, focused] of [
      ['й', 'KeyQ', field],
      // Dvorak, AZERTY, Greek, Hebrew and Arabic.
      ['q', 'KeyX', field],
      ['q', 'KeyA', field],
      [';', 'KeyQ', field],
      ['/', 'KeyQ', search],
      ['ض', 'KeyQ', field],
    ] as const) {
      await open();
      await press(key, code);
      await focused.and(page.locator(':focus')).waitFor();
    }
    await open();
    await press('п', 'KeyG');
    await press('г', 'KeyU');
    await page.getByRole('heading', { name: 'Upcoming' }).waitFor();

    await open();
    await press('о', 'KeyJ');
    await press('١', 'Digit1');
    await page.getByRole('listitem').getByText('High').waitFor();
    await press('я', 'KeyZ', control);
    await page.getByRole('listitem').getByText('High').waitFor({ state: 'detached' });
    await press('a', 'KeyQ');
    await press('Й', 'KeyQ', 8);
    expect(await field.evaluate((element) => element === document.activeElement)).toBe(false);
  });
});

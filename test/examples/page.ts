import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Page } from 'playwright-core';
import { openPage } from '../kit/browser.ts';
import { FaultProxy } from '../kit/fault-proxy.ts';
import type { User } from '../kit/users.ts';

/** Timeout of each wait, in milliseconds. */
const patienceMs = 30_000;

const folder = path.resolve('examples');

/** Serves the built page of examples/react, with the service behind it. @param port 0: any free port */
async function serve(serviceUrl: string, port = '0') {
  const vite = path.join(folder, 'node_modules/vite/bin/vite.js');
  const server = spawn(
    process.execPath,
    [vite, 'preview', 'react', '--host', '127.0.0.1', '--port', port, '--strictPort'],
    {
      cwd: folder,
      env: { ...process.env, TASKGATE_URL: new URL(serviceUrl).origin, NO_COLOR: '1' },
      // Vite logs errors while the service is unreachable.
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  for await (const line of createInterface({ input: server.stdout })) {
    const [url] = /http:\S+/.exec(line) ?? [];
    if (url !== undefined) return { url, stop: () => server.kill() && once(server, 'exit') };
  }
  throw new Error('vite does not say where it serves the page');
}

/** Returns the page's status and the titles of tasks; completed ones have the prefix `x`. */
const shownIn = () => ({
  status: document.querySelector('[role=status]')?.textContent,
  tasks: [...document.querySelectorAll('li')].map(
    (item) => `${item.querySelector('input')?.checked === true ? 'x ' : ''}${item.textContent}`,
  ),
});
const readPage = (page: Page) => page.evaluate(shownIn);

async function expectPage(page: Page, status: string, ...tasks: string[]): Promise<void> {
  const expected = JSON.stringify({ status, tasks });
  for (;;) {
    const found = JSON.stringify(await readPage(page));
    if (found === expected) return;
    const changed = page.waitForFunction(`JSON.stringify((${String(shownIn)})()) !== ${JSON.stringify(found)}`);
    await changed.catch(() => {
      throw new Error(`the page shows ${found} instead of ${expected}`);
    });
  }
}

/**
 * Uses examples/react as a person does: signs in, adds, completes, works and reloads offline, catches up, and signs out.
 * @throws Error if the page lacks an expected text, or reports an error
 */
export async function testPage(serviceUrl: string, user: User): Promise<void> {
  const proxy = await FaultProxy.open(serviceUrl);
  let server = await serve(proxy.url);
  const { browser, page } = await openPage(server.url);
  page.setDefaultTimeout(patienceMs);
  try {
    await page.goto(server.url);
    await page.fill('[name=email]', user.email);
    await page.fill('[name=password]', user.password);
    await page.click('text=Sign in');
    await expectPage(page, 'live');
    const add = async (title: string) => {
      await page.fill('[name=title]', title);
      await page.click('text=Add');
    };
    await add('Buy milk');
    await expectPage(page, 'live', 'Buy milk');
    await page.check('text=Buy milk');
    await user.post('/api/v2/todo', { title: 'Buy bread' });
    await expectPage(page, 'live', 'x Buy milk', 'Buy bread');
    // The page itself is cached from now on.
    await page.reload();
    await expectPage(page, 'live', 'x Buy milk', 'Buy bread');
    await page.context().setOffline(true);
    await expectPage(page, 'offline', 'x Buy milk', 'Buy bread');
    await page.context().setOffline(false);
    await expectPage(page, 'live', 'x Buy milk', 'Buy bread');
    await proxy.set({ mode: 'down' });
    await server.stop();
    await expectPage(page, 'offline', 'x Buy milk', 'Buy bread');
    await add('Buy eggs');
    await expectPage(page, 'offline, 1 to be sent', 'x Buy milk', 'Buy bread', 'Buy eggs');
    await page.reload();
    await expectPage(page, 'offline, 1 to be sent', 'x Buy milk', 'Buy bread', 'Buy eggs');
    await page.click('text=Sign out');
    await page.waitForSelector('text=Not signed out');
    server = await serve(proxy.url, new URL(server.url).port);
    await proxy.set({ mode: 'ok' });
    await expectPage(page, 'live', 'x Buy milk', 'Buy bread', 'Buy eggs');
    const { body } = await user.get('/api/v2/todo');
    const { todos } = body as { todos: { title: string; completed: boolean }[] };
    const stored = todos.map(({ title, completed }) => `${completed ? 'x ' : ''}${title}`).sort();
    if (JSON.stringify(stored) !== JSON.stringify(['Buy bread', 'Buy eggs', 'x Buy milk']))
      throw new Error(`the service has ${JSON.stringify(stored)}`);
    const picture = process.env['PICTURE'];
    if (picture !== undefined) await page.screenshot({ path: picture });
    await page.click('text=Sign out');
    await page.waitForSelector('[name=password]');
  } finally {
    await browser.close();
    await server.stop();
    await proxy.close();
  }
}

import axe from 'axe-core';
import type { WatchedPage } from '../kit/browser.ts';
import { until } from '../kit/until.ts';
import type { User } from '../kit/users.ts';

/** Actions on the console's pages, by the names that users see. */
export type Page = WatchedPage['page'];

export async function add(page: Page, line: string): Promise<void> {
  await page.getByLabel('Add a task').fill(line);
  await page.getByLabel('Add a task').press('Enter');
}

export const titles = (page: Page, region?: string): Promise<string[]> =>
  (region === undefined ? page.locator('main') : page.getByRole('region', { name: region, exact: true }))
    .getByRole('listitem')
    .locator('.title')
    .allTextContents();

export const untilTitles = (page: Page, expected: readonly string[], region?: string): Promise<void> =>
  until(`${region ?? 'the page'} has ${expected.join()}`, async () => {
    return (await titles(page, region)).join() === expected.join();
  });

export const row = (page: Page, title: string) =>
  page
    .locator('main')
    .getByRole('listitem')
    .filter({ has: page.getByRole('link', { name: title, exact: true }) });

/** Drags a task onto another one, until the mark names the new parent. */
export async function dropOnto(page: Page, title: string, parent: string): Promise<void> {
  const rowOf = (name: string) => row(page, name).locator('.row').first();
  await rowOf(title).hover();
  await page.mouse.down();
  const { x = 0, y = 0, width = 0, height = 0 } = (await rowOf(parent).boundingBox()) ?? {};
  await page.mouse.move(x + width / 2, y + height / 2, { steps: 4 });
  await page.locator('.drop-mark', { hasText: `Subtask of ${parent}` }).waitFor();
  await page.mouse.up();
}

export async function choose(page: Page, button: string, item: string): Promise<void> {
  await page.getByRole('button', { name: button, exact: true }).click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
}

export async function name(page: Page, text: string, button = 'Create'): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill(text);
  await dialog.getByRole('button', { name: button }).click();
  await dialog.waitFor({ state: 'detached' });
}

/** Pastes a text into the focused field. */
export const paste = (page: Page, text: string): Promise<void> =>
  page.evaluate((plain) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', plain);
    document.activeElement?.dispatchEvent(
      new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
    );
  }, text);

export const detailsOf = (page: Page) => page.getByRole('complementary', { name: 'Task' });

/** Types the due date of the open task. */
export async function setDue(page: Page, text: string): Promise<void> {
  await detailsOf(page).getByLabel('Due date').fill(text);
  await detailsOf(page).getByLabel('Due date').press('Enter');
}

/** Returns the titles of the parents of a project's tasks, by the tasks' titles, from the service. */
export async function parentsIn(user: User, projectId: string): Promise<ReadonlyMap<string, string | undefined>> {
  const { tasks } = await user.data<{ tasks: { nodes: { title: string; parent: { title: string } | null }[] } }>(
    'query ($projectId: ID!) { tasks(filter: { projectId: $projectId }) { nodes { title parent { title } } } }',
    { projectId },
  );
  return new Map(tasks.nodes.map(({ title, parent }) => [title, parent?.title]));
}

/** Serious and critical violations of accessibility rules. */
export async function barriers(page: Page): Promise<string[]> {
  // Half faded elements lack contrast.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.evaluate(axe.source);
  const found = await page.evaluate(`axe.run().then(({ violations }) => violations
    .filter(({ impact }) => ['serious', 'critical'].includes(impact))
    .map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`);
  return found as string[];
}

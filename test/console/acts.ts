import type { WatchedPage } from '../kit/browser.ts';

/** What users do on the console's pages, by the names that they see. */
export type Page = WatchedPage['page'];

/** Adds a task by its line. */
export async function add(page: Page, line: string): Promise<void> {
  await page.getByLabel('Add a task').fill(line);
  await page.getByLabel('Add a task').press('Enter');
}

/** Titles of the tasks that are shown, in their order; of one region where one is named. */
export const titles = (page: Page, region?: string): Promise<string[]> =>
  (region === undefined ? page.locator('main') : page.getByRole('region', { name: region, exact: true }))
    .getByRole('listitem')
    .locator('.title')
    .allTextContents();

/** The row of a task, with its subtasks. */
export const row = (page: Page, title: string) =>
  page
    .locator('main')
    .getByRole('listitem')
    .filter({ has: page.getByRole('link', { name: title, exact: true }) });

/** Chooses from the menu of a button. */
export async function choose(page: Page, button: string, item: string): Promise<void> {
  await page.getByRole('button', { name: button, exact: true }).click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
}

/** Enters a name in the dialog that requests it. */
export async function name(page: Page, text: string, button = 'Create'): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill(text);
  await dialog.getByRole('button', { name: button }).click();
  await dialog.waitFor({ state: 'detached' });
}

/** The details of the task that is open. */
export const detailsOf = (page: Page) => page.getByRole('complementary', { name: 'Task' });

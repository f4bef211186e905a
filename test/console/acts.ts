import type { WatchedPage } from '../kit/browser.ts';

/** What users do on the console's pages, by the names that they see. */
export type Page = WatchedPage['page'];

/** Opens the console for a user in a browser of its own settings, such as a locale, a time zone or a clock. */
export async function openAs(
  browser: WatchedPage['browser'],
  {
    url,
    cookie,
    ...settings
  }: { url: string; cookie?: string | undefined; at?: Date } & Parameters<typeof browser.newContext>[0],
): Promise<Page> {
  const { at, ...options } = settings;
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, ...options });
  context.setDefaultTimeout(90_000);
  const [name = '', value = ''] = (cookie ?? '').split('=');
  if (name !== '') await context.addCookies([{ name, value, url }]);
  const page = await context.newPage();
  if (at) await page.clock.install({ time: at });
  await page.goto(url);
  return page;
}

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

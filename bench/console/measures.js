import { chromium } from 'playwright-core';
import { median, quantile } from '../lib/measure.js';
import { cookieOf } from '../lib/session.js';
import { projectId } from '../seed/data.js';
import { projectOfWorkspace, workspaceTaskId } from '../seed/workspace.js';

/** @typedef {import('../workloads/index.js').Target} Target */
/** @typedef {import('playwright-core').Page} Page */
/** @typedef {(account: number) => ReturnType<typeof openAs>} Open opens a browser context with an account's session */
/** @typedef {{ cold: number, long: number, other: number }} Accounts */

const throttling = 4;
const coldStarts = 7;
/** Pixels per frame, from a fast scroll to reading speed. */
const scrolled = [400, 100, 20];
const scrollSteps = 150;
/** Fast frames in a row that mark a page at rest. */
const restFrames = 30;
const changes = 60;

const item = 'ul[aria-label=Tasks] > li';

/**
 * @template Result
 * @param {string} url of the service
 * @param {(open: Open) => Promise<Result>} work
 */
export async function withBrowser(url, work) {
  const browser = await chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
  });
  try {
    return await work((account) => openAs(browser, url, account));
  } finally {
    await browser.close();
  }
}

/** @param {import('playwright-core').Browser} browser @param {string} url @param {number} account */
async function openAs(browser, url, account) {
  const context = await browser.newContext({ baseURL: url, viewport: { width: 1280, height: 800 } });
  const cookie = cookieOf(account);
  await context.addCookies([{ name: 'sid', value: cookie.slice('sid='.length), url }]);
  const newPage = async () => {
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: throttling });
    return page;
  };
  return { url, context, newPage, cookie };
}

/** @param {Page} page @param {string} project */
async function show(page, project) {
  await page.goto(`/projects/${project}`);
  await page.locator(item).first().waitFor();
}

/** @param {Open} open @param {Accounts} accounts @returns {Promise<Target>} */
export async function firstLoad(open, { cold }) {
  const { context, newPage } = await open(cold);
  const page = await newPage();
  /** @type {Promise<number>[]} */
  const sizes = [];
  page.on('requestfinished', (request) => {
    if (!['document', 'script', 'stylesheet'].includes(request.resourceType())) return;
    sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
  });
  await show(page, projectId(cold));
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  await context.close();
  return { text: 'first load, KB', ratio: bytes / 1000, atMost: 120 };
}

/** @param {Open} open @param {Accounts} accounts @returns {Promise<Target>} */
export async function coldStart(open, { cold }) {
  const { context, newPage } = await open(cold);
  const first = await newPage();
  await show(first, projectId(cold));
  await first.evaluate(async () => void (await navigator.serviceWorker.ready));
  await first.close();
  // Without network, so the list comes from IndexedDB.
  await context.route('**/graphql', (route) => route.abort());
  const times = [];
  for (let count = 0; count < coldStarts; count += 1) {
    const page = await newPage();
    await page.addInitScript((selector) => {
      const displayTime = new Promise((resolve) => {
        const check = () =>
          document.querySelector(selector) === null ? requestAnimationFrame(check) : resolve(performance.now());
        requestAnimationFrame(check);
      });
      Object.assign(globalThis, { displayTime });
    }, item);
    await page.goto(`/projects/${projectId(cold)}`);
    times.push(Number(await page.evaluate('displayTime')));
    await page.close();
  }
  await context.close();
  return { text: 'cold start with 2,000 tasks, ms', ratio: median(times), atMost: 1_500 };
}

/** @param {Open} open @param {Accounts} accounts @returns {Promise<Target>} */
export async function scrolling(open, { long }) {
  const { context, newPage } = await open(long);
  const page = await newPage();
  await show(page, projectId(long));
  const box = await page.locator(item).first().boundingBox();
  await page.mouse.move((box?.x ?? 0) + 100, 400);
  await page.evaluate(
    (restFrames) =>
      new Promise((resolve) => {
        /** @type {number[]} */
        const frames = [];
        let last = performance.now();
        let isAtRest = false;
        const next = (/** @type {number} */ now) => {
          frames.push(now - last);
          last = now;
          // Loading is not part of the measurement.
          if (!isAtRest && frames.length >= restFrames) {
            isAtRest = frames.every((frame) => frame < 20);
            frames.length = 0;
            if (isAtRest) resolve(undefined);
          }
          requestAnimationFrame(next);
        };
        requestAnimationFrame(next);
        Object.assign(globalThis, { frames });
      }),
    restFrames,
  );
  for (const pixels of scrolled) {
    for (let step = 0; step < scrollSteps; step += 1) {
      await page.mouse.wheel(0, pixels);
      await page.evaluate(() => new Promise(requestAnimationFrame));
    }
  }
  const frames = /** @type {number[]} */ (await page.evaluate('frames'));
  await context.close();
  return {
    text: 'longest frame while 5,000 tasks are scrolled, ms',
    ratio: Math.round(Math.max(...frames)),
    atMost: 50,
  };
}

/** @param {Open} open @param {Accounts} accounts @returns {Promise<Target>} */
export async function othersChanges(open, { cold, other }) {
  const { url, context, newPage } = await open(cold);
  const page = await newPage();
  await show(page, projectOfWorkspace());
  const { cookie } = await open(other);
  const times = [];
  for (let count = 0; count < changes; count += 1) {
    const title = `Changed ${count}`;
    const seen = page.evaluate(
      (text) =>
        new Promise((resolve) => {
          const observer = new MutationObserver(() => {
            if (!document.body.innerText.includes(text)) return;
            observer.disconnect();
            resolve(performance.timeOrigin + performance.now());
          });
          observer.observe(document.body, { subtree: true, childList: true, characterData: true });
        }),
      title,
    );
    const sentAt = performance.timeOrigin + performance.now();
    const response = await fetch(`${url}/api/v2/todo/${workspaceTaskId(0)}`, {
      method: 'PATCH',
      headers: { cookie, 'content-type': 'application/json' },
      body: JSON.stringify({ title }),
    });
    if (!response.ok) throw new Error(`the change has the status ${response.status}`);
    times.push(Number(await seen) - sentAt);
  }
  await context.close();
  const sorted = times.toSorted((one, other) => one - other);
  return { text: 'change by another user until shown, p95 ms', ratio: quantile(sorted, 0.95), atMost: 250 };
}

import { type Browser, type BrowserContextOptions, chromium } from 'playwright-core';

/** Of the browser; `CHROMIUM` names another one. */
export const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // A page that a test makes up is of no network, and could not open a socket to this machine.
  '--disable-features=LocalNetworkAccessChecks',
];

/** A page of the browser, and what is found out about it. */
export interface WatchedPage {
  browser: Browser;
  page: Awaited<ReturnType<Browser['newPage']>>;
  /** What it has requested. */
  addresses: string[];
  /** Errors of its scripts, and what its policy has kept from it. */
  complaints: string[];
}

/**
 * Starts a browser with an empty page.
 * @param cookie that it sends, as a `Cookie` header says it
 * @param url whose cookie that is
 * @param servedAt where the service listens, if users know it by another origin: the browser goes there for `url`
 */
export async function openPage(url: string, cookie?: string, servedAt = url): Promise<WatchedPage> {
  const alias = `--host-resolver-rules=MAP ${new URL(url).host} ${new URL(servedAt).host}`;
  const browser = await chromium.launch({ executablePath, args: [...flags, alias] });
  const page = await newPage(browser, url, cookie);
  const [addresses, complaints]: [string[], string[]] = [[], []];
  page.on('request', (request) => addresses.push(request.url()));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  return { browser, page, addresses, complaints };
}

/** Opens an empty page that shares nothing with others of the browser. @param options such as `locale` and `timezoneId` */
export async function newPage(
  browser: Browser,
  url: string,
  cookie?: string,
  options?: BrowserContextOptions,
): Promise<WatchedPage['page']> {
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, ...options });
  const [name = '', value = ''] = (cookie ?? '').split('=');
  if (name) await context.addCookies([{ name, value, url }]);
  // Below Jest's own, so that what is waited for in vain has a name.
  context.setDefaultTimeout(90_000);
  return context.newPage();
}

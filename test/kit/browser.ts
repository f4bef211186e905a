import { type Browser, type BrowserContextOptions, chromium } from 'playwright-core';

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
  // Otherwise pages that a test intercepts could not open a socket to this machine.
  '--disable-features=LocalNetworkAccessChecks',
];

export interface WatchedPage {
  browser: Browser;
  page: Awaited<ReturnType<Browser['newPage']>>;
  addresses: string[];
  /** Script errors and violations of the content security policy. */
  problems: string[];
}

/**
 * @param cookie as in a `Cookie` header
 * @param serviceUrl address of the service, if `url` has its public origin
 */
export async function openPage(url: string, cookie?: string, serviceUrl = url): Promise<WatchedPage> {
  const alias = `--host-resolver-rules=MAP ${new URL(url).host} ${new URL(serviceUrl).host}`;
  const browser = await chromium.launch({ executablePath, args: [...flags, alias] });
  const page = await newPage(browser, url, cookie);
  const [addresses, problems]: [string[], string[]] = [[], []];
  page.on('request', (request) => addresses.push(request.url()));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(error.message));
  return { browser, page, addresses, problems };
}

/** Opens an empty page in its own context. */
export async function newPage(
  browser: Browser,
  url: string,
  cookie?: string,
  options?: BrowserContextOptions,
): Promise<WatchedPage['page']> {
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, ...options });
  const [name = '', value = ''] = (cookie ?? '').split('=');
  if (name) await context.addCookies([{ name, value, url }]);
  // Below Jest's timeout: the error then names the awaited element.
  context.setDefaultTimeout(90_000);
  return context.newPage();
}

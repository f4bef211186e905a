/// <reference lib="webworker" />
import { isConsolePath } from './app/paths.ts';

/** Paths of all that is built, each with its hash. */
declare const ASSETS: readonly string[];
/** Another one for each build. */
declare const VERSION: string;

const worker = globalThis as unknown as ServiceWorkerGlobalScope;
const cacheName = `console-${VERSION}`;
/** The page is the same at all of its addresses. */
const page = '/';
/** The worker has fetched what is cached with its own headers. */
const asKept = { ignoreVary: true };

worker.addEventListener('install', (event) => {
  const load = async () => {
    const cache = await caches.open(cacheName);
    await cache.addAll(ASSETS);
    const response = await fetch(page, { headers: { Accept: 'text/html' }, cache: 'no-store' });
    if (!response.ok || response.redirected) throw new Error('What came is not the page');
    await cache.put(page, response);
    await worker.skipWaiting();
  };
  event.waitUntil(load());
});

worker.addEventListener('activate', (event) => {
  const tidy = async () => {
    // The build before stays for pages that are still open.
    const old = (await caches.keys()).filter((name) => name.startsWith('console-') && name !== cacheName);
    await Promise.all(old.slice(0, -1).map((name) => caches.delete(name)));
    await worker.clients.claim();
  };
  event.waitUntil(tidy());
});

worker.addEventListener('fetch', (event) => {
  const { method, mode, url } = event.request;
  const { origin, pathname } = new URL(url);
  if (method !== 'GET' || origin !== worker.location.origin) return;
  if (mode === 'navigate' && isConsolePath(pathname)) event.respondWith(pageOf(event.request));
  else if (pathname.startsWith('/assets/')) event.respondWith(assetOf(event.request));
});

/** The service's own page, so that a new build is seen at once; the kept one where the service does not answer. */
async function pageOf(request: Request): Promise<Response> {
  try {
    const response = await fetch(request, { signal: AbortSignal.timeout(3000) });
    if (response.status < 500) return response;
  } catch {
    // There is no network.
  }
  return (await caches.match(page, asKept)) ?? Response.error();
}

async function assetOf(request: Request): Promise<Response> {
  return (await caches.match(request, asKept)) ?? fetch(request);
}

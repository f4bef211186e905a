/// <reference lib="webworker" />
import { isConsolePath } from './app/paths.ts';

/** Paths of the built files, each with a hash. */
declare const ASSETS: readonly string[];
/** The hash of this build. */
declare const VERSION: string;

const worker = globalThis as unknown as ServiceWorkerGlobalScope;
const cacheName = `console-${VERSION}`;
const page = '/';
/** The headers of the page differ from the worker's. */
const matchOptions = { ignoreVary: true };
/** Older caches come first: without a name, the page would be the previous build's. */
const pageOptions = { ...matchOptions, cacheName };

worker.addEventListener('install', (event) => {
  const load = async () => {
    const cache = await caches.open(cacheName);
    await cache.addAll(ASSETS);
    const response = await fetch(page, { headers: { Accept: 'text/html' }, cache: 'no-store' });
    if (!response.ok || response.redirected) throw new Error('The service did not return the page');
    const files = (await response.clone().text()).match(/\/assets\/[\w.-]+/g) ?? [];
    if (!files.every((file) => ASSETS.includes(file))) throw new Error('The page is of another build');
    await cache.put(page, response);
    await worker.skipWaiting();
  };
  event.waitUntil(load());
});

worker.addEventListener('activate', (event) => {
  const deleteOldCaches = async () => {
    // Open pages may still need the previous build.
    const old = (await caches.keys()).filter((name) => name.startsWith('console-') && name !== cacheName);
    await Promise.all(old.slice(0, -1).map((name) => caches.delete(name)));
    await worker.clients.claim();
  };
  event.waitUntil(deleteOldCaches());
});

worker.addEventListener('fetch', (event) => {
  const { method, mode, url } = event.request;
  const { origin, pathname } = new URL(url);
  if (method !== 'GET' || origin !== worker.location.origin) return;
  if (mode === 'navigate' && isConsolePath(pathname)) event.respondWith(respondWithPage(event.request));
  else if (pathname.startsWith('/assets/')) event.respondWith(respondWithAsset(event.request));
});

/** Prefers the network, which shows a new build immediately. */
async function respondWithPage(request: Request): Promise<Response> {
  try {
    const response = await fetch(request, { signal: AbortSignal.timeout(3000) });
    if (response.status < 500) return response;
  } catch {
    // Use the cached page.
  }
  return (await caches.match(page, pageOptions)) ?? Response.error();
}

async function respondWithAsset(request: Request): Promise<Response> {
  return (await caches.match(request, matchOptions)) ?? fetch(request);
}

// Caches the page, which then opens offline from the second visit on.
addEventListener('install', () => skipWaiting());
addEventListener('activate', (event) => event.waitUntil(clients.claim()));
addEventListener('fetch', (event) => {
  const { method, url } = event.request;
  const { origin, pathname } = new URL(url);
  if (method !== 'GET' || origin !== location.origin || /^\/(api|graphql|avatars)\b/.test(pathname)) return;
  event.respondWith(fromNetworkOrCache(event.request));
});

async function fromNetworkOrCache(request) {
  const cache = await caches.open('page');
  try {
    const response = await fetch(request);
    if (response.ok) await cache.put(request, response.clone());
    return response;
  } catch (error) {
    const cached = await cache.match(request);
    if (!cached) throw error;
    return cached;
  }
}

// The service worker of `kismet serve`, where authors need current pages. It replaces a worker from an earlier visit to
// this address, deletes the caches, unregisters itself and reloads the open pages.
/** Milliseconds between two requests to replace the earlier worker. */
const RETRY_INTERVAL = 500;
let retryTimer;

addEventListener("install", () => {
  skipWaiting();
  // Chromium can miss a call while the earlier worker is starting. In that case, the worker stays until it is idle for
  // 30 seconds.
  retryTimer = setInterval(() => skipWaiting(), RETRY_INTERVAL);
});
addEventListener("activate", (event) => event.waitUntil(leave()));

async function leave() {
  clearInterval(retryTimer);
  // A page opened while the workers changed is controlled by neither, and a worker can only reload pages that it
  // controls.
  await clients.claim();
  const own = (await caches.keys()).filter((name) => name.startsWith(`kismet ${registration.scope} `));
  await Promise.all(own.map((name) => caches.delete(name)));
  await registration.unregister();
  const pages = await clients.matchAll({ type: "window" });
  await Promise.all(pages.map((page) => page.navigate(page.url).catch(() => {})));
}

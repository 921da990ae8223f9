// In the place of the service worker while `kismet serve` runs: whoever writes wants the page as it is now. A worker of an earlier
// visit to this address is replaced by this one, which forgets what was kept, goes, and has the open pages ask again.
/** Milliseconds between two requests to replace the earlier worker. */
const RETRY_INTERVAL = 500;
let retryTimer;

addEventListener("install", () => {
  skipWaiting();
  // Chromium can miss a call that comes while the earlier worker starts; that worker then stays until it is idle for 30 seconds.
  retryTimer = setInterval(() => skipWaiting(), RETRY_INTERVAL);
});
addEventListener("activate", (event) => event.waitUntil(leave()));

async function leave() {
  clearInterval(retryTimer);
  // A page that was opened while the workers changed is controlled by neither, and only a controlled page can be navigated.
  await clients.claim();
  const own = (await caches.keys()).filter((name) => name.startsWith(`kismet ${registration.scope} `));
  await Promise.all(own.map((name) => caches.delete(name)));
  await registration.unregister();
  const pages = await clients.matchAll({ type: "window" });
  await Promise.all(pages.map((page) => page.navigate(page.url).catch(() => {})));
}

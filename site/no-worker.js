// In the place of the service worker while `kismet serve` runs: whoever writes wants the page as it is now. A worker of an earlier
// visit to this address is replaced by this one, which forgets what was kept, goes, and has the open pages ask again.
addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(leave()));

async function leave() {
  // A page that was opened while the workers changed is controlled by neither, and only a controlled page can be navigated.
  await clients.claim();
  const own = (await caches.keys()).filter((name) => name.startsWith(`kismet ${registration.scope} `));
  await Promise.all(own.map((name) => caches.delete(name)));
  await registration.unregister();
  const pages = await clients.matchAll({ type: "window" });
  await Promise.all(pages.map((page) => page.navigate(page.url).catch(() => {})));
}

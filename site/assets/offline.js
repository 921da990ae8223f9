// Registers the service worker, which caches the website for offline use. On file: pages, which need no network, it
// does nothing.
if (location.protocol !== "file:") {
  const workers = navigator.serviceWorker;
  if (workers) {
    workers.onmessage = () => {
      const reload = kismet.make("a", { href: "" }, kismet.t("page.reload"));
      document.body.append(kismet.make("p", { className: "newer", role: "status" }, `${kismet.t("page.changed")} `, reload));
    };
  }
  addEventListener("load", async () => {
    const root = new URL(document.documentElement.dataset.root || "./", document.baseURI);
    const link = document.createElement("link");
    // Added by script, because browsers report an error for a manifest link on file: pages.
    link.rel = "manifest";
    link.href = new URL("manifest.webmanifest", root);
    document.head.append(link);
    const registration = await workers?.register(new URL("sw.js", root)).then(() => workers.ready, () => {});
    // Cache the page now and, unless the reader saves data, the whole game after 3 seconds, because the page's own
    // requests come first.
    const keep = (what) => registration?.active.postMessage({ keep: what });
    keep("page");
    if (!navigator.connection?.saveData) setTimeout(keep, 3000, "game");
  });
}

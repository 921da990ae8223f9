// Have the website kept on the device. From a folder there is nothing to keep: it is there.
if (location.protocol !== "file:") {
  const workers = navigator.serviceWorker;
  if (workers) {
    workers.onmessage = () => {
      const line = document.createElement("p");
      line.className = "newer";
      line.role = "status";
      line.innerHTML = 'This page has changed. <a href="">Reload</a>';
      document.body.append(line);
    };
  }
  addEventListener("load", async () => {
    const root = new URL(document.documentElement.dataset.root || "./", document.baseURI);
    const link = document.createElement("link");
    // Not in the page, because browsers complain of it when one is opened from a folder.
    link.rel = "manifest";
    link.href = new URL("manifest.webmanifest", root);
    document.head.append(link);
    const kept = await workers?.register(new URL("sw.js", root)).then(() => workers.ready, () => {});
    const keep = (what) => kept?.active.postMessage({ keep: what });
    keep("page");
    if (!navigator.connection?.saveData) setTimeout(keep, 3000, "game");
  });
}

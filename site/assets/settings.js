// Says on <html> how a reader wants to read, as early as a script may that holds up nothing: theme, face, size, cards;
// and loads the fonts of the first view.
(() => {
  const kismet = (globalThis.kismet ??= {});
  const KEY = "kismet-settings";
  // What each may be; where none is chosen, the reader's system or the page decides.
  const MAY = { theme: ["light", "dark", "contrast"], face: ["easy"], size: ["large", "largest"], cards: ["off"] };
  const PATIENCE = 200; // milliseconds
  const root = document.documentElement;
  let chosen = {};

  const read = () => {
    try {
      chosen = { ...JSON.parse(localStorage.getItem(KEY)) };
    } catch {
      // Nothing is kept here, or not by us: what was chosen on this page holds for this page.
    }
    apply();
  };
  const apply = () => {
    for (const name in MAY)
      if (MAY[name].includes(chosen[name])) root.dataset[name] = chosen[name];
      else delete root.dataset[name];
    const { theme } = root.dataset;
    const bar = document.querySelector(".bar");
    for (const meta of document.querySelectorAll("meta[name=theme-color]")) {
      // The browser's own bar goes on where the bar of the page begins.
      meta.dataset.own ??= meta.content;
      meta.content = theme && bar ? getComputedStyle(bar).backgroundColor : meta.dataset.own;
    }
    document.querySelector("meta[name=color-scheme]").content = ["light", "dark"].includes(theme) ? theme : "light dark";
  };
  /** Choose, here and on every page; nothing for what is to be as it is by itself. */
  kismet.choose = (name, value) => {
    chosen[name] = value;
    apply();
    try {
      localStorage.setItem(KEY, JSON.stringify(chosen));
    } catch {
      // It holds for this page.
    }
  };

  /** Load fonts beside the style sheet, which names them only when it is there. */
  const preload = (names) => {
    for (const name of names) {
      const href = new URL(`fonts/${name}.woff2`, document.currentScript.src);
      const link = Object.assign(document.createElement("link"), { rel: "preload", as: "font", type: "font/woff2", href });
      link.crossOrigin = "";
      document.head.append(link);
    }
  };
  /** Hide the page until the fonts of its first view have loaded, at most PATIENCE. A page that is painted already keeps its
   * fallback fonts, so that no line moves. */
  const hold = () => {
    if (performance.getEntriesByName("first-paint").length) return;
    root.dataset.fonts = "loading";
    // The first frame comes when the style sheet is there, and its layout asks for the fonts.
    requestAnimationFrame(() => {
      root.getBoundingClientRect();
      Promise.race([document.fonts.ready, new Promise((done) => setTimeout(done, PATIENCE))]).then(show);
    });
  };
  /** Show the page: in its fonts, or in the fallbacks if some have not loaded. The next page and paper have the fonts. */
  const show = () => {
    if (document.fonts.status === "loading") delete root.dataset.fonts;
    else root.dataset.fonts = "ready";
  };

  read();
  // Chromium refuses to preload a font for a page that is opened from a folder, though the style sheet may load it.
  if (location.protocol !== "file:") preload(root.dataset.face ? ["sans", "sans-semibold"] : ["text", "sans", "sans-semibold"]);
  hold();
  document.addEventListener("DOMContentLoaded", apply);
  addEventListener("storage", ({ key }) => key === KEY && read());
  addEventListener("pageshow", ({ persisted }) => persisted && read());
})();

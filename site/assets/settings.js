// Sets the reader's settings (theme, font, text size, link previews) as attributes of <html>, and preloads the fonts of
// the first view. Loaded from <head> with `async blocking="render"`, so it runs before the first paint without blocking
// the parser. Without this declaration, `kismet` is the element with that id, such as a heading.
var kismet;
(() => {
  const kismet = (globalThis.kismet ??= {});
  const KEY = "kismet-settings";
  // Allowed values of each setting. Without a value, the operating system or the style sheet determines it.
  const ALLOWED = { theme: ["light", "dark", "contrast"], face: ["easy"], size: ["large", "largest"], cards: ["off"], recent: ["off"] };
  // Maximum time in milliseconds for which the page is hidden while its fonts load.
  const MAX_FONT_WAIT = 200;
  const root = document.documentElement;
  let chosen = {};

  const read = () => {
    try {
      chosen = { ...JSON.parse(localStorage.getItem(KEY)) };
    } catch {
      // Storage is blocked or holds invalid JSON. Settings then apply to this page only.
    }
    apply();
  };
  const apply = () => {
    for (const name in ALLOWED)
      if (ALLOWED[name].includes(chosen[name])) root.dataset[name] = chosen[name];
      else delete root.dataset[name];
    const { theme } = root.dataset;
    const bar = document.querySelector(".bar");
    for (const meta of document.querySelectorAll("meta[name=theme-color]")) {
      // Give the browser's toolbar the same colour as the page's top bar.
      meta.dataset.own ??= meta.content;
      meta.content = theme && bar ? getComputedStyle(bar).backgroundColor : meta.dataset.own;
    }
    document.querySelector("meta[name=color-scheme]").content = ["light", "dark"].includes(theme) ? theme : "light dark";
  };
  /** Apply a setting to this page and store it for all pages. `undefined` restores the default. */
  kismet.choose = (name, value) => {
    chosen[name] = value;
    apply();
    try {
      localStorage.setItem(KEY, JSON.stringify(chosen));
    } catch {
      // Storage is blocked, so the setting only applies to this page.
    }
  };

  /**
   * Preload fonts in parallel with the style sheet. Otherwise their download would only start after the style sheet has
   * loaded.
   */
  const preload = (names) => {
    for (const name of names) {
      const href = new URL(`fonts/${name}.woff2`, document.currentScript.src);
      const link = Object.assign(document.createElement("link"), { rel: "preload", as: "font", type: "font/woff2", href });
      link.crossOrigin = "";
      document.head.append(link);
    }
  };
  // Hide the page until the fonts of its first view have loaded, for at most MAX_FONT_WAIT. A browser that ignores
  // `blocking` may have painted the page already. It then keeps the fallback fonts, so no line moves.
  const hideUntilFontsLoad = () => {
    if (performance.getEntriesByName("first-paint").length) return;
    root.dataset.fonts = "loading";
    // The first animation frame runs after the style sheet has loaded. Forcing a layout there starts the font
    // downloads.
    requestAnimationFrame(() => {
      root.getBoundingClientRect();
      Promise.race([document.fonts.ready, new Promise((done) => setTimeout(done, MAX_FONT_WAIT))]).then(show);
    });
  };
  /** Show the page, with the fallback fonts if some fonts are still loading. The next page and print use the fonts. */
  const show = () => {
    if (document.fonts.status === "loading") delete root.dataset.fonts;
    else root.dataset.fonts = "ready";
  };

  read();
  // Chromium blocks font preloads on file: pages, although the style sheet may load the same fonts.
  if (location.protocol !== "file:") preload(root.dataset.face ? ["sans", "sans-semibold"] : ["text", "sans", "sans-semibold"]);
  hideUntilFontsLoad();
  document.addEventListener("DOMContentLoaded", apply);
  addEventListener("storage", ({ key }) => key === KEY && read());
  addEventListener("pageshow", ({ persisted }) => persisted && read());
})();

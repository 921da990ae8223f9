// Says on <html> how a reader wants to read, as early as a script may that holds up nothing: theme, face, size, cards;
// and loads the fonts of the first text.
(() => {
  const kismet = (globalThis.kismet ??= {});
  const KEY = "kismet-settings";
  // What each may be; where none is chosen, the reader's system or the page decides.
  const MAY = { theme: ["light", "dark", "contrast"], face: ["easy"], size: ["large", "largest"], cards: ["off"] };
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

  /** Load the fonts that most pages begin with beside the style sheet, which names them only when it is there. */
  const preload = (names) => {
    for (const name of names) {
      const href = new URL(`fonts/${name}.woff2`, document.currentScript.src);
      const link = Object.assign(document.createElement("link"), { rel: "preload", as: "font", type: "font/woff2", href });
      link.crossOrigin = "";
      document.head.append(link);
    }
  };

  read();
  // From a folder Chromium loads fonts for a style sheet, and refuses to preload them.
  if (location.protocol !== "file:") preload(root.dataset.face ? ["sans", "sans-semibold"] : ["text", "sans", "sans-semibold"]);
  document.addEventListener("DOMContentLoaded", apply);
  addEventListener("storage", ({ key }) => key === KEY && read());
  addEventListener("pageshow", ({ persisted }) => persisted && read());
})();

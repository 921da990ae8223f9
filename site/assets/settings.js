// Says on <html> how a reader wants to read, as early as a script may that holds up nothing: theme, face, size, cards.
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

  read();
  document.addEventListener("DOMContentLoaded", apply);
  addEventListener("storage", ({ key }) => key === KEY && read());
  addEventListener("pageshow", ({ persisted }) => persisted && read());
})();

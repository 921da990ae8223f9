// Adds the buttons that pin cards, sections, calculators and roll tables to My table, and notes the page as read.
// Whatever else pins do is in board.js, which is loaded when it is needed.
(() => {
  /** Number of pages under "Recently read". */
  const MAX_READ = 20;
  const PINNED = ":is(h1, h2, h3, h4, h5, h6)[id], table[data-roll], .card-large, kismet-calculator:not(.situation-sheet *)";
  const kismet = globalThis.kismet;
  const { t } = kismet;
  const { game, root } = document.documentElement.dataset;
  const article = document.querySelector("article");
  const base = (kismet.base = new URL(`${root}${game}/`, document.baseURI).href);
  /** The path of a page below the address of the game. */
  kismet.pathOf = (href) => decodeURI(href.slice(base.length).replace(/(index\.html)?([?#].*)?$/, ""));
  const page = kismet.pathOf(location.href);

  /** What is stored of this game under a name; null if there is nothing that can be read. */
  kismet.stored = (name) => {
    try {
      return JSON.parse(localStorage[`kismet-${name}-${game}`]);
    } catch {
      return null;
    }
  };
  // Add a button that pins something, named as an element is. Its key is its address below that of the game: "condition/prone/",
  // "combat/#wounds"; a roll table has its number in its section: "combat/#wounds~1".
  kismet.pinnable = (place, key, named) => {
    const [button, title] = [document.createElement("button"), named.cloneNode(true)];
    title.querySelectorAll(".permalink, .to-card, .answers, .pin").forEach((one) => one.remove());
    button.type = "button";
    button.className = "pin";
    button.dataset.pin = key;
    button.dataset.title = title.textContent.trim();
    // In an attribute: the text of a heading or caption is its title elsewhere.
    button.dataset.label = t("pins.pin");
    button.ariaLabel = t("pins.pin_it", { thing: button.dataset.title });
    place.append(button);
    return button;
  };
  const board = (does) => kismet.need("board.js").then(does);

  // The buttons of roll tables exist after all scripts have run.
  document.addEventListener("DOMContentLoaded", () => {
    if (document.getElementById("_pins")) return;
    const title = article.querySelector("h1");
    let [id, number, heading] = ["", 0, title];
    for (const one of article.querySelectorAll(PINNED)) {
      const inside = (selector) => one.querySelector(selector);
      if (one.dataset.roll) {
        const line = one.closest(".table").querySelector(".roll-line");
        number++;
        if (line) line.lastChild.before(kismet.pinnable(line, `${page}#${id}~${number}`, one.caption ?? heading));
      } else if (one.matches(".card")) kismet.pinnable(one, page, title);
      else if (!one.id || one.matches("kismet-calculator")) {
        const form = inside("template")?.content ?? one;
        const name = one.previousElementSibling?.matches("summary") ? one.previousElementSibling : title;
        kismet.pinnable(form.querySelector(".form-foot") ?? one, `calculators/#${one.getAttribute("name")}`, name);
      } else {
        [id, number, heading] = [one.id, 0, one];
        if (inside(".permalink")) kismet.pinnable(one, `${page}#${id}`, one);
      }
    }
    if (kismet.stored("boards")) board();
  });
  document.addEventListener("click", ({ target }) => {
    const button = target.closest?.("[data-pin]");
    if (button) board(() => kismet.pin(button));
  });
  document.addEventListener("keydown", ({ key, target, ctrlKey, metaKey, altKey }) => {
    if (key === "p" && !ctrlKey && !metaKey && !altKey && !target.closest("input, select, textarea, dialog")) board(() => kismet.pin());
  });

  // Once the settings are known: their script is async, and may run after this one.
  addEventListener("load", () => {
    if (document.documentElement.dataset.recent === "off") return;
    if (!document.body.matches(".chapter, .entity, .kind, .sheet, .calculators, .questions, .board:not(.pins)")) return;
    const others = [kismet.stored("read")].flat().filter((one) => one?.[0] !== page);
    try {
      localStorage[`kismet-read-${game}`] = JSON.stringify([[page, document.title.split(" · ")[0]], ...others].slice(0, MAX_READ));
    } catch {
      // Storage is blocked.
    }
  });
})();

// Adds buttons that pin cards, sections, calculators and roll tables to My table, and records the page as read.
// board.js does the rest, and is loaded when a pin is first used, or immediately if there are boards.
(() => {
  /** Maximum number of pages under "Recently read". */
  const MAX_READ = 20;
  const PINNABLE = ":is(h1, h2, h3, h4, h5, h6)[id], table[data-roll], .card-large, kismet-calculator:not(.situation-sheet *)";
  const kismet = globalThis.kismet;
  const { t, make } = kismet;
  const { game, root } = document.documentElement.dataset;
  const article = document.querySelector("article");
  const base = (kismet.base = new URL(`${root}${game}/`, document.baseURI).href);
  /** The path of a page below the address of the game. */
  kismet.pathOf = (href) => decodeURI(href.slice(base.length).replace(/(index\.html)?([?#].*)?$/, ""));
  const page = kismet.pathOf(location.href);

  /** A stored value of this game; null if it is missing or not JSON. */
  kismet.stored = (name) => {
    try {
      return JSON.parse(localStorage[`kismet-${name}-${game}`]);
    } catch {
      return null;
    }
  };
  /**
   * Add a button that pins something, and return it. The title of the pin is the text of `heading`. The key of the pin
   * is the address relative to the game, such as "condition/prone/" or "combat/#wounds". For a roll table, its number
   * in the section follows: "combat/#wounds~1".
   */
  kismet.addPinButton = (place, key, heading) => {
    const copy = heading.cloneNode(true);
    for (const part of copy.querySelectorAll(".permalink, .to-card, .answers, .pin")) part.remove();
    const title = copy.textContent.trim();
    const button = make("button", { type: "button", className: "pin", ariaLabel: t("pins.pin_it", { thing: title }) });
    // The label is an attribute, because text would become part of the heading.
    Object.assign(button.dataset, { pin: key, title, label: t("pins.pin") });
    place.append(button);
    return button;
  };
  const withBoards = (then) => kismet.need("board.js").then(then);

  // The buttons of roll tables exist after all scripts have run.
  document.addEventListener("DOMContentLoaded", () => {
    if (document.getElementById("_pins")) return;
    const title = article.querySelector("h1");
    let [id, tables, heading] = ["", 0, title];
    for (const element of article.querySelectorAll(PINNABLE)) {
      if (element.dataset.roll) {
        const line = element.closest(".table").querySelector(".roll-line");
        tables++;
        if (line) line.lastChild.before(kismet.addPinButton(line, `${page}#${id}~${tables}`, element.caption ?? heading));
      } else if (element.matches(".card")) kismet.addPinButton(element, page, title);
      else if (element.matches("kismet-calculator")) {
        const form = element.querySelector(":scope > template")?.content ?? element;
        const summary = element.previousElementSibling?.matches("summary") ? element.previousElementSibling : title;
        kismet.addPinButton(form.querySelector(".form-foot") ?? element, `calculators/#${element.getAttribute("name")}`, summary);
      } else {
        [id, tables, heading] = [element.id, 0, element];
        if (element.querySelector(".permalink")) kismet.addPinButton(element, `${page}#${id}`, element);
      }
    }
    if (kismet.stored("boards")) withBoards();
  });
  document.addEventListener("click", ({ target }) => {
    const button = target.closest?.("[data-pin]");
    if (button) withBoards(() => kismet.pin(button));
  });
  document.addEventListener("keydown", ({ key, target, ctrlKey, metaKey, altKey }) => {
    if (key === "p" && !ctrlKey && !metaKey && !altKey && !target.closest("input, select, textarea, dialog")) withBoards(() => kismet.pin());
  });

  // Wait for `load`, because settings.js is async and may run after this script.
  addEventListener("load", () => {
    if (document.documentElement.dataset.recent === "off") return;
    if (!document.body.matches(".chapter, .entity, .kind, .sheet, .calculators, .calculator-page, .questions, .board:not(.pins)")) return;
    const earlier = [kismet.stored("read")].flat().filter((entry) => entry && entry[0] !== page);
    const entry = [page, document.title.split(" · ")[0]];
    try {
      localStorage[`kismet-read-${game}`] = JSON.stringify([entry, ...earlier].slice(0, MAX_READ));
    } catch {
      // Storage is blocked, so nothing is recorded.
    }
  });
})();

// Boards of My table: storage, pinning, the content of pins, and the lists of pinned and recently read pages.
(() => {
  /** How long a message is shown, in milliseconds. */
  const NOTE_TIME = 8000;
  /** Maximum number of characters in the name of a board. */
  const MAX_NAME = 60;
  const HEADINGS = "h1, h2, h3, h4, h5, h6";
  /** Parts of a page that a board does not show. */
  const LEFT_OUT =
    ".permalink, .to-card, .answers, .pin, .why, .take, .roll-line, .roll-result, .author-links, aside.calculators, .presets-title, .presets, .readings, .more";
  const kismet = globalThis.kismet;
  const { t, make } = kismet;
  const { base } = kismet;
  const page = kismet.pathOf(location.href);
  const { game } = document.documentElement.dataset;
  const isLocal = location.protocol === "file:";
  /** Firefox gives each file in a folder its own storage, unless a Firefox setting is changed. */
  const isApart = isLocal && "mozInnerScreenX" in window && page !== "table/";
  /**
   * Write an item of this game to the storage, or remove it if `value` is undefined. Returns the error if that fails,
   * or else null.
   */
  const store = (name, value) => {
    try {
      if (value === undefined) localStorage.removeItem(`kismet-${name}-${game}`);
      else localStorage.setItem(`kismet-${name}-${game}`, JSON.stringify(value));
      return null;
    } catch (error) {
      return error;
    }
  };

  // --- boards

  /** A board. `pins` are pairs of key and title, in order; invalid ones are left out. */
  const board = (name, pins, columns) => ({
    name: (typeof name === "string" && name.trim().slice(0, MAX_NAME)) || t("pins.bookmarks"),
    columns: [1, 2, 3].includes(columns) ? columns : 2,
    pins: [...new Map(pins.filter((pin) => Array.isArray(pin) && typeof pin[0] === "string").map(([key, title]) => [key, `${title ?? nameOf(key)}`]))],
  });
  // The boards while this page is open, if they cannot be stored.
  let unstored = null;
  /** All boards and the index of the open one. Invalid parts are left out. */
  const read = () => {
    if (unstored) return unstored;
    const { boards, open } = kismet.stored("boards") ?? {};
    const valid = (Array.isArray(boards) ? boards : []).filter((stored) => Array.isArray(stored?.pins));
    const all = valid.map(({ name, pins, columns }) => board(name, pins, columns));
    if (!all.length) all.push(board("", []));
    return { boards: all, open: all[open] ? open : 0 };
  };
  /** Store all boards. Returns a message if that fails, or else an empty string. */
  const write = (all) => {
    const error = store("boards", all);
    unstored = error && all;
    kismet.showPins();
    return error ? (error.code === DOMException.QUOTA_EXCEEDED_ERR ? t("pins.full") : t("pins.blocked")) : "";
  };
  /** Whether there are stored boards that cannot be read. */
  const isDamaged = () => {
    try {
      return `kismet-boards-${game}` in localStorage && !Array.isArray(kismet.stored("boards")?.boards);
    } catch {
      return false;
    }
  };

  const table = `${base}table/index.html`;
  const encoded = (text) => encodeURIComponent(text).replaceAll("%2F", "/");
  /** The address of My table with a board in its fragment. */
  const addressOf = ({ name, columns, pins }) =>
    `${table}#board=${encoded(name)}&columns=${columns}&pins=${pins.map(([key]) => encoded(key)).join()}`;
  /** The board in the fragment of an address, or null. */
  const shared = (hash) => {
    const found = hash.match(/^#board=([^&]*)&columns=(\d)&pins=(.*)$/);
    if (!found) return null;
    const [, name, columns, pins] = found;
    try {
      return board(decodeURIComponent(name), pins.split(",").filter(Boolean).map((key) => [decodeURIComponent(key)]), Number(columns));
    } catch {
      return null;
    }
  };

  // --- pins

  /** The parts of a key: path of the page, id of the section, and number of the roll table in the section (0 for none). */
  const parts = (key) => {
    const [, path, id, number] = key.match(/^([^#]*)#?(.*?)(?:~(\d+))?$/s);
    return { path, id, number: Number(number ?? 0) };
  };
  /** A name for a pin whose title is not known: "condition/prone/" is "Prone". */
  const nameOf = (key) => {
    const { path, id } = parts(key);
    const words = (id || path.split("/").findLast(Boolean) || key).replace(/[-_.]+/g, " ");
    return words.charAt(0).toUpperCase() + words.slice(1);
  };
  /** The address that a key refers to. */
  const place = (key) => {
    const { path, id } = parts(key);
    return new URL(`${encoded(path)}index.html${id && `#${encodeURIComponent(id)}`}`, base).href;
  };
  /** Update all pin buttons of the page to show what is pinned on the open board. */
  kismet.showPins = () => {
    const { boards, open } = read();
    const keys = new Set(boards[open].pins.map(([key]) => key));
    const forms = [...document.querySelectorAll("kismet-calculator > template")].map(({ content }) => content);
    for (const button of [document, ...forms].flatMap((within) => [...within.querySelectorAll(".pin")])) {
      const isPinned = keys.has(button.dataset.pin);
      button.classList.toggle("on", isPinned);
      const thing = button.dataset.title;
      button.dataset.label = isPinned ? t("pins.unpin") : t("pins.pin");
      button.ariaLabel = isPinned ? t("pins.unpin_it", { thing }) : t("pins.pin_it", { thing });
    }
  };
  /** The pin button of the focused element, or else the last one in the upper half of the window. */
  const buttonInView = () => {
    const focused = document.activeElement.closest("details.calculator, kismet-calculator, .listing tr[id], .table, .card-large, .link-card, :is(h1, h2, h3, h4, h5, h6)");
    const form = focused?.querySelector("kismet-calculator > template")?.content;
    const own = (form ?? focused)?.querySelector(".pin");
    if (own) return own;
    const buttons = [...document.querySelectorAll(".pin")].filter((button) => button.getClientRects().length);
    return buttons.findLast((button) => button.getBoundingClientRect().top < innerHeight / 2) ?? buttons[0];
  };
  /** Pin a button's target, or remove it from the board. Without a button, use what is in view. */
  kismet.pin = (button = buttonInView()) => {
    if (!button) return kismet.say(t("pins.nothing"));
    const { pin: key, title } = button.dataset;
    const all = read();
    const open = all.boards[all.open];
    const wasPinned = open.pins.some(([other]) => other === key);
    open.pins = wasPinned ? open.pins.filter(([other]) => other !== key) : [...open.pins, [key, title]];
    const problem = write(all) || (isApart && !wasPinned ? t("pins.apart") : "");
    if (isLocal) wasPinned ? store(`text-${key}`) : storeContents();
    const values = { thing: title, board: open.name };
    const message = wasPinned ? t("pins.unpinned", values) : t("pins.pinned", values);
    note(`${message} ${problem}`.trim(), make("a", { href: problem ? addressOf(open) : table, textContent: t("title.my_table") }));
  };
  let lastNote = null;
  /** Replace the current message by one with a link or button, and announce it. */
  const note = (message, tool) => {
    lastNote?.remove();
    const shown = (lastNote = make("p", { className: "newer" }, `${message} `, tool));
    // Inside the landmark of the text, because readers who move between landmarks would skip it elsewhere.
    (document.querySelector("main") ?? document.body).append(shown);
    kismet.say(message);
    setTimeout(() => shown.remove(), NOTE_TIME);
  };

  // --- content of a pin

  /** The elements of an article that a pin shows. The first one has the title of the pin. */
  const elements = (article, key) => {
    const { path, id, number } = parts(key);
    const title = article.querySelector("h1");
    const titled = (heading, element) => [make("h1", {}, ...heading.cloneNode(true).childNodes), element];
    if (path === "calculators/") {
      const calculator = article.querySelector(`kismet-calculator[name="${CSS.escape(id)}"]`);
      const summary = calculator?.previousElementSibling;
      return calculator ? titled(summary?.matches("summary") ? summary : title, calculator) : [];
    }
    if (!id && !number)
      return article.querySelector(".card-large")
        ? [...article.querySelectorAll(".card-large, .spread-text > .text:not(:has(> .printed))")]
        : [title, ...article.querySelectorAll(":scope > :is(.text, .sections)")];
    if (number) {
      let [within, count, heading] = ["", 0, title];
      for (const element of article.querySelectorAll(`:is(${HEADINGS})[id], table[data-roll]`)) {
        if (!element.dataset.roll) [within, count, heading] = [element.id, 0, element];
        else if (within === id && ++count === number) return titled(element.caption ?? heading, element.closest(".table"));
      }
      return [];
    }
    const start = article.querySelector(`#${CSS.escape(id)}`);
    if (start?.matches("tr")) {
      const [name, ...cells] = start.cells;
      const fields = cells.filter((cell) => !cell.matches(".row-mentions, :has(> .nothing)"));
      const pairs = fields.map((cell) => make("div", {}, make("dt", {}, cell.dataset.label), " ", make("dd", {}, ...cell.cloneNode(true).childNodes)));
      return [make("h1", {}, ...name.cloneNode(true).childNodes), make("dl", { className: "plates" }, ...pairs)];
    }
    if (!start?.matches(HEADINGS)) return [start];
    if (start === title) return [start, ...article.querySelectorAll(":scope > .text")];
    const found = [start];
    for (let next = start.nextElementSibling; next; next = next.nextElementSibling) {
      if (next.matches(HEADINGS) && next.localName <= start.localName) break;
      found.push(next);
    }
    return found;
  };
  /**
   * A copy of elements for a board, from the page at an address. Links are absolute, ids are removed, headings start at
   * h2.
   */
  const copied = (elements, address) => {
    const box = make("div", {}, ...elements.map((element) => document.importNode(element, true)));
    for (const part of [box, ...[...box.querySelectorAll("template")].map(({ content }) => content)])
      for (const element of part.querySelectorAll(LEFT_OUT)) element.remove();
    for (const name of ["href", "src"])
      for (const element of box.querySelectorAll(`[${name}]`)) element.setAttribute(name, new URL(element.getAttribute(name), address));
    for (const button of box.querySelectorAll("button.dice")) {
      const span = make("span", { className: "dice" }, button.textContent);
      span.dataset.dice = button.dataset.dice;
      button.replaceWith(span);
    }
    const outsideCalculators = (selector) => [...box.querySelectorAll(selector)].filter((element) => !element.closest("kismet-calculator"));
    for (const element of outsideCalculators("[id], [aria-labelledby]"))
      for (const name of ["id", "aria-labelledby"]) element.removeAttribute(name);
    const headings = outsideCalculators(HEADINGS);
    const levels = [...new Set(headings.map(({ localName }) => localName))].sort();
    for (const heading of headings)
      heading.replaceWith(make(`h${Math.min(levels.indexOf(heading.localName) + 2, 6)}`, {}, ...heading.childNodes));
    return box;
  };
  /**
   * The content of a pin on the page at an address: `{box}`, or `{to}` with the address to which it has moved. Null if
   * the page does not have the content.
   */
  const contentOf = (page, address, key) => {
    const article = page.querySelector("article");
    const { id } = parts(key);
    const line = id && article?.querySelector(`#${CSS.escape(id)}`)?.closest(".sections li, .calculator");
    // A page without an article is a redirect. A line in the contents of a split chapter or in the list of calculators
    // also leads on.
    const door = article ? line && line.querySelector("a") : page.querySelector("body a");
    if (door) return { to: new URL(door.getAttribute("href"), address).href };
    const found = elements(article, key).filter(Boolean);
    return found.length ? { box: copied(found, address) } : null;
  };
  /** Store the content of the pins of this page, because boards on file: addresses cannot load it from the page. */
  const storeContents = () => {
    const { boards } = read();
    for (const [key] of boards.flatMap(({ pins }) => pins)) {
      const { path } = parts(key);
      const content = (path === page || path === "calculators/") && contentOf(document, location.href, key);
      if (content?.box) store(`text-${key}`, content.box.innerHTML);
    }
  };

  // --- lists of links

  /** A list of links with a heading, from pairs of key and title. An empty array if there are no pairs. */
  const list = (title, pairs) => {
    if (!pairs.length) return [];
    const links = pairs.map(([key, name]) => make("li", {}, make("a", { href: place(key), textContent: name })));
    return [make("section", { className: "page-links" }, make("h2", {}, title), make("ul", {}, ...links))];
  };
  const readPages = () => {
    const all = kismet.stored("read");
    return Array.isArray(all) ? all.filter((entry) => typeof entry?.[0] === "string" && entry[1]) : [];
  };
  const lists = document.getElementById("_lists");
  /** On the home page of a game, show the pins of the open board, and the pages read recently. */
  const fillLists = () => {
    const { boards, open } = read();
    const isHome = document.body.matches(".home");
    const title = isHome && make("a", { href: table, textContent: t("title.my_table") });
    lists.replaceChildren(...(isHome ? list(title, boards[open].pins) : []), ...list(t("pins.read"), readPages()));
  };

  kismet.showPins();
  if (isLocal) storeContents();
  if (lists) {
    fillLists();
    addEventListener("storage", fillLists);
  }
  addEventListener("storage", kismet.showPins);
  addEventListener("pageshow", ({ persisted }) => persisted && kismet.showPins());
  kismet.boards = { board, read, write, isDamaged, shared, addressOf, parts, place, nameOf, contentOf, note };
})();

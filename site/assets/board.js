// The boards of My table: how they are stored, pinning, the text of what is pinned, and the lists of pinned and read pages.
(() => {
  /** Milliseconds that a message is shown. */
  const NOTE_TIME = 8000;
  /** Length of the name of a board. */
  const MAX_NAME = 60;
  const HEADINGS = "h1, h2, h3, h4, h5, h6";
  /** Parts of a page that a board does not show. */
  const LEFT_OUT =
    ".permalink, .to-card, .answers, .pin, .why, .take, .roll-line, .roll-result, .author-links, aside.calculators, .presets-title, .presets, .readings, .more";
  const kismet = globalThis.kismet;
  const { t } = kismet;
  const { base } = kismet;
  const page = kismet.pathOf(location.href);
  const { game } = document.documentElement.dataset;
  const isLocal = location.protocol === "file:";
  /** Firefox gives each file of a folder a storage of its own, unless a setting of it is changed. No other browser does. */
  const isApart = isLocal && "mozInnerScreenX" in window && page !== "table/";
  const make = (name, properties = {}, ...inside) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...inside);
    return element;
  };
  /** Write an item of this game to the storage, or remove it; returns the error if that fails. */
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

  /** A board with these pins, which are pairs of key and title; the order is that of the pins. */
  const board = (name, pins, columns) => ({
    name: (typeof name === "string" && name.trim().slice(0, MAX_NAME)) || t("pins.bookmarks"),
    columns: [1, 2, 3].includes(columns) ? columns : 2,
    pins: [...new Map(pins.filter((pin) => Array.isArray(pin) && typeof pin[0] === "string").map(([key, title]) => [key, `${title ?? key}`]))],
  });
  // The boards, if they cannot be stored: they last as long as the page.
  let unstored = null;
  /** All boards and the position of the open one. Damaged parts are left out. */
  const read = () => {
    if (unstored) return unstored;
    const { boards, open } = kismet.stored("boards") ?? {};
    const sound = (Array.isArray(boards) ? boards : []).filter((one) => Array.isArray(one?.pins)).map((one) => board(one.name, one.pins, one.columns));
    if (!sound.length) sound.push(board("", []));
    return { boards: sound, open: sound[open] ? open : 0 };
  };
  /** Store all boards. Returns why that failed, as words, or an empty string. */
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
  const encoded = (words) => encodeURIComponent(words).replaceAll("%2F", "/");
  /** The address of My table that holds a board. */
  const addressOf = ({ name, columns, pins }) =>
    `${table}#board=${encoded(name)}&columns=${columns}&pins=${pins.map(([key]) => encoded(key)).join()}`;
  /** The board in the fragment of an address; null if it has none. */
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

  const parts = (key) => {
    const [, path, id, number] = key.match(/^([^#]*)#?(.*?)(?:~(\d+))?$/s);
    return { path, id, number: Number(number ?? 0) };
  };
  /** The address of the thing with a key. */
  const place = (key) => {
    const { path, id } = parts(key);
    return new URL(`${encoded(path)}index.html${id && `#${encodeURIComponent(id)}`}`, base).href;
  };
  /** Show on all buttons of the page what is pinned on the open board. */
  kismet.showPins = () => {
    const { boards, open } = read();
    const keys = new Set(boards[open].pins.map(([key]) => key));
    const forms = [...document.querySelectorAll("kismet-calculator > template")].map(({ content }) => content);
    for (const button of [document, ...forms].flatMap((within) => [...within.querySelectorAll(".pin")])) {
      const is = keys.has(button.dataset.pin);
      button.classList.toggle("on", is);
      const thing = button.dataset.title;
      button.dataset.label = is ? t("pins.unpin") : t("pins.pin");
      button.ariaLabel = is ? t("pins.unpin_it", { thing }) : t("pins.pin_it", { thing });
    }
  };
  /** The button of what has the focus or, if nothing has, of what is read: the last one that starts in the upper half. */
  const buttonInView = () => {
    const focused = document.activeElement.closest("details.calculator, kismet-calculator, .table, .card-large, .link-card, :is(h1, h2, h3, h4, h5, h6)");
    const form = focused?.querySelector("template")?.content;
    const own = (form ?? focused)?.querySelector(".pin");
    if (own) return own;
    const buttons = [...document.querySelectorAll(".pin")].filter((button) => button.getClientRects().length);
    return buttons.findLast((button) => button.getBoundingClientRect().top < innerHeight / 2) ?? buttons[0];
  };
  /** Pin what a button is for, or remove it from the board; without a button, what is in view. */
  kismet.pin = (button = buttonInView()) => {
    if (!button) return kismet.say(t("pins.nothing"));
    const { pin: key, title } = button.dataset;
    const all = read();
    const open = all.boards[all.open];
    const is = open.pins.some(([other]) => other === key);
    open.pins = is ? open.pins.filter(([other]) => other !== key) : [...open.pins, [key, title]];
    const problem = write(all) || (isApart && !is ? t("pins.apart") : "");
    if (isLocal) is ? store(`text-${key}`) : keepTexts();
    const values = { thing: title, board: open.name };
    const words = `${is ? t("pins.unpinned", values) : t("pins.pinned", values)} ${problem}`.trim();
    note(words, make("a", { href: problem ? addressOf(open) : table, textContent: t("title.my_table") }));
  };
  let shown = null;
  /** Show a message with a link or button, and announce it. */
  const note = (words, tool) => {
    shown?.remove();
    const own = (shown = make("p", { className: "newer" }, `${words} `, tool));
    document.body.append(own);
    kismet.say(words);
    setTimeout(() => own.remove(), NOTE_TIME);
  };

  // --- what a pin shows

  /** The elements of a page that a pin shows; the first has its title. */
  const elements = (article, key) => {
    const { path, id, number } = parts(key);
    const title = article.querySelector("h1");
    const titled = (name, element) => [make("h1", {}, ...name.cloneNode(true).childNodes), element];
    if (path === "calculators/") {
      const calculator = article.querySelector(`kismet-calculator[name="${CSS.escape(id)}"]`);
      return calculator ? titled(calculator.previousElementSibling ?? title, calculator) : [];
    }
    if (!id && !number)
      return article.querySelector(".card-large")
        ? [...article.querySelectorAll(".card-large, .spread-text > .text:not(:has(> .printed))")]
        : [title, ...article.querySelectorAll(":scope > :is(.text, .sections)")];
    if (number) {
      let [within, count, heading] = ["", 0, title];
      for (const one of article.querySelectorAll(`:is(${HEADINGS})[id], table[data-roll]`)) {
        if (!one.dataset.roll) [within, count, heading] = [one.id, 0, one];
        else if (within === id && ++count === number) return titled(one.caption ?? heading, one.closest(".table"));
      }
      return [];
    }
    const start = article.querySelector(`#${CSS.escape(id)}`);
    if (!start?.matches(HEADINGS)) return [start];
    if (start === title) return [start, ...article.querySelectorAll(":scope > .text")];
    const found = [start];
    for (let next = start.nextElementSibling; next; next = next.nextElementSibling) {
      if (next.matches(HEADINGS) && next.localName <= start.localName) break;
      found.push(next);
    }
    return found;
  };
  /** A copy of these elements for a board at any address, with the headings that belong there. */
  const copied = (elements, address) => {
    const box = make("div", {}, ...elements.map((element) => document.importNode(element, true)));
    for (const part of [box, ...[...box.querySelectorAll("template")].map(({ content }) => content)])
      for (const one of part.querySelectorAll(LEFT_OUT)) one.remove();
    for (const name of ["href", "src"])
      for (const one of box.querySelectorAll(`[${name}]`)) one.setAttribute(name, new URL(one.getAttribute(name), address));
    for (const one of box.querySelectorAll("button.dice")) {
      const span = make("span", { className: "dice" }, one.textContent);
      span.dataset.dice = one.dataset.dice;
      one.replaceWith(span);
    }
    for (const one of box.querySelectorAll("[id], [aria-labelledby]"))
      if (!one.closest("kismet-calculator")) for (const name of ["id", "aria-labelledby"]) one.removeAttribute(name);
    const headings = [...box.querySelectorAll(HEADINGS)].filter((one) => !one.closest("kismet-calculator"));
    const levels = [...new Set(headings.map(({ localName }) => localName))].sort();
    for (const one of headings) one.replaceWith(make(`h${Math.min(levels.indexOf(one.localName) + 2, 6)}`, {}, ...one.childNodes));
    return box;
  };
  // What a pin shows, from the page at an address: `box`, or `to`, the address of the page that has it now. Null if it is not
  // on the page.
  const piece = (page, address, key) => {
    const article = page.querySelector("article");
    const { id } = parts(key);
    const line = id && article?.querySelector(`#${CSS.escape(id)}`)?.closest(".sections li, p.calculator");
    // A page without an article leads to another one; so does a line of the contents of a split chapter, or of a sheet.
    const door = article ? line && line.querySelector("a") : page.querySelector("body a");
    if (door) return { to: new URL(door.getAttribute("href"), address).href };
    const found = elements(article, key).filter(Boolean);
    return found.length ? { box: copied(found, address) } : null;
  };
  /** Store the text of what is pinned of this page: on file: addresses a board cannot load it. */
  const keepTexts = () => {
    const { boards } = read();
    for (const [key] of boards.flatMap(({ pins }) => pins)) {
      const { path } = parts(key);
      const found = (path === page || path === "calculators/") && piece(document, location.href, key);
      if (found?.box) store(`text-${key}`, found.box.innerHTML);
    }
  };

  // --- lists of links

  /** A list of pairs of key and title, under a heading; nothing if there are none. */
  const list = (title, pairs) => {
    if (!pairs.length) return [];
    const links = pairs.map(([key, words]) => make("li", {}, make("a", { href: place(key), textContent: words })));
    return [make("section", { className: "page-links" }, make("h2", {}, title), make("ul", {}, ...links))];
  };
  const readPages = () => {
    const all = kismet.stored("read");
    return Array.isArray(all) ? all.filter((one) => typeof one?.[0] === "string" && one[1]) : [];
  };
  const lists = document.getElementById("_lists");
  /** Show what is pinned on the open board, on the home page of a game, and the pages read. */
  const fillLists = () => {
    const { boards, open } = read();
    const isHome = document.body.matches(".home");
    const title = isHome && make("a", { href: table, textContent: t("title.my_table") });
    lists.replaceChildren(...(isHome ? list(title, boards[open].pins) : []), ...list(t("pins.read"), readPages()));
  };

  kismet.showPins();
  if (isLocal) keepTexts();
  if (lists) {
    fillLists();
    addEventListener("storage", fillLists);
  }
  addEventListener("storage", kismet.showPins);
  addEventListener("pageshow", ({ persisted }) => persisted && kismet.showPins());
  kismet.boards = { make, board, read, write, isDamaged, shared, addressOf, parts, place, piece, note };
})();

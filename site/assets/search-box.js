// The search box: names at once, the text of the pages below them where a server is there to ask.
(() => {
  const kismet = (globalThis.kismet ??= {});
  const page = document.documentElement;
  const root = new URL(page.dataset.root || "./", location.href);
  const here = page.dataset.game ?? "";
  const KEY = "kismet-search";
  const NAMES = 12, TEXTS = 12, SECTIONS = 3;
  /** Milliseconds after the last key until the text is asked, and until it is said that this takes long. */
  const PAUSE = 60, PATIENCE = 200;
  const ASKS = location.protocol !== "file:";

  const make = (name, attributes, ...inside) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes))
      if (value === true) element.setAttribute(key, "");
      else if (value !== false && value !== undefined) element.setAttribute(key, value);
    element.append(...inside);
    return element;
  };

  // --- where is searched

  let everywhere = !here;
  try {
    everywhere ||= localStorage.getItem(KEY) === "all";
  } catch {
    // Nothing is kept here: each page begins with its own game.
  }
  const known = {};
  const games = () => (everywhere ? kismet.shelf.map(([game]) => game) : [here]);
  const entries = () => games().flatMap((game) => known[game] ?? []);
  /** Load the names that are searched; a game without any is left out. */
  const learn = () =>
    Promise.all(
      games().map(async (game) => {
        await kismet.need(`${game}-names.js`).catch(() => {});
        if (kismet.names?.[game]) known[game] ??= kismet.nameEntries(kismet.names[game]);
      }),
    );

  // --- the text

  const engines = {};
  /** What searches the text of the games of one language, which share the rules of how words end. */
  const engine = async ([first, ...others]) => {
    const folder = (game) => new URL(`assets/pagefind/${game}/`, root).href;
    const { createInstance } = await import(`${folder(first)}pagefind.js`).catch(() => ({}));
    if (!createInstance) return others.length ? engine(others) : [];
    const own = createInstance({ basePath: folder(first), baseUrl: "/", noWorker: true, excerptLength: 22 });
    await own.init();
    const join = (game) => own.mergeIndex(folder(game), { baseUrl: "/", excerptLength: 22 });
    await Promise.allSettled(others.map(join)); // one that is missing costs only itself
    return own;
  };
  /** The engines for what is searched now; without those that cannot be had. */
  const enginesOf = () => {
    const scope = everywhere ? "" : here;
    return (engines[scope] ??= (async () => {
      const groups = {};
      for (const [game, , language] of kismet.shelf)
        if (games().includes(game)) (groups[language] ??= []).push(game);
      const found = await Promise.allSettled(Object.values(groups).map(engine));
      return found.flatMap(({ value }) => value ?? []);
    })());
  };
  /** What a page says, as rows: of a chapter the sections that say it most, of a card the card. */
  const rowsOf = (result) => {
    const weight = ({ weighted_locations }) => weighted_locations.reduce((sum, one) => sum + one.balanced_score, 0);
    const parts = [...result.sub_results].sort((a, b) => weight(b) - weight(a)).slice(0, SECTIONS);
    return (parts.length ? parts : [result]).map((part) => ({
      address: decodeURI(part.url.replace(/^\//, "")),
      title: part.title ?? result.meta.title,
      excerpt: part.excerpt,
    }));
  };
  /** The rows of the text that holds the words, each place once and none that is listed by its name. */
  const textRows = async (words, listed) => {
    const found = (await Promise.all((await enginesOf()).map((one) => one.search(words)))).flatMap(({ results }) => results);
    found.sort((a, b) => b.score - a.score);
    const pages = await Promise.all(found.slice(0, TEXTS).map((one) => one.data()));
    const by = new Map();
    for (const entry of entries()) for (const one of [entry.address, ...(entry.sections ?? [])]) by.set(decodeURI(one), by.get(decodeURI(one)) ?? entry);
    const seen = new Set(listed);
    return pages.flatMap(rowsOf).flatMap(({ address, title, excerpt }) => {
      const entry = by.get(address) ?? by.get(address.split("#")[0]) ?? { address, name: title, kind: "", sign: "", below: [] };
      if (seen.has(entry.address)) return [];
      seen.add(entry.address);
      return [{ entry, excerpt }];
    });
  };

  // --- rows

  /** Words with the parts marked that matched; ranges may overlap. */
  const marked = (words, ranges) => {
    const pieces = [];
    let at = 0;
    for (const [begin, end] of [...ranges].sort((a, b) => a[0] - b[0])) {
      if (end <= at) continue;
      pieces.push(words.slice(at, Math.max(at, begin)), make("mark", {}, words.slice(Math.max(at, begin), end)));
      at = end;
    }
    return [...pieces, words.slice(at)];
  };
  /** The words around a hit, which come as HTML of nothing but marks. */
  const quoted = (excerpt) => {
    const words = new DOMParser().parseFromString(excerpt, "text/html").body;
    const begins = /^[\p{Lu}\p{N}“"]/u.test(words.textContent), ends = /[.!?”"]\s*$/.test(words.textContent);
    const pieces = [...words.childNodes].map((node) => (node.nodeName === "MARK" ? make("mark", {}, node.textContent) : node.textContent));
    return [begins ? "" : "… ", ...pieces, ends ? "" : " …"];
  };
  const trail = (below) => below.flatMap((title, place) => [place ? " › " : "", make("span", place ? { class: "heading" } : {}, title)]);
  let number = 0;
  const row = ({ entry, spelling, marks, excerpt }) => {
    const isName = spelling === entry.name;
    const line = excerpt !== undefined ? quoted(excerpt) : [...(isName || !spelling ? [] : ["also ", ...marked(spelling, marks), entry.below.length ? " · " : ""]), ...trail(entry.below)];
    const sign = make("span", { class: "ornament", "aria-hidden": "true" }, `${entry.sign}\ufe0e`);
    const kind = [entry.kind, everywhere && kismet.shelf.length > 1 ? entry.title : ""].filter(Boolean).join(" · ");
    return make(
      "a",
      { role: "option", id: `_found-${number++}`, tabindex: "-1", "aria-selected": "false", href: new URL(entry.address, root).href, class: `found tint-${entry.tint ?? "fate"}` },
      sign,
      make("span", { class: entry.kind === "Section" ? "found-name heading" : "found-name" }, ...(isName ? marked(entry.name, marks) : [entry.name])),
      make("span", { class: "found-kind" }, kind),
      make("span", { class: excerpt === undefined ? "found-line" : "found-line prose" }, ...line),
    );
  };
  const group = (label) => make("div", { role: "group", "aria-label": label, hidden: true }, make("p", { class: "found-group", "aria-hidden": "true" }, label));
  const fill = (part, rows) => {
    part.replaceChildren(part.firstChild, ...rows.map(row));
    part.hidden = !rows.length;
  };

  // --- the box

  let box = null;
  const build = () => {
    const title = here && (kismet.shelf.find(([game]) => game === here)?.[1] ?? here);
    const input = make("input", {
      ...{ type: "text", inputmode: "search", enterkeyhint: "go", autocomplete: "off", autocapitalize: "none", spellcheck: "false" },
      ...{ role: "combobox", "aria-controls": "_found", "aria-expanded": "false", "aria-autocomplete": "list", "aria-label": "Search" },
    });
    const scope = (value, label) =>
      make("label", {}, make("input", { type: "radio", name: "scope", value, checked: everywhere === (value === "all") }), make("span", {}, label));
    input.placeholder = here ? `Search ${title}` : "Search all games";
    const switches = make("fieldset", { class: "search-scope", hidden: !here || kismet.shelf.length < 2 }, make("legend", { class: "heard" }, "Where"), scope("one", title), scope("all", "All games"));
    const close = make("button", { type: "button", class: "search-close" }, "Close");
    const names = group("Names"), texts = group("In the text");
    const list = make("div", { role: "listbox", id: "_found", "aria-label": "Results", hidden: true }, names, texts);
    const note = make("p", { class: "search-note" });
    const status = make("p", { class: "heard", role: "status" });
    const form = make("form", { role: "search" }, make("div", { class: "search-head" }, input, close), switches);
    const dialog = make("dialog", { class: "search", "aria-label": "Search" }, form, make("div", { class: "search-found" }, list, note), status);
    document.body.append(dialog);
    box = { dialog, input, list, names, texts, note, status, found: [], asked: "", place: -1, moved: false };

    input.addEventListener("input", look);
    input.addEventListener("keydown", keys);
    form.addEventListener("submit", (event) => (event.preventDefault(), follow()));
    close.addEventListener("click", () => dialog.close());
    switches.addEventListener("change", async ({ target }) => {
      everywhere = target.value === "all";
      try {
        localStorage.setItem(KEY, target.value);
      } catch {
        // It holds for this page.
      }
      await learn();
      box.asked = null;
      look();
      input.focus();
    });
    list.addEventListener("pointermove", ({ target }) => {
      const place = options().indexOf(target.closest("[role=option]"));
      if (place >= 0 && place !== box.place) select(place, false);
    });
    // The place that is opened may be on this very page.
    list.addEventListener("click", (event) => {
      if (event.target.closest("[role=option]") && !(event.ctrlKey || event.metaKey || event.shiftKey)) dialog.close();
    });
    // What lies around it is part of it: a press there closes it.
    dialog.addEventListener("click", ({ target }) => target === dialog && dialog.close());
  };

  const options = () => [...box.list.querySelectorAll("[role=option]:not(.old *)")];
  const select = (place, scroll = true) => {
    const every = options();
    for (const one of box.list.querySelectorAll("[aria-selected=true]")) one.setAttribute("aria-selected", "false");
    box.place = every.length ? Math.max(0, Math.min(place, every.length - 1)) : -1;
    const option = every[box.place];
    option?.setAttribute("aria-selected", "true");
    if (option) box.input.setAttribute("aria-activedescendant", option.id);
    else box.input.removeAttribute("aria-activedescendant");
    if (scroll) option?.scrollIntoView({ block: "nearest" });
  };
  const follow = () => {
    options()[box.place]?.click();
  };
  const keys = (event) => {
    const { key, ctrlKey, metaKey, shiftKey, altKey, isComposing } = event;
    if (isComposing || altKey) return;
    const last = options().length - 1;
    const step = { ArrowDown: box.place < last ? box.place + 1 : 0, ArrowUp: box.place > 0 ? box.place - 1 : last, PageDown: Math.min(box.place + 6, last), PageUp: Math.max(box.place - 6, 0) }[key]
      // Before anything was chosen, these two are for the words that were typed.
      ?? (box.moved && !shiftKey ? { Home: 0, End: last }[key] : undefined);
    if (step !== undefined && last >= 0) {
      box.moved = true;
      select(step);
    } else if (key === "Enter") {
      if (ctrlKey || metaKey) open(options()[box.place]?.href, "_blank", "noopener");
      else follow();
    } else if ((ctrlKey || metaKey) && key.toLowerCase() === "k") box.input.select();
    else return;
    event.preventDefault();
  };

  const shown = () => {
    const count = options().length;
    box.list.hidden = !count;
    box.input.setAttribute("aria-expanded", String(count > 0));
    return count;
  };
  const counted = (count) => (count === 1 ? "1 result" : `${count || "No"} results`);
  const say = (words, note = words) => {
    box.status.textContent = words;
    box.note.textContent = note;
    box.note.hidden = !note;
  };
  const where = () => (everywhere ? "all games" : (kismet.shelf.find(([game]) => game === here)?.[1] ?? here));
  const LIMITS = "Opened from a folder, search finds names and headings; the text of the pages needs a server.";

  const look = async () => {
    const typed = box.input.value.trim();
    if (typed === box.asked) return;
    box.asked = typed;
    box.moved = false;
    const found = kismet.seekNames(entries(), typed);
    const seen = new Set();
    const listed = found.filter(({ entry }) => !seen.has(entry.address) && seen.add(entry.address)).slice(0, ASKS ? NAMES : NAMES * 4);
    fill(box.names, listed);
    if (!typed) fill(box.texts, []);
    box.texts.classList.add("old"); // what stands there answers what was typed before
    select(0);
    box.list.scrollTop = 0;
    const count = shown();
    if (!typed) return say("", hint());
    if (!ASKS) return say(counted(count), count ? LIMITS : `Nothing in ${where()} has the name “${typed}”. ${LIMITS}`);
    box.note.hidden = true;
    const isLate = () => box.asked !== typed;
    await new Promise((done) => setTimeout(done, PAUSE));
    if (isLate()) return;
    const patience = setTimeout(() => isLate() || say("Searching the text …"), PATIENCE);
    const engines = await enginesOf();
    const texts = await textRows(typed, listed.map(({ entry }) => entry.address)).catch(() => []);
    clearTimeout(patience);
    if (isLate()) return;
    const place = box.place;
    fill(box.texts, texts);
    box.texts.classList.remove("old");
    const all = shown();
    select(Math.max(place, 0), false);
    const limits = engines.length ? "" : "Only names and headings can be searched here.";
    say(counted(all), all ? limits : [`Nothing in ${where()} says “${typed}”.`, limits].join(" "));
  };
  const hint = () => `Names, headings${ASKS ? " and every word" : ""} of ${where()}.`;

  /** Open the box, with the letters that were typed while it was loaded. */
  kismet.search = async (typed = "") => {
    // No key is lost between those that were kept and those that the field takes: nothing is waited for before it has the focus.
    if (!box) build();
    if (!box.dialog.open) box.dialog.showModal();
    box.input.focus();
    box.input.value = typed || box.input.value;
    if (!typed) box.input.select();
    box.note.textContent ||= hint();
    await learn();
    box.asked = null;
    await look();
  };
})();

// Search dialog: entries ranked by search-rank.js, then full-text results from Pagefind. Full text needs HTTP, so it is
// off on file: pages.
(() => {
  const kismet = (globalThis.kismet ??= {});
  const { t } = kismet;
  const page = document.documentElement;
  const root = new URL(page.dataset.root || "./", location.href);
  const here = page.dataset.game ?? "";
  // The title of the manual, on the manual's pages, where the search only covers the manual.
  const { manual } = page.dataset;
  const KEY = "kismet-search";
  // Key of the recent searches in the storage, and how many are kept.
  const RECENT = "kismet-searches", MAX_RECENT = 8;
  // Maximum lengths of a line and of an answer that other units are added to, and maximum number of results from other
  // games.
  const MAX_LINE = 140, MAX_ANSWER = 320, MAX_ELSEWHERE = 5;
  // A link lets the browser find a sentence by this number of words, if at least this number of units come before it.
  const PASSAGE_WORDS = 6, UNITS_ABOVE = 2;
  // Minimum number of results for which there is a filter by kind, and maximum number of kinds to choose from.
  const MIN_FILTERED = 4, MAX_KINDS = 4;
  // Maximum number of ranked results that the filter chooses from, of results by name, of pages in the full-text results, and of sections shown for one page.
  const MAX_RANKED = 60, MAX_NAMES = 12, MAX_TEXT_PAGES = 12, MAX_SECTIONS = 3;
  // Milliseconds from the last key press to the full-text query, and from the query to the message that it is running.
  const QUERY_DELAY = 60, SLOW_QUERY_DELAY = 200;
  // Browsers do not load Pagefind's index from file: addresses.
  const isServed = location.protocol !== "file:";

  const make = (name, attributes, ...inside) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes))
      if (value === true) element.setAttribute(key, "");
      else if (value !== false && value !== undefined) element.setAttribute(key, value);
    element.append(...inside);
    return element;
  };

  // --- scope: this game or all games

  let everywhere = !here;
  try {
    everywhere ||= !manual && localStorage.getItem(KEY) === "all";
  } catch {
    // Storage is blocked, so each page starts with the scope of its own game.
  }
  const known = Object.create(null);
  /** Whether there is more than one game. */
  const several = () => Boolean(kismet.starts) || kismet.shelf.length > 1;
  /** The name of a game. In a library with many games, only the game's own pages have it. */
  const titleOf = (game) => kismet.shelf.find(([id]) => id === game)?.[1] ?? document.querySelector(".bar-game")?.textContent.trim() ?? game;
  /**
   * In a library with many games, the start of the longest typed word that has an index, preferably a complete one (not
   * `start*`). Common words are only used if there are no others.
   */
  const startOf = (typed) => {
    const starts = new Set(kismet.starts.split(" "));
    const found = (word) => Array.from(word, (_, end) => word.slice(0, end + 1)).flatMap((start) => [start, `${start}*`]).findLast((start) => starts.has(start));
    const words = kismet.foldWords(typed), content = words.filter((word) => !kismet.searchWords.ignored.includes(word));
    const all = (content.length ? content : words).sort((a, b) => b.length - a.length).map(found).filter(Boolean);
    return all.find((start) => !start.endsWith("*")) ?? all[0] ?? "";
  };
  /** In a library with many games, whether more letters could lead to an index. */
  const isStart = (typed) => kismet.foldWords(typed).some((word) => ` ${kismet.starts}`.includes(` ${word}`));
  const shardsOf = (typed) => {
    const letters = [...startOf(typed).replace("*", "")];
    return letters.length ? [`search/${letters.map((letter) => letter.codePointAt(0).toString(16)).join("-")}`] : [];
  };
  /** The indexes of the current scope. */
  const games = () => (!everywhere ? [here] : kismet.starts ? shardsOf(box?.input.value ?? "") : kismet.shelf.map(([game]) => game));
  const indexes = () => games().flatMap((game) => known[game] ?? []);
  // Number of calls that are loading indexes at the moment.
  let loading = 0;
  /** Load the indexes of games, and skip a game whose index is missing. */
  const learn = async (all = games()) => {
    loading++;
    await Promise.all(
      all.map(async (game) => {
        await kismet.need(game.includes("/") ? `${game}.js` : `${game}-search.js`).catch(() => {});
        if (kismet.known?.[game]) known[game] ??= kismet.openIndex(kismet.known[game], kismet.searchWords);
      }),
    );
    loading--;
  };

  // --- entries

  const END = "index.html";
  // Kind, sign and colour of entries that are not entities, by their type in the index.
  const TYPES = {
    k: [t("search.kind")], g: [t("search.game"), "◆"], b: [t("search.board"), "▦"], t: [t("search.tag"), "#"], s: [t("search.section"), "§"], c: [t("search.chapter"), "❧"],
    u: [t("search.unwritten"), "✎"], x: [t("search.calculator"), "∑", "sky"], y: [t("search.sheet"), "∑", "sky"],
  };
  /** The data to show for an entry of a game: `{name, kind, sign, tint, address, below, game, title}`. */
  const entryOf = (game, place) => {
    const [type, name, address, above] = game.entries[place];
    const below = [];
    for (let parent = above; parent >= 0; parent = game.entries[parent][3]) below.unshift(game.entries[parent][1]);
    const [page, hash] = address.split("#");
    const [kind, sign, tint] = typeof type === "number" ? game.kinds[type] : [TYPES[type][0], ...(type === "k" ? game.kinds.find(([, , , , id]) => `${id}/` === address).slice(1, 3) : TYPES[type].slice(1))];
    return { name, kind, type, sign, tint: tint ?? "gold", address: `${game.base ?? `${game.game}/`}${page}${END}${hash === undefined ? "" : `#${hash}`}`, below, game: game.game, title: game.title };
  };
  /** The unit of a result (a sentence, a row or a field); "" if no unit contains a typed word. */
  const unitOf = ({ game, entry, unit }) => (unit < 0 ? "" : game.units[entry][unit - game.first[entry]]);
  /** A result with the data to show for it: `{entry, spelling, unit, result}`. `spelling` is the name that matches. */
  const viewOf = (result) => {
    const [, name, , , ...aliases] = result.game.entries[result.entry];
    return { entry: entryOf(result.game, result.entry), spelling: [name, ...aliases][result.name], unit: unitOf(result), result };
  };

  // --- full-text search

  const engines = Object.create(null);
  const folderOf = (game) => new URL(`assets/pagefind/${game}/`, root).href;
  const OPTIONS = { baseUrl: "/", excerptLength: 22 };
  /** The name (which is the folder) and the text digest of each index of a game; empty if the game has no index. */
  const indexesOf = (game) => fetch(`${folderOf(game)}shards.json`).then((response) => response.json()).catch(() => []);
  /** A Pagefind instance for the games of one language. They share its stemming rules, so their indexes can be merged. */
  const engine = async ([[first, metaCacheTag], ...others]) => {
    const { createInstance } = await import(`${folderOf(first)}pagefind.js`).catch(() => ({}));
    if (!createInstance) return others.length ? engine(others) : [];
    const own = createInstance({ basePath: folderOf(first), noWorker: true, metaCacheTag, ...OPTIONS });
    await own.init();
    const join = ([game, metaCacheTag]) => own.mergeIndex(folderOf(game), { metaCacheTag, ...OPTIONS });
    // A missing index only excludes its own game.
    await Promise.allSettled(others.map(join));
    return own;
  };
  /** The search engine for a game whose index is divided into shards. */
  const shardedEngine = async (game, shards) => {
    await kismet.need("search-shards.js");
    return kismet.openShards(folderOf(game), shards, OPTIONS);
  };
  /**
   * The search engines for the current scope, created once: one for each game with shards, and one for the other games
   * of each language. An engine that fails to load is left out.
   */
  const enginesOf = () => {
    const scope = everywhere ? "" : here;
    return (engines[scope] ??= (async () => {
      // Load the game of this page first.
      const all = kismet.starts ? [[here, titleOf(here), page.lang]] : kismet.shelf;
      const shelf = all.filter(([game]) => games().includes(game)).sort(([a], [b]) => (b === here) - (a === here));
      const groups = {}, opened = [];
      const indexes = await Promise.all(shelf.map(([game]) => indexesOf(game)));
      for (const [place, [game, , language]] of shelf.entries())
        if (indexes[place].length > 1) opened.push(shardedEngine(game, indexes[place]));
        else if (indexes[place].length) (groups[language] ??= []).push([game, indexes[place][0][1]]);
      const found = await Promise.allSettled([...opened, ...Object.values(groups).map(engine)]);
      return found.flatMap(({ value }) => value ?? []);
    })());
  };
  /** Results of one page: its best-scoring sections, or the page itself if it has no sections. */
  const rowsOf = (result) => {
    const weight = ({ weighted_locations }) => weighted_locations.reduce((sum, place) => sum + place.balanced_score, 0);
    const parts = [...result.sub_results].sort((a, b) => weight(b) - weight(a)).slice(0, MAX_SECTIONS);
    return (parts.length ? parts : [result]).map((part) => ({
      address: decodeURI(part.url.replace(/^\//, "")),
      title: part.title ?? result.meta.title,
      excerpt: part.excerpt,
    }));
  };
  /** Full-text results for the words, without duplicates and without entries that are already listed by name. */
  const textRows = async (words, listed) => {
    const found = (await Promise.all((await enginesOf()).map((engine) => engine.search(words)))).flatMap(({ results }) => results);
    found.sort((a, b) => b.score - a.score);
    const pages = await Promise.all(found.slice(0, MAX_TEXT_PAGES).map((page) => page.data()));
    const by = new Map();
    for (const game of indexes())
      game.entries.forEach((_, place) => {
        const entry = entryOf(game, place), address = decodeURI(entry.address);
        if (!by.has(address)) by.set(address, entry);
      });
    const seen = new Set(listed);
    return pages.flatMap(rowsOf).flatMap(({ address, title, excerpt }) => {
      const entry = by.get(address) ?? by.get(address.split("#")[0]) ?? { address, name: title, kind: "", sign: "", below: [] };
      if (seen.has(entry.address)) return [];
      seen.add(entry.address);
      return [{ entry, excerpt }];
    });
  };

  // --- result rows

  /** Text with its matched ranges in <mark>; the ranges may overlap. */
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
  /** The excerpt around a match. Pagefind returns it as HTML; only its text and its <mark> elements are used. */
  const quoted = (excerpt) => {
    const words = new DOMParser().parseFromString(excerpt, "text/html").body;
    const begins = /^[\p{Lu}\p{N}“"]/u.test(words.textContent), ends = /[.!?”"]\s*$/.test(words.textContent);
    const pieces = [...words.childNodes].map((node) => (node.nodeName === "MARK" ? make("mark", {}, node.textContent) : node.textContent));
    return [begins ? "" : "… ", ...pieces, ends ? "" : " …"];
  };
  /** Whether all words are in the excerpt around a match. */
  const hasAll = (excerpt, words) => {
    const stems = new Set(kismet.foldWords(new DOMParser().parseFromString(excerpt, "text/html").body.textContent).map(kismet.stemWord));
    return words.every((word) => stems.has(kismet.stemWord(word)));
  };
  const trail = (below) => below.flatMap((title, place) => [place ? " › " : "", make("span", place ? { class: "heading" } : {}, title)]);
  /** The line of a result: its unit, then the following units while there is room. */
  const lineOf = ({ result, isAnswer }) =>
    kismet.passageOf(result, isAnswer ? MAX_ANSWER : MAX_LINE).flatMap((unit, number, line) =>
      [number ? kismet.betweenUnits(line[number - 1]) : "", ...marked(unit, kismet.markWords(unit, result))]);
  let number = 0;
  const row = ({ entry, spelling, result, unit, excerpt, isAnswer }) => {
    const marks = spelling && result ? kismet.markWords(spelling, result) : [];
    const isName = spelling === entry.name;
    const also = isName || !spelling ? [] : [`${t("entity.also")} `, ...marked(spelling, marks), " · "];
    const line = excerpt !== undefined ? quoted(excerpt) : [...also, ...lineOf({ result, isAnswer })];
    const sign = make("span", { class: "ornament", "aria-hidden": "true" }, `${entry.sign}\ufe0e`);
    const ruling = result && excerpt === undefined && kismet.isRuling(result) ? t("search.ruling") : "";
    const kind = [entry.kind, ruling, (everywhere || entry.game !== here) && several() ? entry.title : ""].filter(Boolean).join(" · ");
    return make(
      "a",
      { role: "option", id: `_found-${number++}`, tabindex: "-1", "aria-selected": "false", href: new URL(entry.address, root).href, "data-passage": passageOf(result, unit), class: `found tint-${entry.tint ?? "fate"}${isAnswer ? " answer" : ""}` },
      sign,
      make("span", { class: entry.kind === t("search.section") ? "found-name heading" : "found-name" }, ...(isName ? marked(entry.name, marks) : [entry.name])),
      make("span", { class: "found-kind" }, kind),
      make("span", { class: excerpt === undefined && !isAnswer ? "found-line" : "found-line prose" }, ...line),
      make("span", { class: "found-trail" }, ...trail(entry.below)),
    );
  };
  /**
   * The text fragment by which a browser finds a unit on its page: the first words of a sentence, or the first and last
   * cell of a row. Undefined at the start of an entry.
   */
  const passageOf = (result, unit) => {
    if (!result || result.unit - result.game.first[result.entry] < UNITS_ABOVE) return undefined;
    // The first cell of a row may follow a label that the page shows elsewhere.
    const cells = unit.split(" · ").map((cell, place) => (place ? cell : cell.split(": ").at(-1))), words = unit.split(" ");
    const parts = cells.length > 1 ? [cells[0], cells.at(-1).split(" ").at(-1)] : [words.slice(0, PASSAGE_WORDS).join(" ")];
    return words.length < PASSAGE_WORDS ? undefined : parts.map((part) => encodeURIComponent(part).replaceAll("-", "%2D")).join(",");
  };
  const group = (label) => make("div", { role: "group", "aria-label": label, hidden: true }, make("p", { class: "found-group", "aria-hidden": "true" }, label));
  const fill = (part, rows) => {
    part.replaceChildren(part.firstChild, ...rows.map(row));
    part.hidden = !rows.length;
  };

  // --- dialog

  let box = null;
  const build = () => {
    const title = here && titleOf(here);
    const input = make("input", {
      ...{ type: "text", inputmode: "search", enterkeyhint: "go", autocomplete: "off", autocapitalize: "none", spellcheck: "false" },
      ...{ role: "combobox", "aria-controls": "_found", "aria-expanded": "false", "aria-autocomplete": "list", "aria-label": t("search.search") },
    });
    const scope = (value, label) =>
      make("label", {}, make("input", { type: "radio", name: "scope", value, checked: everywhere === (value === "all") }), make("span", {}, label));
    input.placeholder = here ? t("search.in", { title }) : t("search.in_all");
    const switches = make("fieldset", { class: "search-scope", hidden: !here || !several() }, make("legend", { class: "heard" }, t("search.where")), scope("one", title), scope("all", t("title.all_games")));
    const close = make("button", { type: "button", class: "search-close" }, t("page.close"));
    const answers = group(t("search.answer")), names = group(t("search.names")), texts = group(t("entity.in_the_text")), others = group(t("search.elsewhere"));
    const list = make("div", { role: "listbox", id: "_found", "aria-label": t("calculators.results"), hidden: true }, answers, names, texts, others);
    const kinds = make("fieldset", { class: "search-scope search-kinds", hidden: true }, make("legend", { class: "heard" }, t("search.kind")));
    const meant = make("p", { class: "search-note", hidden: true });
    const recent = make("div", { class: "search-recent", hidden: true });
    const note = make("p", { class: "search-note" });
    const status = make("p", { class: "heard", role: "status" });
    const form = make("form", { role: "search" }, make("div", { class: "search-head" }, input, close), switches, kinds);
    const dialog = make("dialog", { class: "search", "aria-label": t("search.search") }, form, make("div", { class: "search-found" }, meant, list, recent, note), status);
    document.body.append(dialog);
    box = { dialog, input, list, answers, names, texts, others, kinds, meant, recent, kind: "", note, status, found: [], asked: "", looks: 0, place: -1, moved: false };

    input.addEventListener("input", () => {
      box.kind = "";
      look();
    });
    kinds.addEventListener("change", ({ target }) => filter(target.value));
    for (const part of [recent, meant]) part.addEventListener("click", ({ target }) => {
      const words = target.closest("button")?.textContent;
      if (!words) return;
      input.value = words;
      input.focus();
      look();
    });
    input.addEventListener("keydown", keys);
    form.addEventListener("submit", (event) => (event.preventDefault(), follow()));
    close.addEventListener("click", () => dialog.close());
    switches.addEventListener("change", async ({ target }) => {
      everywhere = target.value === "all";
      try {
        localStorage.setItem(KEY, target.value);
      } catch {
        // Storage is blocked, so the scope only applies to this page.
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
    // Close the dialog on a click on a result, because the result may be on the current page.
    list.addEventListener("click", (event) => {
      const option = event.target.closest("[role=option]");
      if (!option) return;
      const { passage } = option.dataset;
      if (passage) option.href = `${option.href.split(":~:")[0]}${option.hash ? "" : "#"}:~:text=${passage}`;
      remember(input.value.trim());
      if (!(event.ctrlKey || event.metaKey || event.shiftKey)) dialog.close();
    });
    // A click on the backdrop has the dialog itself as its target.
    dialog.addEventListener("click", ({ target }) => target === dialog && dialog.close());
  };

  const options = () => [...box.list.querySelectorAll("[role=option]:not(.old *)")];
  const select = (place, scroll = true) => {
    const every = options();
    for (const option of box.list.querySelectorAll("[aria-selected=true]")) option.setAttribute("aria-selected", "false");
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
    // If the caret is at the end of the typed words, the left and right arrow keys choose the kind of the results.
    const turn = { ArrowRight: 1, ArrowLeft: box.kind ? -1 : 0 }[key];
    if (turn && !box.kinds.hidden && !shiftKey && box.input.selectionStart === box.input.value.length) {
      const every = [...box.kinds.querySelectorAll("input")].map(({ value }) => value);
      filter(every[(every.indexOf(box.kind) + turn + every.length) % every.length]);
      event.preventDefault();
      return;
    }
    const step = { ArrowDown: box.place < last ? box.place + 1 : 0, ArrowUp: box.place > 0 ? box.place - 1 : last, PageDown: Math.min(box.place + 6, last), PageUp: Math.max(box.place - 6, 0) }[key]
      // Until the selection has been moved, Home and End move the caret in the input.
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

  // --- recent searches

  const recentSearches = () => {
    try {
      return JSON.parse(localStorage.getItem(RECENT) ?? "[]");
    } catch {
      return [];
    }
  };
  const remember = (words) => {
    if (!words) return;
    try {
      localStorage.setItem(RECENT, JSON.stringify([words, ...recentSearches().filter((other) => other !== words)].slice(0, MAX_RECENT)));
    } catch {
      // Storage is blocked, so there are no recent searches.
    }
  };
  const showRecent = (isShown) => {
    const words = isShown ? recentSearches() : [];
    box.recent.replaceChildren(make("p", { class: "found-group" }, t("search.recent")), ...words.map((word) => make("button", { type: "button" }, word)));
    box.recent.hidden = !words.length;
  };

  // --- filter by kind

  /** Offer a filter by kind, the most frequent first, if the results are of several kinds. */
  const offerKinds = (found) => {
    const counts = new Map();
    for (const { entry } of found) counts.set(entry.kind, (counts.get(entry.kind) ?? 0) + 1);
    const kinds = [...counts.keys()].sort((a, b) => counts.get(b) - counts.get(a)).slice(0, MAX_KINDS);
    box.kinds.hidden = found.length < MIN_FILTERED || kinds.length < 2;
    if (box.kinds.hidden) box.kind = "";
    const choice = (value, label) => make("label", {}, make("input", { type: "radio", name: "kind", value, checked: value === box.kind }), make("span", {}, label));
    box.kinds.replaceChildren(box.kinds.firstChild, choice("", t("cards.all")), ...kinds.map((kind) => choice(kind, kind)));
    box.kinds.querySelector(":checked")?.parentElement.scrollIntoView({ block: "nearest", inline: "nearest" });
  };
  const filter = (kind) => {
    box.kind = kind;
    const active = box.kinds.contains(document.activeElement);
    box.asked = null;
    look();
    if (active) box.kinds.querySelector("input:checked")?.focus();
  };

  const shown = () => {
    const count = options().length;
    box.list.hidden = !count;
    box.input.setAttribute("aria-expanded", String(count > 0));
    return count;
  };
  const counted = (count) => (count ? t("search.results", { n: count }) : t("search.no_results"));
  const say = (words, note = words) => {
    box.status.textContent = words;
    box.note.textContent = note;
    box.note.hidden = !note;
  };
  const where = () => (everywhere ? t("search.all_games") : titleOf(here));
  const none = (words) => t("search.none", { words, place: where() });
  const LIMITS = t("search.limits");

  /** Entries of other games that contain all words. */
  const elsewhereOf = async (typed) => {
    const others = kismet.starts ? shardsOf(typed) : kismet.shelf.map(([game]) => game).filter((game) => game !== here);
    await learn(others);
    const { found, isWhole } = kismet.rankEntries(others.flatMap((game) => known[game] ?? []), typed);
    return isWhole ? found.slice(0, MAX_ELSEWHERE).map(viewOf) : [];
  };

  const look = async () => {
    const typed = box.input.value.trim();
    if (typed === box.asked) return;
    box.asked = typed;
    box.moved = false;
    // The same words are looked up again once the names have loaded.
    const own = ++box.looks;
    const isLate = () => box.looks !== own;
    if (everywhere && kismet.starts && games().some((game) => !known[game])) {
      await learn();
      if (isLate()) return;
    }
    const { found, meant, isWhole } = kismet.rankEntries(indexes(), typed);
    const views = found.slice(0, MAX_RANKED).map(viewOf);
    offerKinds(views);
    const hasFullText = isServed && indexes().some(({ whole }) => !whole);
    const chosen = views.filter(({ entry }) => !box.kind || entry.kind === box.kind).slice(0, hasFullText && !box.kind ? MAX_NAMES : MAX_NAMES * 4);
    const answers = box.kind ? [] : kismet.answersAmong(found).map((result) => views.find((view) => view.result === result));
    const listed = chosen.filter((view) => !answers.includes(view));
    fill(box.answers, answers.map((view) => ({ ...view, isAnswer: true })));
    fill(box.names, listed);
    fill(box.others, []);
    box.names.firstChild.textContent = isWhole || !listed.length ? t("search.names") : t("search.nearest");
    showRecent(!typed);
    box.meant.hidden = !meant;
    const [before, after] = t("search.meant", { words: "\n" }).split("\n");
    box.meant.replaceChildren(before, make("button", { type: "button" }, meant), after);
    // Offer a search in all games if no entry of this game has all words.
    const elsewhere = typed && !isWhole && !everywhere ? await elsewhereOf(typed) : [];
    if (isLate()) return;
    fill(box.others, elsewhere);
    if (!typed) fill(box.texts, []);
    // Until the new results arrive, the list shows those of the previous query.
    box.texts.classList.add("old");
    select(0);
    box.list.scrollTop = 0;
    const count = shown();
    if (!typed) return say("", hint());
    if (everywhere && kismet.starts && !games().length && isStart(typed)) return say(t("search.more_letters"));
    if (!count && loading) return say(t("search.waiting"));
    if (everywhere && kismet.starts && games().length && !indexes().length) return say(t("search.not_loaded"));
    if (!hasFullText || box.kind) fill(box.texts, []);
    if (box.kind) return say(counted(shown()), "");
    if (!hasFullText) {
      const isPartial = everywhere && kismet.starts && startOf(typed).endsWith("*");
      const limits = isPartial ? t("search.more_words") : indexes().every(({ whole }) => whole) ? "" : LIMITS;
      return say(counted(shown()), count ? limits : [none(typed), limits].filter(Boolean).join(" "));
    }
    box.note.hidden = true;
    await new Promise((done) => setTimeout(done, QUERY_DELAY));
    if (isLate()) return;
    const patience = setTimeout(() => isLate() || say(t("search.waiting")), SLOW_QUERY_DELAY);
    const engines = await enginesOf();
    const words = kismet.contentWords(indexes()[0], kismet.foldWords(typed));
    const texts = await textRows(words.join(" "), isWhole ? chosen.map(({ entry }) => entry.address) : []).catch(() => []);
    clearTimeout(patience);
    if (isLate()) return;
    const place = box.place;
    // A passage with all words is a better answer than entries with some of them. But a selected result stays where it
    // is.
    const passages = isWhole || box.moved ? [] : texts.filter(({ excerpt }) => hasAll(excerpt, words));
    const others = listed.filter(({ entry }) => !passages.some((passage) => passage.entry.address === entry.address));
    if (passages.length) fill(box.names, [...passages, ...others]);
    const shownBefore = new Set([...answers, ...passages, ...others].map(({ entry }) => entry.address));
    fill(box.texts, texts.filter(({ entry }) => !shownBefore.has(entry.address)));
    box.texts.classList.remove("old");
    const all = shown();
    select(Math.max(place, 0), false);
    const limits = engines.length ? "" : t("search.names_only");
    say(counted(all), all ? limits : [none(typed), limits].join(" "));
  };
  const hint = () => (everywhere && kismet.starts ? t("search.hint_of_many") : isServed || indexes().every(({ whole }) => whole) ? t("search.hint", { place: where() }) : t("search.hint_of_names", { place: where() }));

  /** Open the dialog, with the characters that were typed while this script was loading. */
  kismet.search = async (typed = "") => {
    // Focus the input before the first `await`, or else keys pressed in the meantime would be lost.
    if (manual) [kismet.shelf, kismet.starts] = [[[here, manual, page.lang]], ""];
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

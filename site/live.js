// Live reload for `kismet serve`: reloads an open page after a build and lists its diagnostics. Published pages do not load this script.
(() => {
  const root = document.documentElement;
  const { build, page } = document.currentScript.dataset;
  const STATE_KEY = "kismet-live";
  const FOLDED_KEY = "kismet-live-folded";

  // Disable the service worker, whose cache would show the author outdated pages.
  if ("serviceWorker" in navigator) Object.defineProperty(navigator, "serviceWorker", { value: undefined });

  const session = {
    get: (name) => {
      try {
        return sessionStorage.getItem(name);
      } catch {
        // Storage is blocked.
        return null;
      }
    },
    set: (name, value) => {
      try {
        sessionStorage.setItem(name, value);
      } catch {
        // Storage is blocked, so the state is lost on reload.
      }
    },
  };

  // --- state of the page: scroll position, open <details>, form fields

  const BLOCKS = "h1, h2, h3, h4, h5, h6, p, li, dt, dd, tr, pre, blockquote, summary, [id]";
  // Maximum numbers of scroll anchors to store from inside the viewport and from above it.
  const MAX_ANCHORS = 40;
  const main = () => document.querySelector("main") ?? document.body;

  /** The text key of a block: its element name, text length and first 200 characters. */
  const words = (element) => {
    const text = element.textContent.trim();
    return `${element.localName} ${text.length} ${text.slice(0, 200)}`;
  };
  /** The key that identifies a block in two versions of a page: its id, or else its text key. */
  const blockKey = (element) => (element.id ? `#${element.id}` : words(element));
  /** The blocks of the page by key, with null for a key that occurs more than once. */
  const blocks = () => {
    const found = new Map();
    for (const element of main().querySelectorAll(BLOCKS)) {
      // A sticky table header does not move with the page, so it cannot be an anchor.
      if (element.closest("thead")) continue;
      const name = blockKey(element);
      found.set(name, found.has(name) ? null : element);
    }
    return found;
  };
  /**
   * Elements by a name that stays the same when text around them is edited: nearest id, element name, label, and a
   * counter.
   */
  const named = (selector, label) => {
    const numbers = {};
    const name = (element) => {
      const bare = `${element.closest("[id]")?.id ?? ""} ${element.localName} ${label(element)}`;
      numbers[bare] = (numbers[bare] ?? 0) + 1;
      return `${bare} ${numbers[bare]}`;
    };
    return new Map([...document.querySelectorAll(selector)].map((element) => [name(element), element]));
  };
  const folds = () => named("details", (one) => one.querySelector("summary")?.textContent.trim() ?? "");
  const fields = () => named("input, select, textarea", (one) => `${one.type} ${one.name} ${one.type === "radio" ? one.value : ""}`);
  const boxes = () => named("body *", (one) => one.getAttribute("class") ?? "");

  const isFilled = (field) => {
    if (field.matches("[type=checkbox], [type=radio]")) return field.checked !== field.defaultChecked;
    if (field.localName === "select") return [...field.options].some((one) => one.selected !== one.defaultSelected);
    return field.type !== "file" && field.value !== field.defaultValue;
  };
  const valueOf = (field) => (field.matches("[type=checkbox], [type=radio]") ? field.checked : field.value);
  const fill = (field, value) => {
    if (valueOf(field) === value) return;
    if (typeof value === "boolean") field.checked = value;
    else field.value = value;
    for (const name of ["input", "change"]) field.dispatchEvent(new Event(name, { bubbles: true }));
  };
  const nameOf = (elements, wanted) => [...elements].find(([, element]) => element === wanted)?.[0];

  /** Scroll anchors: first the blocks that start in the viewport, then the nearest above it. */
  const anchors = () => {
    const top = parseFloat(getComputedStyle(root).scrollPaddingTop) || 0;
    const places = [];
    for (const [name, element] of blocks()) {
      if (!element?.getClientRects().length) continue;
      places.push([name, element.getBoundingClientRect().top]);
    }
    const inSight = places.filter(([, at]) => at >= top && at < innerHeight).sort((one, other) => one[1] - other[1]);
    const above = places.filter(([, at]) => at < top).sort((one, other) => other[1] - one[1]);
    return [...inSight.slice(0, MAX_ANCHORS), ...above.slice(0, MAX_ANCHORS)];
  };
  const remember = () => {
    const filled = fields();
    const state = {
      path: location.pathname,
      at: [scrollX, scrollY],
      anchors: scrollY > 1 ? anchors() : [],
      open: [...folds()].map(([name, one]) => [name, one.open]),
      fields: [...filled].filter(([, one]) => isFilled(one)).map(([name, one]) => [name, valueOf(one)]),
      boxes: [...boxes()].filter(([, one]) => one.scrollTop || one.scrollLeft).map(([name, one]) => [name, one.scrollLeft, one.scrollTop]),
      focus: nameOf(filled, document.activeElement),
    };
    session.set(STATE_KEY, JSON.stringify(state));
  };

  /**
   * Restore the state from before the reload. Until then, the page is hidden, so the first paint shows the old
   * position.
   */
  const restoreState = (state) => {
    const unseen = new CSSStyleSheet();
    unseen.replaceSync("html { visibility: hidden !important; }");
    const show = () => {
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== unseen);
    };
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, unseen];
    // Show the page after 2 seconds at the latest, even if loading has not finished.
    setTimeout(show, 2000);

    // Whether the reader has scrolled or pressed something since the reload; the script then stops scrolling.
    let hasReaderActed = false;
    for (const name of ["wheel", "touchstart", "pointerdown", "keydown"])
      addEventListener(name, () => (hasReaderActed = true), { once: true, capture: true, passive: true });
    const settle = () => {
      if (hasReaderActed) return;
      const found = blocks();
      const hold = state.anchors.find(([name]) => found.get(name)?.getClientRects().length);
      if (!hold) return scrollTo({ left: state.at[0], top: state.at[1], behavior: "instant" });
      // A block may only get its final height when it enters the viewport, so measure again after each scroll.
      for (let turn = 0; turn < 4; turn++) {
        const off = found.get(hold[0]).getBoundingClientRect().top - hold[1];
        if (Math.abs(off) < 0.5) break;
        scrollBy({ top: off, behavior: "instant" });
      }
    };
    // Scripts create some fields only after the surrounding <details> has been opened.
    const left = new Map(state.fields);
    const refill = () => {
      if (!left.size) return;
      for (const [name, field] of fields()) {
        if (!left.has(name)) continue;
        fill(field, left.get(name));
        left.delete(name);
      }
    };
    const restore = () => {
      const there = folds();
      for (const [name, open] of state.open) if (there.has(name)) there.get(name).open = open;
      refill();
      const late = new MutationObserver(refill);
      late.observe(document.body, { childList: true, subtree: true });
      setTimeout(() => late.disconnect(), 5000);
      const able = boxes();
      for (const [name, x, y] of state.boxes) able.get(name)?.scrollTo({ left: x, top: y, behavior: "instant" });
      settle();
      show();
      if (state.focus) fields().get(state.focus)?.focus({ preventScroll: true });
    };
    document.addEventListener("DOMContentLoaded", restore);
    addEventListener("load", () => {
      settle();
      // After load, the browser scrolls to the fragment of the address, so correct the position again.
      requestAnimationFrame(() => requestAnimationFrame(() => {
        settle();
        history.scrollRestoration = "auto";
        root.dataset.live = "settled";
      }));
    });
  };

  const before = JSON.parse(session.get(STATE_KEY));
  session.set(STATE_KEY, "null");
  if (before?.path === location.pathname) restoreState(before);

  // Milliseconds after `beforeunload` during which no reload starts, because a navigation is in progress.
  const NAVIGATION_TIME = 3000;
  let departure = -NAVIGATION_TIME;
  addEventListener("beforeunload", () => (departure = performance.now()));
  const reload = () => {
    // Do not interrupt a navigation in progress: the reader has followed a link, or a reload has started.
    if (performance.now() - departure < NAVIGATION_TIME) return setTimeout(fetchState, NAVIGATION_TIME);
    departure = performance.now();
    history.scrollRestoration = "manual";
    remember();
    location.reload();
  };

  // --- diagnostics panel

  const make = (name, own = {}, ...children) => {
    const element = Object.assign(document.createElement(name), own);
    element.append(...children.filter(Boolean));
    return element;
  };
  const status = make("p", { className: "heard" });
  status.setAttribute("role", "status");
  status.setAttribute("aria-live", "polite");
  const summary = make("summary");
  const body = make("div", { className: "body" });
  const box = make("details", { hidden: true }, summary, body);
  const corner = make("kismet-live");
  corner.setAttribute("role", "complementary");
  corner.setAttribute("aria-label", "Problems on this page, and changes");
  corner.attachShadow({ mode: "open" }).append(box, status);
  summary.addEventListener("click", () => session.set(FOLDED_KEY, box.open ? "yes" : "no"));

  const pluralize = (number, word) => (number ? `${number} ${word}${number === 1 ? "" : "s"}` : "");
  const bare = (path) => path.replace(/index\.html$/, "");
  /**
   * A link to a diagnostic's location. A location on the current page is only a fragment, so the page does not reload.
   */
  const link = (href, text) => {
    const to = new URL(href, location);
    return make("a", { href: bare(to.pathname) === bare(location.pathname) ? to.hash || "#" : href, textContent: text });
  };
  const line = (problem) =>
    make(
      "li",
      { className: problem.severity },
      make("p", {}, make("b", { textContent: problem.severity }), ` ${problem.message}`),
      problem.hint && make("p", { className: "hint", textContent: problem.hint }),
      make(
        "div",
        { className: "places" },
        problem.href ? link(problem.href, problem.place) : make("span", { textContent: problem.place }),
        problem.editor && make("a", { href: problem.editor, textContent: `Open in ${problem.program}` }),
      ),
    );

  /** A folded list of problems on other pages. */
  const others = (title) =>
    last.others.length
      ? make("details", { className: "rest" }, make("summary", { textContent: title }), make("ul", {}, ...last.others.map(line)))
      : make("p", { className: "rest", textContent: title });

  let last = { errors: 0, warnings: 0, problems: [], others: [], notices: [], changes: [], changed: "", advice: "" };
  let isGone = false;
  let isLost = false;
  let shown = "";
  const show = () => {
    const notices = [
      isLost && "kismet serve is not responding: this page is not updated until you start it again.",
      isGone && "This page is gone: its text was removed or renamed.",
      ...last.notices,
    ].filter(Boolean);
    const now = JSON.stringify([notices, last.problems, last.errors, last.warnings, last.elsewhere, last.changes, last.advice]);
    if (now === shown) return;
    shown = now;
    const counted = [pluralize(last.errors, "error"), pluralize(last.warnings, "warning")].filter(Boolean).join(", ");
    const problem = counted || (isLost ? "Not connected" : isGone ? "Page is gone" : notices.length ? last.noticeTitle : "");
    const title = [problem, last.changed].filter(Boolean).join(", ") || (last.advice && "Advice");
    const wasHidden = box.hidden;
    box.hidden = !title;
    summary.textContent = title;
    status.textContent = title || (wasHidden ? "" : "No more problems");
    const isBad = Boolean(last.errors || notices.length);
    box.className = isBad ? "error" : last.warnings || last.hasVanished ? "" : "quiet";
    const chosen = session.get(FOLDED_KEY);
    box.open = chosen ? chosen === "no" : isBad;
    const more = last.errors + last.warnings - last.problems.length;
    const rest = [more > 0 && `${more} more on this page`, last.elsewhere].filter(Boolean).join(", ");
    body.replaceChildren(
      ...notices.map((words) => make("p", { textContent: words })),
      ...(last.problems.length ? [make("ul", {}, ...last.problems.map(line))] : []),
      ...(rest ? [others(rest)] : []),
      ...(last.changes.length ? [make("p", { className: "rest", textContent: "Since the last build:" })] : []),
      ...last.changes.map((textContent) => make("p", { textContent })),
      ...(last.advice ? [make("p", { className: "rest", textContent: last.advice })] : []),
    );
  };

  // --- updates from the server

  let assets = null;
  const pathOf = (address) => {
    const { origin, pathname } = new URL(address, location);
    return origin === location.origin ? decodeURIComponent(pathname.slice(1)) : "";
  };
  const styles = () => [...document.querySelectorAll("link[rel=stylesheet]")];
  /** Load a style sheet again, and remove the old one once the new one has loaded. */
  const swap = (old) => {
    const next = old.cloneNode();
    const address = new URL(old.href);
    address.searchParams.set("live", Date.now());
    next.href = address;
    next.onload = () => old.remove();
    next.onerror = () => next.remove();
    old.after(next);
  };
  const used = () => [...document.scripts].map((one) => one.src).concat([...document.images].map((one) => one.currentSrc));
  const isUsed = (path) => used().some((address) => address && pathOf(address) === path);
  /** The files of the site that this page has loaded and watches for changes. */
  const loaded = () => [...new Set(used().concat(styles().map((one) => one.href)).filter(Boolean).map(pathOf))].filter(Boolean);

  const handleState = (state) => {
    const known = assets ?? (state.build === build ? state.assets : {});
    const changed = assets || state.build === build
      ? Object.keys(known).filter((path) => known[path] !== state.assets[path])
      : // A build finished between this page's load and its first request. Only reload the style sheets, as scripts rarely change.
        styles().map((one) => pathOf(one.href));
    assets = state.assets;
    isLost = false;
    isGone = !state.page && Boolean(page);
    if ((state.page ?? page) !== page || changed.some(isUsed)) return reload();
    for (const one of styles()) if (changed.includes(pathOf(one.href))) swap(one);
    last = state;
    show();
  };

  let asked = 0;
  const fetchState = async () => {
    const number = ++asked;
    try {
      const query = new URLSearchParams({ page: location.pathname });
      for (const path of loaded()) query.append("asset", path);
      const answer = await fetch(`/_kismet/state?${query}`, { cache: "no-store" });
      const state = await answer.json();
      if (number === asked) handleState(state);
    } catch {
      // If this fails, the event stream fails, too. It reports the lost connection and reconnects.
    }
  };

  let source = null;
  let losing = 0;
  const disconnect = () => {
    source?.close();
    source = null;
    clearTimeout(losing);
    losing = 0;
  };
  const connect = () => {
    if (source && source.readyState !== EventSource.CLOSED) return;
    disconnect();
    source = new EventSource("/_kismet/events");
    // The server sends `state` on each connection. Fetch the state then, because updates may have been missed.
    for (const name of ["state", "update"]) source.addEventListener(name, fetchState);
    source.onopen = () => {
      clearTimeout(losing);
      losing = 0;
    };
    source.onerror = () => {
      losing ||= setTimeout(() => {
        isLost = true;
        show();
        losing = 0;
        connect();
      }, 3000);
    };
  };
  // Browsers only allow six HTTP/1.1 connections per server, so a hidden page closes its event stream and reconnects
  // when visible.
  const follow = () => (document.hidden ? disconnect() : connect());
  addEventListener("pagehide", disconnect);
  addEventListener("pageshow", follow);
  document.addEventListener("visibilitychange", follow);

  document.addEventListener("DOMContentLoaded", async () => {
    document.body.append(corner);
    follow();
    try {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(await (await fetch("/_kismet/live.css")).text());
      corner.shadowRoot.adoptedStyleSheets = [sheet];
    } catch {
      // The page is unloading, or the server has stopped. If it has, the event stream reports that.
    }
  });
})();

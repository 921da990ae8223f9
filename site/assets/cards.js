// Shows the card of what a link leads to: by pointing, by staying on it with the keyboard, by a tap. Cards chain, and can be pinned.
(() => {
  const kismet = (globalThis.kismet ??= {});
  const root = document.documentElement;
  const { root: up, game } = root.dataset;
  const base = new URL(`${up}${game}/`, document.baseURI).href;
  const LINKS = "article a[href], .link-card a[href]";
  const OTHERS = "nav a, a.card, .permalink, .why, .footnote a, .footnote-back";
  // In milliseconds: until a first card opens, until one more does, until one does for the keyboard, until one left alone closes.
  const [SOON, NEXT, LATER, GRACE] = [250, 150, 600, 350];
  const [GAP, EDGE] = [6, 8];
  const { min, max } = Math;
  const on = (event, does, options) => document.addEventListener(event, does, options);

  // --- the data, from scripts, because nothing else can be loaded from a disk

  const known = {};
  let files = [];
  kismet.deck = (list) => (files = list);
  kismet.card = (cards) => Object.assign(known, cards);

  /** What a link leads to, as cards are named by it; nothing where there can be no card. */
  const keyOf = ({ href }) => {
    if (!href.startsWith(base)) return "";
    const [, path, id] = href.slice(base.length).match(/^([^?#]*)[^#]*#?(.*)$/);
    try {
      const name = decodeURIComponent(id.split(":~:")[0]);
      return decodeURIComponent(path.replace(/index\.html$/, "")) + (name && `#${name}`);
    } catch {
      return "";
    }
  };
  /** The card with a key, and the key that it has itself: a heading may be shown by the card of what it defines. */
  const find = async (key) => {
    if (!(key in known)) {
      await kismet.need(`${game}/cards.js`);
      const file = files.findLast(([first]) => first <= key);
      if (file) await kismet.need(`${game}/cards-${file[1]}.js`);
    }
    const html = known[key] ?? "<";
    return html[0] === "<" ? [html, key] : find(html);
  };
  const fetched = (link) => find(keyOf(link)).catch(() => ["<"]);

  // --- the cards that lie open, the last on top

  const open = [];
  let asked = 0;
  let opening = 0;
  let pointed = 0;
  let unwanted = null;
  let told = "";
  const cardOf = (element) => open.find(({ box }) => box.contains(element));
  const cardFor = (link) => open.findLast((card) => card.link === link);
  const near = (element, what) => (element instanceof Element ? element.closest(what) : null);
  const linkAt = (element) => {
    const link = root.dataset.cards !== "off" && near(element, LINKS);
    const key = link && !link.matches(OTHERS) && keyOf(link);
    return key && key !== cardOf(link)?.key ? link : null;
  };
  /** A card with those that it came from. */
  const chain = (card) => (card ? [card, ...chain(card.parent)] : []);
  const under = (element) => [...chain(cardOf(element)), ...chain(cardFor(near(element, "a")))];
  /** Of the cards that pointing opened, or of all others. */
  const chains = (pointing) => open.filter(({ how }) => (how === "point") === pointing).flatMap(chain);

  const close = (card) => {
    const had = card.box.contains(document.activeElement);
    for (const other of open.filter(({ parent, pinned }) => parent === card && !pinned)) close(other);
    open.splice(open.indexOf(card), 1);
    card.box.remove();
    if (card.title) card.link.title = card.title;
    if (!had) return;
    unwanted = chain(card).find(({ link }) => link.isConnected)?.link;
    unwanted?.focus({ preventScroll: true });
  };
  const closeBut = (kept) => {
    for (const card of [...open].reverse()) if (open.includes(card) && !card.pinned && !kept.includes(card)) close(card);
  };
  const closeAll = () => closeBut([]);

  // --- where a card lies: never over its link, never out of sight

  const put = ({ box: { style } }, left, top, fixed) => {
    style.position = fixed ? "fixed" : "";
    style.left = `${left + (fixed ? 0 : scrollX)}px`;
    style.top = `${top + (fixed ? 0 : scrollY)}px`;
  };
  /** Hold a card where it is wanted, as far as it is in sight there. */
  const hold = (card, left, top) =>
    put(card, max(0, min(left, root.clientWidth - card.box.offsetWidth)), max(0, min(top, innerHeight - 44)), true);
  const lay = (card) => {
    const { box, link, parent } = card;
    const area = link.getBoundingClientRect();
    const line = [...link.getClientRects()].find(({ bottom }) => bottom >= pointed) ?? area;
    const beside = parent?.box.getBoundingClientRect() ?? area;
    const [width, height, right, bottom] = [box.offsetWidth, box.offsetHeight, root.clientWidth - EDGE, innerHeight - EDGE];
    const x = max(EDGE, min(line.left - 16, right - width));
    const y = max(EDGE, min(area.top - 16, bottom - height));
    const spots = [[x, area.bottom + GAP], [x, area.top - GAP - height], [beside.right + GAP, y], [beside.left - GAP - width, y]];
    if (parent) spots.push(...spots.splice(0, 2));
    const fits = ([left, top]) => left >= EDGE && top >= EDGE && left + width <= right && top + height <= bottom;
    const isFree = ([left, top]) =>
      open.every((other) => {
        const there = other.box.getBoundingClientRect();
        return other === card || left >= there.right || there.left >= left + width || top >= there.bottom || there.top >= top + height;
      });
    const fitting = spots.filter(fits);
    const spot = fitting.find(isFree) ?? fitting[0];
    if (spot) return put(card, ...spot);
    // It is whole nowhere: where there is more room it is as high as that, and scrolls.
    const [above, below] = [area.top - GAP - EDGE, bottom - area.bottom - GAP];
    box.style.maxHeight = `${max(above, below)}px`;
    put(card, x, below > above ? area.bottom + GAP : area.top - GAP - box.offsetHeight);
  };
  const isTapped = ({ how }) => how === "tap";
  /** On a phone a card is a sheet at the bottom; the page makes room, and where it cannot the sheet is at the top. */
  const sheet = ({ box, link }) => {
    box.classList.add("tapped");
    const over = () => link.getBoundingClientRect().bottom + GAP - box.getBoundingClientRect().top;
    if (cardOf(link) || over() < 0) return;
    scrollBy(0, over());
    box.classList.toggle("at-top", over() > 1);
  };

  // --- a card

  const make = (name, properties) => Object.assign(document.createElement(name), properties);
  const button = (textContent, onclick) => make("button", { type: "button", textContent, onclick });
  const made = (innerHTML) => {
    const { content } = make("template", { innerHTML });
    for (const name of ["href", "src"])
      for (const element of content.querySelectorAll(`[${name}]`)) {
        const address = element.getAttribute(name);
        if (!/^[a-z][a-z\d+.-]*:/i.test(address)) element.setAttribute(name, up + address);
      }
    return content.firstElementChild;
  };
  const pin = (card, is) => {
    const { left, top } = card.box.getBoundingClientRect();
    card.pinned = is;
    card.pin.ariaPressed = is;
    if (!isTapped(card)) put(card, left, top, is);
  };
  /** A card can be drawn away by its head, and is pinned then. */
  const draw = (card, { pointerType, button, target, pointerId, clientX, clientY }) => {
    const { box } = card;
    if (pointerType !== "mouse" || button || isTapped(card) || !near(target, ".card-head") || near(target, "a")) return;
    const { left, top } = box.getBoundingClientRect();
    box.setPointerCapture(pointerId);
    box.onpointermove = (now) => {
      if (!card.pinned) pin(card, true);
      hold(card, left + now.clientX - clientX, top + now.clientY - clientY);
    };
    box.onlostpointercapture = () => (box.onpointermove = null);
  };
  const lie = (link, [html, key], how) => {
    const { title } = link;
    const box = made(html);
    const card = { box, link, parent: cardOf(link), key, how, title, pin: button("Pin", () => pin(card, !card.pinned)) };
    // What it says stands on the card, and would be shown over it.
    link.removeAttribute("title");
    box.role = "dialog";
    box.dataset.how = how;
    box.tabIndex = -1;
    const tools = make("p", { className: "card-tools" });
    tools.append(make("a", { href: link.href, textContent: "Open page" }), card.pin, button("Close", () => close(card)));
    box.append(tools);
    box.onpointerdown = (event) => draw(card, event);
    document.body.append(box);
    open.push(card);
    card.pin.ariaPressed = false;
    kismet.rollable?.(box);
    (isTapped(card) ? sheet : lay)(card);
    return card;
  };
  const show = async (link, how) => {
    const turn = ++asked;
    const found = await fetched(link);
    const parent = cardOf(link);
    if (turn !== asked || !link.isConnected || chain(parent).some(({ key }) => key === found[1])) return;
    if (!found[0][1]) {
      if (how === "tap") location.assign(link.href);
      return;
    }
    const there = cardFor(link) ?? open.find((card) => card.pinned && card.key === found[1]);
    closeBut([...chain(parent), ...chain(there)]);
    const { box } = there ?? lie(link, found, how);
    if (how === "step" || how === "tap") box.focus({ preventScroll: true });
    else if (how === "focus" && !told) kismet.say((told = "Space steps into its card, Escape closes it"));
  };

  // --- by pointing

  let leaving = 0;
  let last = null;
  let type = "";
  const leave = () => {
    clearTimeout(leaving);
    leaving = setTimeout(() => closeBut([...under(last), ...chains(false)]), GRACE);
  };
  on("pointerover", ({ target, pointerType, clientY }) => {
    if (pointerType === "touch") return;
    clearTimeout(opening);
    last = target;
    if (open.length) leave();
    const link = linkAt(target);
    if (!link || cardFor(link)) return;
    pointed = clientY;
    opening = setTimeout(show, open.length ? NEXT : SOON, link, "point");
    fetched(link);
  });
  root.addEventListener("pointerleave", () => {
    clearTimeout(opening);
    last = null;
    leave();
  });
  on("pointerdown", ({ target, pointerType }) => {
    type = pointerType;
    clearTimeout(opening);
    closeBut(under(target));
  });

  // --- by a tap: the first shows, the second follows

  on("click", (event) => {
    const link = linkAt(event.target);
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (link && type === "touch" && !cardFor(link)) {
      event.preventDefault();
      show(link, "tap");
    } else if (near(event.target, LINKS)) {
      asked++;
      closeAll();
    }
  });

  // --- by the keyboard: stay on a link and its card shows, Space steps into it; Tab goes through it and on behind the link

  on("focusin", ({ target }) => {
    clearTimeout(opening);
    closeBut([...under(target), ...chains(true)]);
    const link = target !== unwanted && type === "key" && linkAt(target);
    unwanted = null;
    if (!link || cardFor(link)) return;
    pointed = 0;
    opening = setTimeout(show, LATER, link, "focus");
  });
  const tab = (event, { box, link }) => {
    const stops = [...box.querySelectorAll("a[href], button")];
    const ends = event.shiftKey ? [stops[0], box] : [stops.at(-1)];
    if (!ends.includes(document.activeElement) || !link.isConnected) return;
    unwanted = link;
    link.focus();
    // Forward, the browser goes on from the link to what follows it.
    if (event.shiftKey) event.preventDefault();
  };
  on(
    "keydown",
    (event) => {
      const { key, target } = event;
      type = "key";
      if (document.querySelector("dialog[open]")) return;
      const [card, link] = [cardOf(target), linkAt(target)];
      const top = open.findLast(({ pinned }) => !pinned) ?? open.at(-1);
      if (key === "Escape") {
        clearTimeout(opening);
        asked++;
        if (!top) return;
        // It closes this and nothing else.
        event.stopImmediatePropagation();
        close(top);
      } else if (key === "Tab" && card) tab(event, card);
      else if (key === " " && link && !event.ctrlKey && !event.shiftKey) {
        event.preventDefault();
        clearTimeout(opening);
        show(link, "step");
      }
    },
    true,
  );
  addEventListener("hashchange", closeAll);
  addEventListener("resize", () => {
    // A sheet stays: the bars of a phone come and go while one scrolls.
    closeBut(open.filter(isTapped));
    for (const card of open) {
      const { left, top } = card.box.getBoundingClientRect();
      if (!isTapped(card)) hold(card, left, top);
    }
  });
})();

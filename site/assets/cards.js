// Link previews: a card with the target of a link, opened on hover, keyboard focus or tap. Cards can be nested and pinned.
(() => {
  const kismet = (globalThis.kismet ??= {});
  const root = document.documentElement;
  const { t, make } = kismet;
  const { game } = root.dataset;
  const site = new URL(root.dataset.root, document.baseURI);
  const base = new URL(`${game}/`, site).href;
  const LINKS = "article a[href], .link-card a[href]";
  const OTHERS = "nav a, a.card, .permalink, .listing th > a[href^='#'], .why, .footnote a, .footnote-back";
  // Delays in milliseconds: a card opens after the first while hovered, after the second if another card is open, and
  // after the third while focused. It closes after the fourth, once the pointer has left.
  const [OPEN_DELAY, NEXT_DELAY, FOCUS_DELAY, CLOSE_DELAY] = [250, 150, 600, 350];
  // Pixels between a card and its link, and between a card and the edge of the viewport.
  const [GAP, EDGE] = [6, 8];
  const { min, max } = Math;
  const on = (event, does, options) => document.addEventListener(event, does, options);

  // --- card data, loaded as scripts: pages on file: addresses cannot fetch JSON

  const known = Object.create(null);
  let files = [];
  kismet.deck = (list) => (files = list);
  kismet.card = (cards) => Object.assign(known, cards);

  /** The key of a link's card, which is the path and fragment within the game. Empty for a link to anything else. */
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
  /** The card's HTML and its own key. A heading may refer to the card of the entity that it defines. */
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

  // --- open cards, the topmost last

  const open = [];
  let asked = 0;
  let opening = 0;
  let pointed = 0;
  let unwanted = null;
  let hinted = "";
  const cardOf = (element) => open.find(({ box }) => box.contains(element));
  const cardFor = (link) => open.findLast((card) => card.link === link);
  const near = (element, what) => (element instanceof Element ? element.closest(what) : null);
  const linkAt = (element) => {
    const link = root.dataset.cards !== "off" && near(element, LINKS);
    const key = link && !link.matches(OTHERS) && keyOf(link);
    return key && key !== cardOf(link)?.key ? link : null;
  };
  /** A card and all its ancestors: the cards whose links opened it. */
  const chain = (card) => (card ? [card, ...chain(card.parent)] : []);
  const under = (element) => [...chain(cardOf(element)), ...chain(cardFor(near(element, "a")))];
  /** The cards opened by hover, or all other cards, in both cases with their ancestors. */
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

  // --- position of a card: inside the viewport, without covering its link

  const put = ({ box: { style } }, left, top, fixed) => {
    style.position = fixed ? "fixed" : "";
    style.left = `${left + (fixed ? 0 : scrollX)}px`;
    style.top = `${top + (fixed ? 0 : scrollY)}px`;
  };
  /** Fix a card at a position in the viewport, clamped so that it stays visible. */
  const fix = (card, left, top) =>
    put(card, max(0, min(left, root.clientWidth - card.box.offsetWidth)), max(0, min(top, innerHeight - 44)), true);
  const place = (card) => {
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
    // The card does not fit anywhere, so use the larger of the spaces above and below the link, and scroll inside the
    // card.
    const [above, below] = [area.top - GAP - EDGE, bottom - area.bottom - GAP];
    box.style.maxHeight = `${max(above, below)}px`;
    put(card, x, below > above ? area.bottom + GAP : area.top - GAP - box.offsetHeight);
  };
  const isTapped = ({ how }) => how === "tap";
  /**
   * On a phone, a card is a bottom sheet. Scroll the page to keep the link visible. If that is impossible, use a top
   * sheet.
   */
  const sheet = ({ box, link }) => {
    box.classList.add("tapped");
    const over = () => link.getBoundingClientRect().bottom + GAP - box.getBoundingClientRect().top;
    if (cardOf(link) || over() < 0) return;
    scrollBy(0, over());
    box.classList.toggle("at-top", over() > 1);
  };

  // --- a card

  const button = (textContent, onclick) => make("button", { type: "button", textContent, onclick });
  const cardOfHtml = (innerHTML) => {
    const { content } = make("template", { innerHTML });
    for (const name of ["href", "src"])
      for (const element of content.querySelectorAll(`[${name}]`)) element[name] = new URL(element.getAttribute(name), site);
    return content.firstElementChild;
  };
  // My table uses this, too, to show previews.
  kismet.cards = { find, cardOfHtml };
  const pin = (card, is) => {
    const { left, top } = card.box.getBoundingClientRect();
    card.pinned = is;
    card.pin.ariaPressed = is;
    if (!isTapped(card)) put(card, left, top, is);
  };
  /** Drag a card by its head, which also pins it. */
  const drag = (card, { pointerType, button, target, pointerId, clientX, clientY }) => {
    const { box } = card;
    if (pointerType !== "mouse" || button || isTapped(card) || !near(target, ".card-head") || near(target, "a")) return;
    const { left, top } = box.getBoundingClientRect();
    box.setPointerCapture(pointerId);
    box.onpointermove = (now) => {
      if (!card.pinned) pin(card, true);
      fix(card, left + now.clientX - clientX, top + now.clientY - clientY);
    };
    box.onlostpointercapture = () => (box.onpointermove = null);
  };
  const openCard = (link, [html, key], how) => {
    const { title } = link;
    const box = cardOfHtml(html);
    const card = { box, link, parent: cardOf(link), key, how, title, pin: button(t("card.keep"), () => pin(card, !card.pinned)) };
    // Remove the link's tooltip while the card is open, because it would repeat and cover the card's text.
    link.removeAttribute("title");
    box.role = "dialog";
    box.dataset.how = how;
    box.tabIndex = -1;
    const tools = make("p", { className: "card-tools" });
    tools.append(make("a", { href: link.href, textContent: t("card.open") }), card.pin, button(t("page.close"), () => close(card)));
    kismet.addPinButton?.(tools, key, box.querySelector(".card-name"));
    tools.dataset.hint = t("card.hint");
    box.append(tools);
    box.onpointerdown = (event) => drag(card, event);
    document.body.append(box);
    open.push(card);
    card.pin.ariaPressed = false;
    kismet.rollable?.(box);
    (isTapped(card) ? sheet : place)(card);
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
    const { box } = there ?? openCard(link, found, how);
    if (how === "step" || how === "tap") box.focus({ preventScroll: true });
    else if (how === "focus" && !hinted) kismet.say((hinted = t("card.keys")));
  };

  // --- hover

  let leaving = 0;
  let last = null;
  let type = "";
  const leave = () => {
    clearTimeout(leaving);
    leaving = setTimeout(() => closeBut([...under(last), ...chains(false)]), CLOSE_DELAY);
  };
  on("pointerover", ({ target, pointerType, clientY }) => {
    if (pointerType === "touch") return;
    clearTimeout(opening);
    last = target;
    if (open.length) leave();
    const link = linkAt(target);
    if (!link || cardFor(link)) return;
    pointed = clientY;
    opening = setTimeout(show, open.length ? NEXT_DELAY : OPEN_DELAY, link, "point");
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

  // --- tap: the first opens the card, the second follows the link

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

  // --- keyboard: focusing a link opens its card, Space moves into the card, Tab moves through it and then on from the
  // link

  on("focusin", ({ target }) => {
    clearTimeout(opening);
    closeBut([...under(target), ...chains(true)]);
    const link = target !== unwanted && type === "key" && linkAt(target);
    unwanted = null;
    if (!link || cardFor(link)) return;
    pointed = 0;
    opening = setTimeout(show, FOCUS_DELAY, link, "focus");
  });
  const tab = (event, { box, link }) => {
    const stops = [...box.querySelectorAll("a[href], button")];
    const ends = event.shiftKey ? [stops[0], box] : [stops.at(-1)];
    if (!ends.includes(document.activeElement) || !link.isConnected) return;
    unwanted = link;
    link.focus();
    // Without Shift, the browser's default moves the focus from the link to the next element.
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
        // Escape closes only one card, and no other script handles this key press.
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
    // Sheets stay open, because the toolbars of a phone's browser resize the viewport during scrolling.
    closeBut(open.filter(isTapped));
    for (const card of open) {
      const { left, top } = card.box.getBoundingClientRect();
      if (!isTapped(card)) fix(card, left, top);
    }
  });
})();

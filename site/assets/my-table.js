// The page My table: boards of pins that the reader orders, names, prints and shares.
(() => {
  /** Number of pages that are loaded at the same time. */
  const CONCURRENCY = 6;
  /** Width and height in millimetres that fit both A4 and Letter in landscape, without margins and title. */
  const [WIDTH, HEIGHT] = [263, 176];
  /** Font sizes on paper in points, the largest first. */
  const SIZES = [9.5, 9, 8.5, 8, 7.6, 7.2, 6.8, 6.4, 6, 5.7];
  const kismet = globalThis.kismet;
  const { t, make } = kismet;
  const { game } = document.documentElement.dataset;
  const { board, read, write, isDamaged, shared, addressOf, parts, place, nameOf, contentOf, note } = kismet.boards;
  const top = document.getElementById("_pins");
  const isLocal = location.protocol === "file:";
  const button = (textContent, onclick, properties) => make("button", { type: "button", textContent, onclick, ...properties });

  // --- load the content of pins

  const pages = new Map();
  /** The document of a page of this game, or null if the page does not exist. Rejects without a connection. */
  const load = (address) => {
    const url = address.replace(/[?#].*/, "");
    if (!pages.has(url)) {
      const loading = fetch(url).then(async (response) => {
        if (response.status === 404) return null;
        if (!response.ok) throw new Error(response.status);
        return new DOMParser().parseFromString(await response.text(), "text/html");
      });
      loading.catch(() => pages.delete(url));
      pages.set(url, loading);
    }
    return pages.get(url);
  };
  /** The content of a pin as `{box, key, address}`, with a new key if the content has moved. Null if it is gone. */
  const find = async (key, address = place(key), redirects = 3) => {
    if (!address.startsWith(kismet.base)) return null;
    const page = await load(address);
    const content = page && contentOf(page, address, key);
    if (!content?.to) return content && { ...content, key, address };
    const { path, id } = parts(key);
    const moved = path === "calculators/" ? key : kismet.pathOf(content.to) + (id ? `#${id}` : decodeURIComponent(new URL(content.to).hash));
    return redirects ? find(moved, content.to, redirects - 1) : null;
  };
  /**
   * The content of a pin if the website was opened from a folder, where pages cannot be loaded: the stored content, or
   * else the link preview, which is partial.
   */
  const findLocal = async (key) => {
    const text = kismet.stored(`text-${key}`);
    if (typeof text === "string") return { box: make("div", { innerHTML: text }), key, address: place(key) };
    const { path, id } = parts(key);
    const { cards } = kismet;
    const preview = await cards.find(path + (id && `#${id}`)).then(([html]) => cards.cardOfHtml(html), () => null);
    preview?.classList.remove("link-card");
    return { box: make("div", {}, ...(preview ? [preview] : [])), key, address: place(key), isPartial: true };
  };

  // --- the shown board

  const items = new Map();
  let list = make("ol", {});
  let isArranging = false;
  /** The board in the address, or else the open board of this device. */
  const current = () => shared(location.hash) ?? own();
  const own = ({ boards, open } = read()) => boards[open];
  const isShared = () => Boolean(shared(location.hash));
  /** Change the boards of this device and show the result, with a note if they cannot be stored. */
  const change = (edit) => {
    const all = read();
    edit(all);
    const problem = write(all);
    show();
    if (problem) note(problem, make("a", { href: addressOf(own()), textContent: own().name }));
  };
  /** Change the boards, and show a note with a button to undo that. */
  const undoable = (message, edit) => {
    const before = read();
    change(edit);
    note(message, button(t("pins.undo"), ({ target }) => {
      target.parentElement.remove();
      change((all) => Object.assign(all, before));
    }));
  };
  const leaveShared = () => {
    try {
      history.replaceState(null, "", location.pathname);
    } catch {
      // Some browsers refuse `replaceState` on file: pages.
      location.hash = "";
    }
    show();
  };

  // --- one pin

  const placeholder = (title, address) => make("h2", {}, make("a", { href: address, textContent: title }));
  const said = (message) => make("p", { className: "said" }, message);
  /** Load the content of an item. */
  const fill = async (item) => {
    const { key } = item.dataset;
    const title = () => item.dataset.title;
    const body = item.lastElementChild;
    const problem = (message) => body.replaceChildren(placeholder(title(), place(key)), said(message));
    let found;
    try {
      found = await (isLocal ? findLocal(key) : find(key));
    } catch {
      return problem(t("pins.missing", { thing: title() }));
    }
    if (!found) {
      problem(t("pins.gone", { thing: title() }));
      item.classList.add("gone");
      return;
    }
    const { box, address, isPartial } = found;
    const head = box.querySelector("h2, .card-name");
    // The calculator's own page, since the list of calculators only redirects to it.
    const href = address;
    if (head && title() === nameOf(key)) item.dataset.title = head.textContent.trim();
    const heading = placeholder(head?.textContent.trim() || title(), href);
    if (head) head.replaceWith(heading);
    else box.prepend(heading);
    if (isPartial) box.append(said(t("pins.elsewhere")));
    if (found.key !== key) box.append(said(t("pins.moved")));
    for (const calculator of box.querySelectorAll("kismet-calculator")) calculator.dataset.page = href;
    body.replaceChildren(box);
    label(item);
    // If loading fails, values and dice stay as they are in the text.
    const need = (...scripts) => kismet.need(...scripts).catch(() => {});
    if (box.querySelector("kismet-calculator")) await need("formula.js", "inputs.js", `${game}-data.js`, "chart.js", "calculator.js");
    if (box.querySelector("span[data-dice], [data-roll], .table-roll")) await need(`${game}-dice.js`, "roll.js");
    kismet.rollable?.(box);
    if (found.key !== key && !isShared()) {
      const all = read();
      for (const { pins } of all.boards) for (const pin of pins) if (pin[0] === key) pin[0] = found.key;
      write(all);
    }
  };
  const position = (item) => [...list.children].indexOf(item) + 1;
  const keepOrder = () => {
    const all = read();
    const { pins } = own(all);
    const order = [...list.children].map(({ dataset }) => dataset.key);
    pins.sort(([a], [b]) => order.indexOf(a) - order.indexOf(b));
    write(all);
  };
  /** Move an item to a position by moving the other items, so that it keeps the focus and the pointer. */
  const move = (item, to) => {
    while (position(item) > Math.max(to, 1)) item.after(item.previousElementSibling);
    while (position(item) < Math.min(to, list.children.length)) item.before(item.nextElementSibling);
  };
  const step = (item, to) => {
    move(item, to);
    keepOrder();
    kismet.say(t("pins.place", { thing: item.dataset.title, number: position(item), all: list.children.length }));
    item.scrollIntoView({ block: "nearest" });
  };
  const drag = (item, handle, { pointerId, button: which }) => {
    if (which) return;
    handle.setPointerCapture(pointerId);
    item.classList.add("dragged");
    handle.onpointermove = ({ clientY }) => {
      const middle = (other) => other.getBoundingClientRect().top + other.offsetHeight / 2;
      const above = [...list.children].filter((other) => other !== item && middle(other) < clientY).length;
      move(item, above + 1);
      if (clientY < 90 || clientY > innerHeight - 110) scrollBy(0, clientY < 90 ? -12 : 12);
    };
    handle.onlostpointercapture = () => {
      handle.onpointermove = handle.onlostpointercapture = null;
      item.classList.remove("dragged");
      step(item, position(item));
    };
  };
  /** Set the title of an item, and change the names of its buttons accordingly. */
  const label = (item) => {
    const { title } = item.dataset;
    item.querySelector(".pin-row > b").textContent = title;
    const labels = {
      drag: t("pins.move", { thing: title }),
      up: t("pins.up", { thing: title }),
      down: t("pins.down", { thing: title }),
      unpin: t("pins.unpin_it", { thing: title }),
    };
    for (const tool of item.querySelectorAll(".pin-row > button")) tool.ariaLabel = labels[tool.value];
  };
  const itemOf = ([key, title]) => {
    if (items.has(key)) return items.get(key);
    const item = make("li", { className: "panel" });
    Object.assign(item.dataset, { key, title });
    const handle = button("⠿", null, { value: "drag", className: "handle" });
    handle.onpointerdown = (event) => drag(item, handle, event);
    handle.onkeydown = (event) => {
      const to = { ArrowUp: position(item) - 1, ArrowDown: position(item) + 1, Home: 1, End: list.children.length }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      step(item, to);
    };
    const unpin = () =>
      undoable(t("pins.removed", { thing: item.dataset.title }), (all) => (own(all).pins = own(all).pins.filter(([other]) => other !== key)));
    item.append(
      make(
        "div",
        { className: "pin-row" },
        handle,
        make("b"),
        button("↑", () => step(item, position(item) - 1), { value: "up" }),
        button("↓", () => step(item, position(item) + 1), { value: "down" }),
        button("×", unpin, { value: "unpin" }),
      ),
      make("div", { className: "pin-body" }, placeholder(title, place(key))),
    );
    label(item);
    items.set(key, item);
    return item;
  };
  let loading = Promise.resolve();
  /** Load the content of all items that are still empty, in the order of the board. */
  const fillAll = () => {
    const waiting = [...list.children].filter((item) => !item.dataset.requested);
    for (const item of waiting) item.dataset.requested = true;
    const work = async () => {
      while (waiting.length) await fill(waiting.shift());
    };
    loading = Promise.all([loading, ...Array.from({ length: CONCURRENCY }, work)]);
  };

  // --- tools

  const tools = () => {
    const { boards, open } = read();
    const bar = make("div", { className: "pins-bar" });
    if (boards.length > 1) {
      const select = make("select", { onchange: () => change((all) => (all.open = Number(select.value))) });
      boards.forEach(({ name }, index) => select.append(new Option(name, index, index === open, index === open)));
      bar.append(make("label", {}, `${t("title.board")} `, select));
    }
    const addBoard = () => {
      change((all) => {
        all.open = all.boards.push(board(t("pins.numbered", { number: all.boards.length + 1 }), [], own(all).columns)) - 1;
        isArranging = true;
      });
      top.querySelector(".pins-edit input").select();
    };
    const arrange = () => {
      isArranging = !isArranging;
      show();
      top.querySelector("[data-arrange]").focus();
    };
    const toggle = button(isArranging ? t("settings.done") : t("pins.arrange"), arrange);
    toggle.dataset.arrange = "";
    bar.append(button(t("pins.new_board"), addBoard, { className: "new-board" }), toggle);
    if (current().pins.length) bar.append(button(t("pins.share"), share), button(t("title.print"), printBoard));
    return bar;
  };
  const share = async () => {
    await kismet.copy(addressOf(current()));
    note(t("pins.copied"), "");
  };
  const editor = () => {
    const { name, columns } = own();
    const field = make("input", { value: name, maxLength: 60, autocomplete: "off" });
    field.onchange = () => change((all) => (own(all).name = board(field.value, []).name));
    const choices = [1, 2, 3].map((n) => {
      const radio = make("input", { type: "radio", name: "columns", value: n, checked: n === columns });
      return make("label", {}, radio, make("span", {}, `${n}`));
    });
    const set = make("fieldset", {}, make("legend", {}, t("pins.columns")), ...choices);
    set.onchange = ({ target }) => change((all) => (own(all).columns = Number(target.value)));
    const remove = () =>
      undoable(t("pins.removed", { thing: own().name }), (all) => {
        all.boards.splice(all.open, 1);
        all.open = Math.max(0, all.open - 1);
        if (!all.boards.length) all.boards.push(board("", []));
      });
    return make("div", { className: "pins-edit" }, make("label", {}, `${t("pins.name")} `, field), set, button(t("pins.delete"), remove));
  };
  const banner = () => {
    const { name, columns } = current();
    const save = () => {
      const titled = current().pins.map(([key]) => [key, items.get(key).dataset.title]);
      const all = read();
      // A shared board replaces the only board if that is empty.
      if (all.boards.length === 1 && !own(all).pins.length) all.boards = [];
      all.open = all.boards.push(board(name, titled, columns)) - 1;
      const problem = write(all);
      if (problem) return note(problem, make("a", { href: location.href, textContent: name }));
      leaveShared();
      note(t("pins.saved", { board: name }), "");
    };
    return make("div", { className: "note" }, make("p", {}, t("pins.shared", { board: name })), button(t("pins.save"), save), button(t("pins.mine"), leaveShared));
  };

  /** Buttons that scroll to a pin, for phones. */
  const jumps = () => {
    const links = [...list.children].map((item) =>
      make("li", {}, button(item.dataset.title, () => item.scrollIntoView(), { className: "jump" })),
    );
    return make("ul", { className: "jumps" }, ...links);
  };

  // --- print on one sheet

  /** Set the largest font size with which the board fits on one sheet, or else the smallest. */
  const fit = () => {
    const root = document.documentElement;
    root.classList.add("paper");
    list.style.width = `${WIDTH}mm`;
    SIZES.some((size) => {
      root.style.setProperty("--print", `${size}pt`);
      return list.offsetHeight < (HEIGHT * 96) / 25.4;
    });
    list.style.width = "";
  };
  const printBoard = async () => {
    await loading;
    print();
  };
  addEventListener("beforeprint", () => {
    if (isArranging) {
      isArranging = false;
      show();
    }
    fit();
  });
  addEventListener("afterprint", () => document.documentElement.classList.remove("paper"));

  // --- the page

  const title = document.querySelector("h1");
  const pageTitle = title.textContent;
  const show = () => {
    const { name, columns, pins } = current();
    title.textContent = `${pageTitle}: ${name}`;
    // The tools are created again, so move the focus to the one at the same position.
    const controls = () => [...top.querySelectorAll("button, select, input")];
    const isInTools = document.activeElement?.closest(".pins-bar, .pins-edit");
    const focused = isInTools ? controls().indexOf(document.activeElement) : -1;
    list.remove();
    list = make("ol", { className: "pinned board-parts" }, ...pins.map(itemOf));
    list.dataset.columns = columns;
    const parts = [];
    if (isDamaged()) parts.push(make("p", { className: "note" }, t("pins.damaged")));
    if (location.hash.startsWith("#board=") && !isShared()) parts.push(make("p", { className: "note" }, t("pins.strange")));
    if (isShared()) parts.push(banner());
    else {
      parts.push(tools());
      if (isArranging) parts.push(editor());
    }
    if (pins.length) parts.push(jumps(), list);
    else parts.push(make("p", { className: "nothing-here" }, t("pins.empty")));
    top.replaceChildren(...parts);
    top.classList.toggle("arranging", isArranging && !isShared());
    controls()[focused]?.focus();
    fillAll();
  };
  addEventListener("hashchange", show);
  addEventListener("storage", () => isArranging || show());
  show();
})();

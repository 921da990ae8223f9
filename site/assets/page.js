// Goes with the reader through a page: the contents follow, headings give their address, dice are at hand.
(() => {
  const kismet = (globalThis.kismet ??= {});
  const root = document.documentElement;

  // --- for the other scripts

  const asked = {};
  const script = (name) =>
    (asked[name] ??= new Promise((done, failed) => {
      const there = document.querySelector(`script[src$="assets/${name}"]`);
      if (there) return document.readyState === "complete" ? done() : addEventListener("load", done);
      const element = Object.assign(document.createElement("script"), { onload: done, onerror: failed });
      element.src = `${root.dataset.root}assets/${name}`;
      document.head.append(element);
    }));
  /** Load scripts that are only sometimes needed, in this order, each once. */
  kismet.need = async (...names) => {
    for (const name of names) await script(name);
  };
  /** Put words where the reader can paste them. */
  kismet.copy = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Pages on the disk of some browsers may not write to it by themselves.
      const before = document.activeElement;
      const field = Object.assign(document.createElement("textarea"), { className: "heard", value: text });
      document.body.append(field);
      field.select();
      // A field makes every line end a line feed, which not every form of data allows.
      field.oncopy = (event) => {
        event.clipboardData.setData("text/plain", text);
        event.preventDefault();
      };
      document.execCommand("copy");
      field.remove();
      before?.focus();
    }
  };
  let status = null;
  /** Say something to those who cannot see it happen. */
  kismet.say = (words) => {
    if (!status) {
      status = Object.assign(document.createElement("p"), { className: "heard" });
      status.setAttribute("role", "status");
      document.body.append(status);
    }
    // The same words twice are still news.
    status.textContent = "";
    setTimeout(() => (status.textContent = words), 50);
  };

  // --- the contents follow

  const contents = document.getElementById("_contents");
  const links = contents ? [...contents.querySelectorAll("li > a")] : [];
  const named = (link) => document.getElementById(decodeURIComponent(link.hash.slice(1)));
  const sections = links.map((link) => ({ link, heading: named(link) })).filter(({ heading }) => heading);
  /** Lead on to the heading that an address spelled in another way means. */
  const lead = async () => {
    let wanted = location.hash.slice(1);
    try {
      wanted = decodeURIComponent(wanted);
    } catch {
      // As it was typed, then.
    }
    if (!wanted || document.getElementById(wanted)) return;
    await kismet.need("fragment.js");
    kismet.fragment();
  };
  const folds = contents?.classList.contains("folds");
  let current = null;

  const branches = (link) => {
    const found = [];
    for (let item = link?.closest("li"); item; item = item.parentElement.closest("li")) found.push(item);
    return found;
  };
  const open = (item, is) => {
    item.classList.toggle("open", is);
    item.querySelector(":scope > button")?.setAttribute("aria-expanded", is);
  };
  const above = () => parseFloat(getComputedStyle(root).scrollPaddingTop) + 32;
  /** The section at the top of what is seen; at the end of a page, where no more can come up, the one asked for. */
  const here = () => {
    let [low, high, line] = [-1, sections.length - 1, above()];
    const top = (place) => sections[place].heading.getBoundingClientRect().top;
    if (scrollY > 0 && scrollY + innerHeight > root.scrollHeight - 2) {
      line = innerHeight;
      const wanted = sections.findIndex(({ link }) => link.hash === location.hash);
      if (wanted >= 0 && top(wanted) >= 0 && top(wanted) < line) return sections[wanted].link;
    }
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (top(middle) <= line) low = middle;
      else high = middle - 1;
    }
    return sections[low]?.link ?? null;
  };
  const show = (link) => {
    const [box, line] = [contents.getBoundingClientRect(), link.getBoundingClientRect()];
    const room = box.height / 4;
    if (line.height && (line.top < box.top + room || line.bottom > box.bottom - room))
      contents.scrollTop += line.top - box.top - box.height / 3;
  };
  const follow = () => {
    root.classList.toggle("afar", scrollY > 2 * innerHeight);
    const link = sections.length ? here() : null;
    if (link === current) return;
    const [left, entered] = [branches(current), branches(link)];
    current?.removeAttribute("aria-current");
    link?.setAttribute("aria-current", "location");
    current = link;
    if (folds) {
      for (const item of left) if (!entered.includes(item)) open(item, "open" in item.dataset);
      for (const item of entered) open(item, true);
    }
    if (link) show(link);
  };
  if (folds)
    for (const list of contents.querySelectorAll("li > ul")) {
      const item = list.parentElement;
      const button = Object.assign(document.createElement("button"), { type: "button" });
      button.setAttribute("aria-label", `Below ${item.firstElementChild.textContent}`);
      button.onclick = () => {
        open(item, item.toggleAttribute("data-open", !item.classList.contains("open")));
      };
      list.before(button);
      open(item, "open" in item.dataset);
    }
  let waiting = false;
  const soon = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      follow();
    });
  };
  addEventListener("scroll", soon, { passive: true });
  addEventListener("resize", soon);
  addEventListener("hashchange", () => {
    if (location.hash === "#_contents" && current) show(current);
    soon();
    lead();
  });
  // Where things stand is asked once the other scripts have put in what they put in: a long page is laid out once.
  requestAnimationFrame(() => {
    follow();
    contents?.classList.add("ready");
  });
  lead();

  // --- what is pressed

  const BOXES = { settings: ["settings-box.js"], roller: ["odds.js", "roll.js", "dice.js"] };

  document.addEventListener("click", async ({ target }) => {
    if (!(target instanceof Element)) return;
    const permalink = target.closest("a.permalink");
    if (permalink) {
      await kismet.copy(permalink.href);
      permalink.classList.add("copied");
      setTimeout(() => permalink.classList.remove("copied"), 1500);
      kismet.say("Address copied");
    }
    for (const [name, scripts] of Object.entries(BOXES)) {
      const door = target.closest(`[data-${name}]`);
      if (!door) continue;
      await kismet.need(...scripts);
      kismet[name](door);
    }
  });
  document.addEventListener("keydown", ({ key }) => {
    if (key === "Escape" && ["#_contents", "#_navigation"].includes(location.hash)) location.hash = "_bar";
  });
})();

// Behaviour of every page: highlights the current section in the contents, copies heading links, opens settings and the roller.
// Without this declaration, `kismet` is the element with that id, such as a heading.
var kismet;
(() => {
  const kismet = (globalThis.kismet ??= {});
  const root = document.documentElement;
  const { t } = kismet;

  // --- functions for the other scripts

  const asked = {};
  const script = (name) =>
    (asked[name] ??= new Promise((done, failed) => {
      const there = document.querySelector(`script[src$="assets/${name}"]`);
      if (there) return document.readyState === "complete" ? done() : addEventListener("load", done);
      const src = `${root.dataset.root}assets/${name}`;
      const onerror = (problem) => {
        // The next call tries again, as the connection may be back.
        delete asked[name];
        added.remove();
        failed(problem);
      };
      const added = kismet.make("script", { onload: done, onerror, src });
      document.head.append(added);
    }));
  /** Load scripts on demand, in this order, each once. */
  kismet.need = async (...names) => {
    for (const name of names) await script(name);
  };
  /** An element with these properties that contains these nodes and strings. */
  kismet.make = (name, properties = {}, ...inside) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...inside);
    return element;
  };
  /** Text for comparison, in lower case, without accents and apostrophes, and with hyphens for minus signs. */
  kismet.fold = (text) => text.normalize("NFKD").replace(/[\p{M}'’]/gu, "").replaceAll("−", "-").toLowerCase();
  /** Copy text to the clipboard. */
  kismet.copy = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Some browsers refuse the Clipboard API on file: pages; `execCommand` still works there.
      const before = document.activeElement;
      const field = kismet.make("textarea", { className: "heard", value: text });
      document.body.append(field);
      field.select();
      // A textarea normalizes line breaks to LF, but CSV needs CRLF, so write the original text to the clipboard.
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
  /** Announce a message to screen readers. */
  kismet.say = (words) => {
    if (!status) {
      status = kismet.make("p", { className: "heard", role: "status" });
      document.body.append(status);
    }
    // Clear the text first, so that the same message is announced again.
    status.textContent = "";
    setTimeout(() => (status.textContent = words), 50);
  };

  // --- current section in the contents

  const contents = document.getElementById("_contents");
  const links = contents ? [...contents.querySelectorAll("li > a")] : [];
  const named = (link) => document.getElementById(decodeURIComponent(link.hash.slice(1)));
  const sections = links.map((link) => ({ link, heading: named(link) })).filter(({ heading }) => heading);
  /** Go to the heading for a fragment that matches no id, because it is spelled differently. */
  const resolveFragment = async () => {
    let wanted = location.hash.slice(1);
    try {
      wanted = decodeURIComponent(wanted);
    } catch {
      // The percent encoding is invalid, so use the fragment as it is.
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
  /**
   * The section at the top of the viewport. Headings at the end of a page cannot scroll to the top, so use the link's
   * target there.
   */
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
      const ariaLabel = t("page.below", { title: item.firstElementChild.textContent });
      const button = kismet.make("button", { type: "button", ariaLabel });
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
    resolveFragment();
  });
  // Measure only after the other scripts have changed the page, to lay out a long page once.
  requestAnimationFrame(() => {
    follow();
    contents?.classList.add("ready");
  });
  resolveFragment();

  // --- clicks and keys

  const PANELS = { settings: ["settings-box.js"], roller: ["odds.js", "roll.js", "dice.js"] };

  document.addEventListener("click", async ({ target }) => {
    if (!(target instanceof Element)) return;
    const permalink = target.closest("a.permalink");
    if (permalink) {
      await kismet.copy(permalink.href);
      permalink.dataset.said = t("copy.copied");
      permalink.classList.add("copied");
      setTimeout(() => permalink.classList.remove("copied"), 1500);
      kismet.say(t("copy.address_copied"));
    }
    const copied = target.closest("[data-copies]");
    if (copied) {
      await kismet.copy(copied.closest("div").querySelector(copied.dataset.copies).textContent);
      kismet.say(t("copy.copied"));
    }
    for (const [name, scripts] of Object.entries(PANELS)) {
      const door = target.closest(`[data-${name}]`);
      if (!door) continue;
      await kismet.need(...scripts);
      kismet[name](door);
    }
  });
  document.addEventListener("keydown", async ({ key, target, ctrlKey, metaKey, altKey }) => {
    if (key === "?" && !ctrlKey && !metaKey && !altKey && !target.isContentEditable && !target.closest("input, select, textarea") && !document.querySelector("dialog[open]")) {
      await kismet.need("keys.js");
      kismet.keys();
    }
    if (key === "Escape" && ["#_contents", "#_navigation"].includes(location.hash)) location.hash = "_bar";
  });
})();

// Filters and sorts the table of a kind, as a table or as cards. The URL contains the state, so a view can be shared.
(() => {
  const kismet = globalThis.kismet;
  const { t, make, fold, cellText, decimal } = kismet;
  const form = document.querySelector("form.filter");
  const frame = form.nextElementSibling;
  const table = frame.querySelector("table");
  const { tHead, tBodies: [body] } = table;
  const { find, sort: sorting, view: views } = form.elements;
  const language = document.documentElement.lang || undefined;
  const collator = new Intl.Collator(language, { numeric: true, sensitivity: "base" });
  const anyOf = new Intl.ListFormat(language, { type: "disjunction" });

  const items = (cell, text) => {
    // Commas in prose do not separate list items.
    const isProse = cell.matches(".prose");
    const parts = [...cell.querySelectorAll(isProse ? ".chip-head" : ".chip-head, li")].map((part) => part.dataset.head ?? cellText(part));
    return parts.length || isProse ? parts : (cell.dataset.value ?? text).split(cell.dataset.value ? "|" : ", ").filter(Boolean);
  };
  /** The keys for sorting and filtering a cell: its text, its list items, and both ends of its range or dice. */
  const read = (cell) => {
    const text = cellText(cell);
    const [low, high = low] = (cell.dataset.value ?? text.replace("−", "-")).split(" ").map((end) => (end === "" ? Infinity : Number(end)));
    return { text, folded: fold(text), items: items(cell, text), low: text ? low : NaN, high };
  };
  const rows = [...body.rows].map((row) => ({ row, folded: fold(cellText(row)), cells: [...row.cells].map(read) }));
  /** The value that stands for an empty cell in filters and addresses. */
  const NONE = "none";
  const valuesOf = ({ place, sort }, { cells }) => {
    const { text, items } = cells[place];
    const found = sort === "list" ? items : [text].filter(Boolean);
    return found.length ? found : [NONE];
  };
  /**
   * Fields with inputs, and fields with `values` to choose from. `chosen` maps a value to true (with) or false
   * (without).
   */
  const fields = [...form.querySelectorAll("[data-key]")].map((element) => {
    const { key, place, sort, options = "[]" } = element.dataset;
    const field = { element, key, place: Number(place), sort, controls: [...element.querySelectorAll("input")] };
    if (!element.matches("details")) return field;
    const order = JSON.parse(options);
    const found = new Set(rows.flatMap((row) => valuesOf(field, row)));
    const isWritten = rows.some((row) => row.cells[field.place].text === NONE);
    // The word for empty cells comes last, unless the author wrote the same word in a cell.
    const last = !isWritten && found.delete(NONE) ? [NONE] : [];
    const values = [...new Set([...order, ...[...found].sort(collator.compare), ...last])];
    const [title, state] = element.querySelector("summary").children;
    const nameOf = (value) => (last.includes(value) ? t("value.none") : value);
    return { ...field, values, nameOf, order: order.length ? values : null, title: title.textContent, state, any: state.textContent, chosen: new Map(), buttons: [] };
  });
  const chosenAs = ({ values, chosen }, is) => values.filter((value) => chosen.get(value) === is);

  // --- state in the URL

  /** The parameter for excluded values: `type!=social`. */
  const not = (key) => `${key}!`;
  const value = ({ controls }) => {
    const said = controls.map((control) => control.value.trim());
    return said.some(Boolean) ? said.join("..") : "";
  };
  const parameters = (field) =>
    field.chosen
      ? [true, false].flatMap((is) => chosenAs(field, is).map((value) => [is ? field.key : not(field.key), value]))
      : [[field.key, value(field)]];
  kismet.setQuery = (asked, push) => {
    const query = String(asked).replaceAll("%2C", ",").replaceAll("%21=", "!=");
    history[push ? "pushState" : "replaceState"](null, "", `${location.pathname}${query && "?"}${query}${location.hash}`);
  };
  const write = (push, view) => {
    const asked = new URLSearchParams(location.search);
    const said = [["find", find.value.trim()], ...fields.flatMap(parameters), ["sort", sorting.value], ["view", view ?? asked.get("view")]];
    // Delete before appending. This keeps the parameters in a fixed order, so a view has only one URL.
    for (const key of ["find", "sort", "view", ...fields.flatMap(({ key }) => [key, not(key)])]) asked.delete(key);
    for (const [key, value] of said) if (value) asked.append(key, value);
    kismet.setQuery(asked, push);
  };
  const set = (control, said) => {
    control.value = said ?? "";
    // If the select does not offer a value from the URL, it is empty now. Fall back to "no filter".
    if (control.selectedIndex === -1) control.value = "";
  };
  const load = () => {
    const asked = new URLSearchParams(location.search);
    set(find, asked.get("find"));
    set(sorting, asked.get("sort"));
    for (const { key, controls, values, chosen } of fields) {
      chosen?.clear();
      for (const is of values ? [true, false] : [])
        for (const value of asked.getAll(is ? key : not(key))) if (values.includes(value)) chosen.set(value, is);
      const said = asked.get(key) ?? "";
      const ends = controls.length > 1 ? said.split("..") : [said];
      controls.forEach((control, place) => set(control, ends[place] ?? (ends.length === 1 ? said : "")));
    }
    applyView(asked.get("view"));
    apply();
  };

  // --- layout, filter and order

  const usual = [frame.classList.contains("as-cards"), table.className];
  const applyView = (view) => {
    const chosen = view === "cards" || view === "table";
    frame.classList.toggle("as-cards", chosen ? view === "cards" : usual[0]);
    table.className = usual[1];
    if (chosen) {
      table.classList.toggle("long", view === "cards");
      // On a phone, an explicitly chosen table stays a table and scrolls sideways.
      table.classList.toggle("figures", view === "table");
    }
    if (table.classList.contains("figures")) frame.tabIndex = 0;
    else frame.removeAttribute("tabindex");
    views.value = getComputedStyle(tHead).display === "none" ? "cards" : "table";
  };
  const count = form.querySelector(".filter-count");
  const counted = count.textContent;
  const foldButton = form.querySelector(".filter-fold");
  const active = form.querySelector(".filter-active");
  const columns = new Map([...tHead.querySelectorAll("[data-key]")].map((head) => [head.dataset.key, head]));
  const sortOf = new Map([["name", { place: 0, sort: "words" }], ...fields.map((field) => [field.key, field])]);
  const compare = (key) => {
    const { place, sort, order } = sortOf.get(key);
    return (one, other) => {
      const [a, b] = [one.cells[place], other.cells[place]];
      if (sort === "number" || sort === "dice") return a.low - b.low || a.high - b.high || 0;
      return order ? order.indexOf(a.text) - order.indexOf(b.text) : collator.compare(a.text, b.text);
    };
  };
  const isEmpty = (row, key) => !row.cells[sortOf.get(key).place].text;
  /** A function that tells whether a row passes the filter of a field; undefined if the field has no filter. */
  const test = (field) => {
    const { place, sort, chosen } = field;
    if (chosen) {
      if (!chosen.size) return;
      const isAsked = chosenAs(field, true).length > 0;
      return (row) => {
        const found = valuesOf(field, row).map((value) => chosen.get(value));
        return !found.includes(false) && (!isAsked || found.includes(true));
      };
    }
    const said = value(field);
    if (!said) return;
    if (sort === "words") return ({ cells }) => cells[place].folded.includes(fold(said));
    const [least, most] = said.split("..").map((end, place) => (end === "" ? [-Infinity, Infinity][place] : Number(end)));
    return ({ cells }) => cells[place].high >= least && cells[place].low <= most;
  };
  /** The active filters, each with its words and a function that removes it. */
  const filtered = (field) => {
    const { title, nameOf, controls, chosen } = field;
    if (!chosen)
      return controls.filter((control) => control.value.trim()).map((control) => {
        const said = control.type === "number" ? decimal(control.value.replace("-", "−")) : control.value.trim();
        return [`${control.ariaLabel} ${said}`, () => (control.value = "")];
      });
    const [asked, excluded] = [true, false].map((is) => chosenAs(field, is));
    const all = asked.length ? [[anyOf.format(asked.map(nameOf)), asked]] : [];
    for (const value of excluded) all.push([t("filter.not", { value: nameOf(value) }), [value]]);
    field.state.textContent = all.map(([words]) => words).join(", ") || field.any;
    for (const [button, value, is] of field.buttons) button.ariaPressed = String(chosen.get(value) === is);
    return all.map(([words, values]) => [`${title}: ${words}`, () => values.forEach((value) => chosen.delete(value))]);
  };
  const chip = ([words, remove], place) =>
    make("button", {
      type: "button",
      className: "filter-chip",
      ariaLabel: t("filter.remove", { filter: words }),
      onclick: () => {
        remove();
        change();
        // The next chip takes the focus, which keeps keyboard users here.
        (chips.children[place] ?? chips.lastChild ?? count).focus();
      },
    }, words);
  const change = () => {
    write(true);
    apply();
  };
  const [chips] = active?.children ?? [];
  const apply = () => {
    const tests = fields.map(test).filter(Boolean);
    const wanted = fold(find.value).split(" ").filter(Boolean);
    let left = 0;
    for (const line of rows) {
      const { row, folded } = line;
      const is = wanted.every((word) => folded.includes(word)) && tests.every((passes) => passes(line));
      row.classList.toggle("out", !is);
      left += is;
    }
    const [key, down] = [sorting.value.replace(/^-/, ""), sorting.value.startsWith("-")];
    const by = key && compare(key);
    // Empty cells come last in both directions.
    const sorted = by ? [...rows].sort((a, b) => isEmpty(a, key) - isEmpty(b, key) || (down ? by(b, a) : by(a, b))) : rows;
    if (sorted.some(({ row }, place) => body.rows[place] !== row)) body.append(...sorted.map(({ row }) => row));
    for (const [name, head] of columns) {
      if (name === key) head.setAttribute("aria-sort", down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    }
    count.textContent = tests.length || wanted.length ? t("filter.left", { left, counted }) : counted;
    if (!active) return;
    const all = fields.flatMap(filtered);
    chips.replaceChildren(...all.map(chip));
    active.hidden = !all.length;
    foldButton.textContent = all.length ? t("filter.filters", { number: all.length }) : t("filter.filter");
  };

  // --- values to choose from

  for (const { element, title, values, nameOf, chosen, buttons } of fields.filter(({ values }) => values)) {
    const button = (value, is, words, ariaLabel) => {
      const onclick = () => {
        if (chosen.get(value) === is) chosen.delete(value);
        else chosen.set(value, is);
        change();
      };
      const made = make("button", { type: "button", ariaLabel, ariaPressed: String(chosen.get(value) === is), onclick }, words);
      buttons.push([made, value, is]);
      return made;
    };
    // Create the buttons on click rather than on `toggle`, which fires later: a fast Tab would skip them.
    element.firstChild.onclick = () => {
      if (!buttons.length)
        element.append(make("div", { role: "group", ariaLabel: title }, ...values.map((value) => {
          const name = nameOf(value);
          return make("div", {}, button(value, true, name, name), button(value, false, t("filter.without"), t("filter.not", { value: name })));
        })));
    };
    element.ontoggle = () => {
      const { lastChild: list } = element;
      list.className = "";
      if (list.getBoundingClientRect().right > form.getBoundingClientRect().right) list.className = "at-end";
      if (!element.open) return;
      list.scrollIntoView({ block: "nearest" });
      list.querySelector("[aria-pressed=true]")?.scrollIntoView({ block: "nearest" });
    };
  }

  for (const [key, head] of columns) {
    const label = body.rows[0].cells[sortOf.get(key).place].dataset.label ?? cellText(head);
    const button = make("button", { type: "button", className: "sort" }, ...head.childNodes);
    button.onclick = () => {
      sorting.value = sorting.value === key ? `-${key}` : sorting.value === `-${key}` ? "" : key;
      change();
    };
    head.append(button);
    sorting.add(new Option(`${label} ↑`, key));
    sorting.add(new Option(`${label} ↓`, `-${key}`));
  }
  // Each change is one history entry; consecutive typing in one field is a single entry.
  let typing = null;
  form.addEventListener("input", ({ target }) => {
    const typed = target.matches("input:not([type=radio])") ? target : null;
    write(!typed || typed !== typing, target.name === "view" ? target.value : undefined);
    typing = typed;
    if (target.name === "view") applyView(target.value);
    apply();
  });
  form.addEventListener("focusout", () => (typing = null));
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", (event) => {
    event.preventDefault();
    for (const control of [find, sorting, ...fields.flatMap(({ controls }) => controls)]) control.value = "";
    for (const { chosen } of fields) chosen?.clear();
    change();
    count.focus();
  });
  foldButton?.addEventListener("click", () => foldButton.setAttribute("aria-expanded", form.classList.toggle("open")));
  addEventListener("popstate", load);
  matchMedia("(max-width: 39.99em)").addEventListener("change", () => applyView(new URLSearchParams(location.search).get("view")));
  load();
  form.hidden = false;
  const door = form.querySelector(".compare-door");
  if (new URLSearchParams(location.search).has("compare")) globalThis.kismet.need("compare.js").catch(() => {});
  else if (door) door.onclick = () => globalThis.kismet.need("compare.js").then(() => door.click(), () => {});
})();

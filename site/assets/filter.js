// Filters and sorts the table of a kind, as a table or as cards. The state is in the URL, so that a view can be shared.
(() => {
  const { t, make, fold, cellText } = globalThis.kismet;
  const form = document.querySelector("form.filter");
  const frame = form.nextElementSibling;
  const table = frame.querySelector("table");
  const { tHead, tBodies: [body] } = table;
  const { find, sort: sorting, view: views } = form.elements;
  const collator = new Intl.Collator(document.documentElement.lang || undefined, { numeric: true, sensitivity: "base" });

  const items = (cell, text) => {
    const parts = [...cell.querySelectorAll(".chip-head, li")].map((part) => part.dataset.head ?? cellText(part));
    return parts.length ? parts : (cell.dataset.value ?? text).split(cell.dataset.value ? "|" : ", ").filter(Boolean);
  };
  /** Sort and filter keys of a cell: its text, its list items, and the lower and upper end of its range or dice. */
  const read = (cell) => {
    const text = cellText(cell);
    const [low, high = low] = (cell.dataset.value ?? text.replace("−", "-")).split(" ").map((end) => (end === "" ? Infinity : Number(end)));
    return { text, folded: fold(text), items: items(cell, text), low: text ? low : NaN, high };
  };
  const rows = [...body.rows].map((row) => ({ row, folded: fold(cellText(row)), cells: [...row.cells].map(read) }));
  const NONE = "none";
  const fields = [...form.querySelectorAll("[data-key]")].map((element) => {
    const { key, place, sort } = element.dataset;
    return { key, place: Number(place), sort, controls: [...element.querySelectorAll("input, select")] };
  });
  const tests = {
    words: (cell, wanted) => cell.folded.includes(fold(wanted)),
    list: (cell, wanted) => (wanted === NONE ? !cell.items.length : cell.items.includes(wanted)),
    choice: (cell, wanted) => (cell.text || NONE) === wanted,
    number: (cell, wanted) => {
      const [least, most] = wanted.split("..").map((end, place) => (end === "" ? [-Infinity, Infinity][place] : Number(end)));
      return cell.high >= least && cell.low <= most;
    },
  };
  tests.dice = tests.number;
  for (const { place, sort, controls: [select] } of fields) {
    if (sort !== "choice" && sort !== "list") continue;
    const cells = rows.map((row) => row.cells[place]);
    const found = new Set(cells.flatMap((cell) => (sort === "list" ? cell.items : cell.text || [])));
    if (select.length === 1) for (const word of [...found].sort(collator.compare)) select.add(new Option(word));
    if (!found.has(NONE) && cells.some((cell) => !cell.text)) select.add(new Option(t("value.none"), NONE));
  }

  // --- state in the URL

  const value = ({ controls }) => {
    const said = controls.map((control) => control.value.trim());
    return said.some(Boolean) ? said.join("..") : "";
  };
  const ours = () => [["find", find.value.trim()], ...fields.map((field) => [field.key, value(field)])];
  const write = (push, view) => {
    const asked = new URLSearchParams(location.search);
    for (const [key, said] of [...ours(), ["sort", sorting.value], ["view", view ?? asked.get("view")]]) {
      // Delete before setting, so that parameters have a fixed order: one view has one URL.
      asked.delete(key);
      if (said) asked.set(key, said);
    }
    const query = String(asked).replaceAll("%2C", ",");
    history[push ? "pushState" : "replaceState"](null, "", `${location.pathname}${query && "?"}${query}${location.hash}`);
  };
  const set = (control, said) => {
    control.value = said ?? "";
    // A value from the URL that the select does not offer leaves it empty: fall back to "no filter".
    if (control.selectedIndex === -1) control.value = "";
  };
  const load = () => {
    const asked = new URLSearchParams(location.search);
    set(find, asked.get("find"));
    set(sorting, asked.get("sort"));
    for (const { key, controls } of fields) {
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
  const reset = form.querySelector("[type=reset]");
  const columns = new Map([...tHead.querySelectorAll("[data-key]")].map((head) => [head.dataset.key, head]));
  const sortOf = new Map([["name", { place: 0, sort: "words" }], ...fields.map((field) => [field.key, field])]);
  const compare = (key) => {
    const { place, sort, controls } = sortOf.get(key);
    const order = sort === "choice" && controls[0].dataset.order ? [...controls[0].options].map(({ value }) => value) : null;
    return (one, other) => {
      const [a, b] = [one.cells[place], other.cells[place]];
      if (sort === "number" || sort === "dice") return a.low - b.low || a.high - b.high || 0;
      return order ? order.indexOf(a.text) - order.indexOf(b.text) : collator.compare(a.text, b.text);
    };
  };
  const isEmpty = (row, key) => !row.cells[sortOf.get(key).place].text;
  const apply = () => {
    const asked = fields.map((field) => [field, value(field)]).filter(([, said]) => said);
    const wanted = fold(find.value).split(" ").filter(Boolean);
    let left = 0;
    for (const { row, folded, cells } of rows) {
      const is = wanted.every((word) => folded.includes(word)) && asked.every(([{ place, sort }, said]) => tests[sort](cells[place], said));
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
    const any = asked.length || wanted.length;
    count.textContent = any ? t("filter.left", { left, counted }) : counted;
    reset.disabled = !any && !key;
    if (foldButton) foldButton.textContent = asked.length ? t("filter.filters", { number: asked.length }) : t("filter.filter");
  };

  for (const [key, head] of columns) {
    const label = body.rows[0].cells[sortOf.get(key).place].dataset.label ?? cellText(head);
    const button = make("button", { type: "button", className: "sort" }, ...head.childNodes);
    button.onclick = () => {
      sorting.value = sorting.value === key ? `-${key}` : sorting.value === `-${key}` ? "" : key;
      write(true);
      apply();
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
    write(true);
    apply();
    find.focus();
  });
  foldButton?.addEventListener("click", () => foldButton.setAttribute("aria-expanded", form.classList.toggle("open")));
  addEventListener("popstate", load);
  matchMedia("(max-width: 39.99em)").addEventListener("change", () => applyView(new URLSearchParams(location.search).get("view")));
  load();
  form.hidden = false;
})();

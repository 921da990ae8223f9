// Export menu of each table: copy as Markdown or CSV, download as JSON.
(() => {
  const kismet = globalThis.kismet;
  const { t, make, fold } = kismet;
  const SILENT = ".heard, .to-card, .permalink, .nothing, .chip > i, .roll-line, .pin, .why, .situation-links, .row-mentions details > :not(summary)";
  const plain = (text) => text.replace(/\s+/g, " ").trim();
  /** The text of a cell, with semicolons between its lines, list items and effects. */
  const cellText = (cell, but = "") => {
    const copy = cell.cloneNode(true);
    for (const part of copy.querySelectorAll(SILENT + but)) part.remove();
    for (const part of copy.querySelectorAll("li, dl > div, .chip, br, p, .card-line")) part.after("; ");
    for (const part of copy.querySelectorAll(".chips, ul, dl, dd")) part.before(" ");
    return plain(copy.textContent).replace(/( ?;)+(?= |$)/g, ";").replace(/^;|;$/g, "").replace(/([.!?…]);/g, "$1");
  };

  kismet.cellText = cellText;

  const shown = (table) => [...table.tBodies[0].rows].filter((row) => !row.classList.contains("out"));
  const heads = (table) =>
    [...table.tBodies[0].rows[0].cells].map((cell, place) => cell.dataset.label ?? plain(cellText(table.tHead?.rows[0].cells[place] ?? cell.cloneNode())));
  // Replace the typographic minus sign by a hyphen-minus, which other programs can read as part of a number.
  const cells = (row) => [...row.cells].map((cell) => cellText(cell, ", .card-also").replace(/^−(?=[\d.,]+$)/, "-"));
  const markdown = (table) => {
    const line = (cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |\n`;
    const rule = [...table.tBodies[0].rows[0].cells].map((cell) => (cell.matches(".right") ? "--:" : cell.matches(".center") ? ":-:" : "---"));
    return [heads(table), rule, ...shown(table).map(cells)].map(line).join("");
  };
  const csv = (table) =>
    [heads(table), ...shown(table).map(cells)]
      .map((row) => row.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(",") + "\r\n")
      .join("");
  const title = (table) => {
    if (table.caption) return plain(cellText(table.caption));
    for (let place = table; place && !place.matches("main"); place = place.parentElement)
      for (let before = place; before; before = before.previousElementSibling) {
        const heading = before.matches("h1, h2, h3, h4, h5, h6") ? before : before.querySelector("h1");
        if (heading) return cellText(heading, ", .to-card, .permalink");
      }
    return document.title;
  };
  const json = (table) => {
    const data = { caption: title(table), columns: heads(table), rows: shown(table).map(cells) };
    return URL.createObjectURL(new Blob([JSON.stringify(data, null, 2) + "\n"], { type: "application/json" }));
  };
  const offer = (frame, table) => {
    const menu = make("details", { className: "take" });
    const summary = make("summary", {}, t("table.copy"));
    const say = (what) => {
      const rows = shown(table).length;
      menu.open = false;
      summary.focus();
      summary.textContent = what;
      setTimeout(() => (summary.textContent = t("table.copy")), 2000);
      kismet.say(t("table.taken", { what, n: rows }));
    };
    const copy = (name, text) =>
      make("button", {
        type: "button",
        onclick: async () => {
          await kismet.copy(text(table));
          say(t("table.copied_as", { name }));
        },
      }, t("table.copy_as", { name }));
    const file = make("a", { href: frame.dataset.json ?? "#" , download: "" }, t("table.download"));
    file.onclick = () => {
      if (!frame.dataset.json) {
        file.href = json(table);
        file.download = `${fold(title(table)).replace(/[^a-z0-9]+/g, "-") || "table"}.json`;
        setTimeout(() => URL.revokeObjectURL(file.href), 60_000);
      }
      say(t("table.downloaded"));
    };
    // Create the menu on click rather than on `toggle`, which fires later: a fast Tab would skip the missing items.
    summary.onclick = () => {
      if (menu.children.length === 1) menu.append(make("div", {}, copy("Markdown", markdown), copy("CSV", csv), file));
    };
    menu.append(summary);
    frame.after(menu);
  };
  for (const frame of document.querySelectorAll(".text .table, .listing")) {
    const table = frame.querySelector("table");
    if (table.tBodies[0] && !table.closest(".parts, kismet-calculator, .calculators")) offer(frame, table);
  }
  const close = (but) => {
    for (const menu of document.querySelectorAll(".take[open], .values[open]")) if (!menu.contains(but)) menu.open = false;
  };
  document.addEventListener("click", ({ target }) => close(target));
  document.addEventListener("focusin", ({ target }) => close(target));
  document.addEventListener("keydown", ({ key }) => {
    const menu = key === "Escape" && document.querySelector(".take[open], .values[open]");
    if (!menu) return;
    if (menu.contains(document.activeElement)) menu.firstChild.focus();
    menu.open = false;
  });
})();

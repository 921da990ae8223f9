// Shows two to four entries of a kind side by side. The URL contains the choice, so it can be shared.
(() => {
  const { t, make, cellText, setQuery } = globalThis.kismet;
  // Minimum and maximum number of entries that can be compared.
  const MIN = 2, MAX = 4;
  const form = document.querySelector("form.filter");
  const frame = form.nextElementSibling;
  const rows = [...frame.querySelector("tbody").rows];
  if (rows.length < MIN) return;
  const nameOf = (row) => row.querySelector("th a");
  const slugOf = (row) => {
    const { hash, pathname } = nameOf(row);
    return decodeURIComponent(hash.slice(1) || pathname.replace(/index\.html$/, "").split("/").filter(Boolean).pop());
  };
  const boxes = rows.map((row) => make("input", { type: "checkbox", className: "compare-choice", ariaLabel: t("compare.entry", { name: cellText(nameOf(row)) }) }));
  rows.forEach((row, place) => row.cells[0].prepend(boxes[place]));
  const button = form.querySelector(".compare-door");
  const note = make("p", { className: "note", textContent: t("compare.choose") });
  const side = make("div", { className: "table", hidden: true, tabIndex: 0, role: "region", ariaLabel: t("compare.compare"), ariaLive: "polite" });
  side.classList.add("compared");
  frame.before(side);

  const head = (scope, ...inside) => make("th", { scope }, ...inside);
  const copied = (cell) => {
    const copy = cell.cloneNode(true);
    for (const each of copy.querySelectorAll("[id]")) each.removeAttribute("id");
    return copy.childNodes;
  };
  /** The chosen entries as columns. Lines with equal values are less prominent. */
  const table = (chosen) => {
    // Each column can be removed here, because the entry's checkbox may be far down or filtered out.
    const remove = (row) => {
      boxes[rows.indexOf(row)].checked = false;
      write();
      show();
      side.focus();
    };
    const names = chosen.map((row) => {
      const button = make("button", { type: "button", className: "remove", ariaLabel: t("filter.remove", { filter: cellText(nameOf(row)) }), onclick: () => remove(row) });
      return head("col", nameOf(row).cloneNode(true), button);
    });
    const lines = [...chosen[0].cells].slice(1).map((first, place) => {
      const cells = chosen.map((row) => row.cells[place + 1]);
      const isSame = new Set(cells.map((cell) => cellText(cell))).size === 1;
      return make("tr", { className: isSame ? "same" : "" }, head("row", first.dataset.label ?? ""), ...cells.map((cell) => make("td", {}, ...copied(cell))));
    });
    return make("table", { className: "figures" }, make("thead", {}, make("tr", {}, make("td", {}), ...names)), make("tbody", {}, ...lines));
  };
  const show = () => {
    const isOn = button.ariaPressed === "true";
    const chosen = isOn ? rows.filter((_, place) => boxes[place].checked) : [];
    frame.classList.toggle("choosing", isOn);
    for (const box of boxes) box.disabled = !box.checked && chosen.length === MAX;
    side.hidden = !isOn;
    side.replaceChildren(chosen.length < MIN ? note : table(chosen));
  };
  const write = () => {
    const asked = new URLSearchParams(location.search);
    asked.delete("compare");
    const slugs = rows.filter((_, place) => boxes[place].checked).map(slugOf);
    if (button.ariaPressed === "true" && slugs.length) asked.set("compare", slugs.join(","));
    setQuery(asked);
  };
  const load = () => {
    const slugs = (new URLSearchParams(location.search).get("compare") ?? "").split(",");
    const chosen = slugs.filter(Boolean).slice(0, MAX);
    rows.forEach((row, place) => (boxes[place].checked = chosen.includes(slugOf(row))));
    button.ariaPressed = String(chosen.length > 0);
    show();
  };
  button.onclick = () => {
    button.ariaPressed = String(button.ariaPressed !== "true");
    if (button.ariaPressed !== "true") for (const box of boxes) box.checked = false;
    write();
    show();
  };
  frame.addEventListener("change", ({ target }) => {
    if (!boxes.includes(target)) return;
    write();
    show();
  });
  addEventListener("popstate", load);
  load();
})();

// Filters the list of all calculators while the reader types, and redirects old addresses of calculators to their
// pages.
(() => {
  const { t, fold, make } = globalThis.kismet;
  const form = document.querySelector("form.calculator-filter");
  const find = form.querySelector("input");
  const count = form.querySelector(".filter-count");
  const all = count.textContent;
  const frames = [...document.querySelectorAll(".calculator-group")];
  const rows = [...document.querySelectorAll(".calculator-group .calculator")].map((row) => {
    const heading = row.closest("section").querySelector("h2");
    return { row, folded: fold(`${row.textContent} ${row.id} ${heading.textContent}`) };
  });
  const apply = () => {
    const wanted = fold(find.value).split(/\s+/).filter(Boolean);
    for (const { row, folded } of rows) row.hidden = !wanted.every((word) => folded.includes(word));
    for (const frame of frames) frame.hidden = !frame.querySelector(".calculator:not([hidden])");
    const left = rows.filter(({ row }) => !row.hidden).length;
    count.textContent = wanted.length ? t("filter.left", { left, counted: all }) : all;
  };
  // Calculators were once on this page, with addresses such as `?calculator=slug&input=value` and `#slug`.
  const leadOn = () => {
    const asked = new URLSearchParams(location.search).get("calculator");
    const row = rows.find(({ row }) => row.id === (asked ?? location.hash.slice(1)))?.row;
    if (row) location.replace(row.querySelector("a").href + location.search);
    else if (asked !== null) form.before(make("p", { className: "note", textContent: t("calculator.absent", { name: asked }) }));
  };
  form.onsubmit = (event) => event.preventDefault();
  form.oninput = apply;
  // The browser may restore the previous text of the field.
  apply();
  form.hidden = false;
  addEventListener("hashchange", leadOn);
  leadOn();
})();

// Filters the list of all calculators while the reader types, by title, question and section.
(() => {
  const { t, fold } = globalThis.kismet;
  const form = document.querySelector("form.calculator-filter");
  const find = form.querySelector("input");
  const count = form.querySelector(".filter-count");
  const all = count.textContent;
  const rows = [...document.querySelectorAll(".calculator-group .calculator")].map((row) => {
    const heading = row.closest("section").querySelector("h3");
    return { row, folded: fold(`${row.firstElementChild.textContent} ${heading ? heading.textContent : ""}`) };
  });
  const frames = document.querySelectorAll(".calculator-group, .calculator-group > section");
  const apply = () => {
    const wanted = fold(find.value).split(/\s+/).filter(Boolean);
    for (const { row, folded } of rows) row.hidden = !wanted.every((word) => folded.includes(word));
    for (const frame of frames) frame.hidden = !frame.querySelector(".calculator:not([hidden])");
    const left = rows.filter(({ row }) => !row.hidden).length;
    count.textContent = wanted.length ? t("filter.left", { left, counted: all }) : all;
  };
  form.onsubmit = (event) => event.preventDefault();
  form.oninput = apply;
  // The browser may restore the previous text of the field.
  apply();
  form.hidden = false;
})();

// Loads the calculator scripts on demand: when a calculator is opened, hovered, focused, or named in the URL.
(() => {
  const data = `${document.documentElement.dataset.game}-data.js`;
  // If loading fails, calculators show their table of precomputed results, as they do without JavaScript.
  const fetched = () => kismet.need("formula.js", "inputs.js", data, "chart.js", "calculator.js").catch(() => {});

  const near = ({ target }) => target instanceof Element && target.closest("details.calculator") && fetched();
  document.addEventListener("pointerover", near);
  document.addEventListener("focusin", near);
  // A <details> that is open in the HTML also fires `toggle`.
  const opened = ({ target }) => target.open && target.matches("details.calculator") && fetched();
  document.addEventListener("toggle", opened, true);

  // A click on a calculator's name in the summary of several opens only that one.
  document.addEventListener("click", (event) => {
    const name = event.target.closest?.(".names > span");
    const several = name?.closest(".several");
    const calculator = several?.querySelectorAll(":scope > .calculator")[[...name.parentElement.children].indexOf(name)];
    if (!calculator?.matches("details")) return;
    event.preventDefault();
    several.open = calculator.open = true;
    calculator.scrollIntoView({ block: "nearest" });
  });

  const unfold = () => {
    const place = document.getElementById(location.hash.slice(1));
    if (!place?.matches("details.calculator")) return;
    place.open = true;
    const several = place.closest(".several");
    if (several) several.open = true;
  };
  addEventListener("hashchange", unfold);
  unfold();
  const name = new URLSearchParams(location.search).get("calculator");
  if (name === null) return;
  if (document.querySelector(`kismet-calculator[name="${CSS.escape(name)}"]`)) fetched();
  else document.querySelector("article").prepend(kismet.make("p", { className: "note", textContent: kismet.t("calculator.absent", { name }) }));
})();

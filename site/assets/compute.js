// Fetches what runs calculators once a reader comes to one: opens it, points at it, has it in the address.
(() => {
  const data = `${document.documentElement.dataset.game}-data.js`;
  // Without them every calculator shows its results in a table, as it does for those who run no scripts.
  const fetched = () => kismet.need("formula.js", data, "chart.js", "calculator.js").catch(() => {});

  const near = ({ target }) => target instanceof Element && target.closest("details.calculator") && fetched();
  document.addEventListener("pointerover", near);
  document.addEventListener("focusin", near);
  // A table that is open from the beginning says so by the same event.
  const opened = ({ target }) => target.open && target.matches("details.calculator") && fetched();
  document.addEventListener("toggle", opened, true);

  const unfold = () => {
    const place = document.getElementById(location.hash.slice(1));
    if (place?.matches("details.calculator")) place.open = true;
  };
  addEventListener("hashchange", unfold);
  unfold();
  if (new URLSearchParams(location.search).has("calculator")) fetched();
})();

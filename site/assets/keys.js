// Dialog with the keys of the open page.
(() => {
  const kismet = globalThis.kismet;
  const { t, make } = kismet;
  const has = (script) => document.querySelector(`script[src$="assets/${script}"]`);
  const control = t("keys.control");
  const KEYS = [
    has("search.js") && [t("keys.search"), "/", `${control} K`],
    has("search.js") && [t("keys.choose"), "↑", "↓", "Enter"],
    has("pin.js") && [t("keys.pin"), "P"],
    has("cards.js") && [t("keys.preview"), t("keys.space")],
    [t("page.close"), t("keys.escape")],
    [t("keys.title"), "?"],
  ];
  const row = ([action, ...keys]) =>
    make("div", {}, make("dt", {}, action), make("dd", {}, ...keys.flatMap((key) => [make("kbd", {}, key), " "])));
  const dialog = make("dialog", { className: "settings", ariaLabel: t("keys.title") });
  dialog.classList.add("keys");
  const list = make("dl", {}, ...KEYS.filter(Boolean).map(row));
  dialog.append(make("h2", {}, t("keys.title")), list, make("form", { method: "dialog" }, make("button", { className: "done" }, t("settings.done"))));
  // A click on the backdrop has the dialog itself as its target.
  dialog.addEventListener("click", ({ target }) => target === dialog && dialog.close());
  document.body.append(dialog);
  /** Open the dialog. Escape, Done and a click on the backdrop close it. */
  kismet.keys = () => dialog.showModal();
})();

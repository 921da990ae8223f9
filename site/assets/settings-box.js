// The settings dialog, whose changes apply immediately.
(() => {
  const kismet = globalThis.kismet;
  const { t, make } = kismet;
  const SETTINGS = {
    theme: [t("settings.theme"), { "": t("settings.automatic"), light: t("settings.light"), dark: t("settings.dark"), contrast: t("settings.contrast") }],
    face: [t("settings.face"), { "": t("settings.book"), easy: t("settings.easy") }],
    size: [t("settings.size"), { "": t("settings.normal"), large: t("settings.large"), largest: t("settings.largest") }],
    cards: [t("settings.cards"), { "": t("settings.on"), off: t("settings.off") }],
    recent: [t("pins.read"), { "": t("settings.on"), off: t("settings.off") }],
  };
  const choice = (name, value, words) =>
    make("label", {}, make("input", { type: "radio", name, value }), make("span", {}, words));
  const group = ([name, [title, options]]) => {
    const choices = Object.entries(options).map(([value, words]) => choice(name, value, words));
    return make("fieldset", {}, make("legend", {}, title), ...choices);
  };

  const dialog = make("dialog", { className: "settings", ariaLabel: t("settings.settings") });
  const done = make("button", { className: "done" }, t("settings.done"));
  dialog.append(make("form", { method: "dialog" }, ...Object.entries(SETTINGS).map(group), done));
  /** Remove the lists of recently read pages from the storage. */
  const forgetPages = () => {
    try {
      for (const key of Object.keys(localStorage)) if (key.startsWith("kismet-read-")) localStorage.removeItem(key);
    } catch {
      // Storage is blocked, so there are no lists.
    }
  };
  const show = () => {
    for (const input of dialog.querySelectorAll("input"))
      input.checked = input.value === (document.documentElement.dataset[input.name] ?? "");
  };
  dialog.onchange = ({ target: { name, value } }) => {
    kismet.choose(name, value || undefined);
    if (name === "recent" && value) forgetPages();
  };
  // A click on the backdrop has the dialog itself as its target.
  dialog.addEventListener("click", ({ target }) => target === dialog && dialog.close());
  addEventListener("storage", show);
  document.body.append(dialog);
  /** Open the dialog. Escape, Done and a click on the backdrop close it. */
  kismet.settings = () => {
    show();
    dialog.showModal();
  };
})();

// Settings dialog; changes apply immediately.
(() => {
  const kismet = globalThis.kismet;
  const SETTINGS = {
    theme: ["Theme", { "": "Automatic", light: "Light", dark: "Dark", contrast: "Contrast" }],
    face: ["Font", { "": "Book", easy: "Easy to read" }],
    size: ["Size", { "": "Normal", large: "Large", largest: "Largest" }],
    cards: ["Preview cards on hover", { "": "On", off: "Off" }],
    recent: ["Recently read", { "": "On", off: "Off" }],
  };
  const make = (name, attributes, ...inside) => {
    const element = Object.assign(document.createElement(name), attributes);
    element.append(...inside);
    return element;
  };
  const choice = (name, value, words) =>
    make("label", {}, make("input", { type: "radio", name, value }), make("span", {}, words));
  const group = ([name, [title, options]]) => {
    const choices = Object.entries(options).map(([value, words]) => choice(name, value, words));
    return make("fieldset", {}, make("legend", {}, title), ...choices);
  };

  const dialog = make("dialog", { className: "settings", ariaLabel: "Settings" });
  const done = make("button", { className: "done" }, "Done");
  dialog.append(make("form", { method: "dialog" }, ...Object.entries(SETTINGS).map(group), done));
  /** Remove the lists of pages read. */
  const forgetPages = () => {
    try {
      for (const key of Object.keys(localStorage)) if (key.startsWith("kismet-read-")) localStorage.removeItem(key);
    } catch {
      // Storage is blocked: there are no lists.
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

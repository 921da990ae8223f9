// Opens the search dialog on "/", Ctrl-K or a search link. The dialog's scripts are loaded when it opens, or earlier
// when the link is hovered or focused.
(() => {
  const kismet = (globalThis.kismet ??= {});
  const doors = document.querySelectorAll("[data-search]");
  let typed = null;

  const load = () => kismet.need("games.js", "search-words.js", "search-text.js", "search-rank.js", "search-box.js");
  const open = async (words = "") => {
    if (typed !== null) return;
    typed = words;
    try {
      await load();
      kismet.search(typed);
    } catch {
      location.assign(doors[0].href);
    } finally {
      typed = null;
    }
  };
  const takesKeys = ({ target }) => target.isContentEditable || /^(input|select|textarea)$/i.test(target.tagName);

  for (const door of doors) {
    door.setAttribute("role", "button");
    door.setAttribute("aria-haspopup", "dialog");
    door.setAttribute("aria-keyshortcuts", "/ Control+K");
    for (const event of ["pointerenter", "pointerdown", "focus"])
      door.addEventListener(event, () => load().catch(() => {}), { once: true, passive: true });
    door.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      open();
    });
    door.addEventListener("keydown", (event) => {
      if (event.key !== " ") return;
      event.preventDefault();
      open();
    });
  }
  // On a home page, typing in the field starts a search, and a click on a question enters the question.
  const field = document.querySelector("[data-ask] input");
  const pass = () => {
    const words = field.value;
    field.value = "";
    open(words);
  };
  field?.form.addEventListener("submit", (event) => (event.preventDefault(), pass()));
  field?.addEventListener("click", pass);
  field?.addEventListener("compositionend", pass);
  field?.addEventListener("input", ({ isComposing }) => isComposing || pass());
  for (const question of document.querySelectorAll("[data-asked]"))
    question.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      open(question.textContent);
    });
  if (doors.length)
    addEventListener("keydown", (event) => {
      const { key, ctrlKey, metaKey, altKey, defaultPrevented } = event;
      if (defaultPrevented || altKey || document.querySelector("dialog[open]")) return;
      if (ctrlKey || metaKey ? key.toLowerCase() === "k" : key === "/" && typed === null && (!takesKeys(event) || event.target === field)) open();
      // Collect the characters that are typed while the dialog loads.
      else if (typed !== null && key.length === 1 && !ctrlKey && !metaKey) typed += key;
      else return;
      event.preventDefault();
    });
})();

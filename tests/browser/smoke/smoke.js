// Eleven steps of a reader, in a frame with pages of the site. The result is the title: `smoke: 11 of 11`, or what failed.
const frame = document.querySelector("iframe");
const TIMEOUT = 20_000; // milliseconds until what a step waits for must be there
const problems = [];

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
const find = (selector) => frame.contentDocument.querySelector(selector);
const all = (selector) => [...frame.contentDocument.querySelectorAll(selector)];
const visible = (selector) => all(selector).filter((element) => element.getClientRects().length);

/** Wait until a function returns something true, and return it. */
async function until(look, what) {
  for (const start = Date.now(); Date.now() - start < TIMEOUT; await pause(50)) {
    const found = look();
    if (found) return found;
  }
  throw new Error(`waited for ${what}`);
}

/** Open a page and wait until its scripts have run. */
async function open(address) {
  const loaded = new Promise((done) => frame.addEventListener("load", done, { once: true }));
  // Through an empty page, because an address that differs in its fragment alone would not load.
  frame.src = "about:blank";
  await loaded;
  const again = new Promise((done) => frame.addEventListener("load", done, { once: true }));
  frame.src = address;
  await again;
  frame.contentWindow.addEventListener("error", ({ message }) => problems.push(message));
  await pause(50);
}

function type(input, value) {
  input.value = value;
  input.dispatchEvent(new frame.contentWindow.InputEvent("input", { bubbles: true }));
}

function equal(found, wanted) {
  if (found !== wanted) throw new Error(`${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`);
}

const steps = {
  async search() {
    await open("kismet/index.html");
    find("[data-search]").click();
    type(await until(() => find("dialog[open] input[role=combobox]"), "the search box"), "prone");
    await until(() => find('[role=option][href*="/condition/prone/"]'), "the entry");
  },
  async "old anchor"() {
    await open("kismet/combat-rules/index.html#cover");
    // Read anew each time: the location of a window that has gone on stays at its old address in WebKit.
    const address = () => frame.contentWindow.location.href;
    await until(() => address().endsWith("/combat-rules/cover/index.html#cover"), "the page of the section");
  },
  async card() {
    await open("kismet/condition/prone/index.html");
    const link = find('.text a[href*="/rule/"]');
    const { PointerEvent } = frame.contentWindow;
    link.dispatchEvent(new PointerEvent("pointerover", { bubbles: true, pointerType: "mouse" }));
    await until(() => find(".link-card .card-name"), "the card of a link");
  },
  async roll() {
    await open("kiss/kiss/dice-and-tests/index.html");
    const die = await until(() => find('.text button.dice[data-dice="d10"]'), "a die to roll");
    die.click();
    await until(() => visible(".rolls").some((panel) => /\d/.test(panel.textContent)), "the roll");
  },
  async calculator() {
    await open("kismet/core-rules/proficiency/index.html#calculator-proficiency");
    const calculator = find("#calculator-proficiency");
    const level = await until(() => calculator.querySelector("form:not([hidden]) input[name=level]"), "its form");
    type(level, "8");
    await until(() => calculator.querySelector("[data-is=result]").textContent === "4", "the result");
  },
  async "margin note"() {
    await open("kismet/core-rules/proficiency/index.html");
    const note = find(".noted > .calculators");
    const [text, beside] = [note.previousElementSibling, note].map((element) => element.getBoundingClientRect());
    if (beside.left < text.right || beside.top > text.bottom) throw new Error("the calculator is not beside its text");
    note.querySelector("details").open = true;
    const opened = note.getBoundingClientRect();
    if (opened.top < text.bottom) throw new Error("an open calculator is not below its text");
  },
  async pin() {
    await open("kismet/condition/prone/index.html");
    const button = await until(() => visible(".card-large .pin")[0], "the pin of the card");
    button.click();
    await until(() => button.classList.contains("on"), "the pinned card");
    await open("kismet/table/index.html");
    await until(() => find("article").textContent.includes("Prone"), "the card on My table");
  },
  async filter() {
    await open("kismet/condition/index.html");
    await until(() => !find("form.filter").hidden, "the filter");
    type(find("form.filter [name=find]"), "prone");
    const rows = () => visible(".listing tbody tr").map((row) => row.textContent.includes("Prone"));
    await until(() => rows().length < all(".listing tbody tr").length && rows().every(Boolean), "fewer rows");
  },
  async "list of calculators"() {
    await open("kismet/calculators/index.html");
    await until(() => !find("form.filter").hidden, "the filter");
    type(find("form.filter input"), "meet to beat");
    await until(() => visible(".calculator").length === 1, "one calculator");
  },
  async contents() {
    await open("kiss/kiss/combat/index.html");
    find("#_actions").scrollIntoView();
    const current = () => find('#_contents [aria-current="location"]');
    await until(() => current()?.getAttribute("href") === "#_actions", "the section in the contents");
  },
  async theme() {
    await open("kismet/index.html");
    find("[data-settings]").click();
    const dark = await until(() => find("dialog[open] input[name=theme][value=dark]"), "the settings");
    dark.click();
    const ground = () => frame.contentWindow.getComputedStyle(frame.contentDocument.body).backgroundColor;
    await until(() => ground() === "rgb(21, 19, 27)", "the dark ground");
    await open("legend/index.html");
    equal(ground(), "rgb(21, 19, 27)");
  },
};

(async () => {
  const failed = [];
  localStorage.clear();
  for (const [name, step] of Object.entries(steps)) {
    try {
      await step();
    } catch ({ message }) {
      failed.push(`${name}: ${message}`);
    }
    failed.push(...problems.splice(0).map((message) => `${name}: ${message}`));
  }
  const number = Object.keys(steps).length;
  document.title = failed.length ? `smoke: ${failed.join("; ")}` : `smoke: ${number} of ${number}`;
})();

// Runs the calculators of a page: reads their fields, computes results, writes values to the URL and redraws the odds
// chart.
(() => {
  const { t, make, evaluate, inputs: { entity, parse, resolve }, number, words, filled, withoutUsual, draw, caption, outcomes, games = {} } = globalThis.kismet;
  const FAILURES = {
    missing: t("calculator.missing"),
    zero: t("calculator.zero"),
    never: t("calculator.never"),
    large: t("calculator.large"),
  };
  // Milliseconds after the last change until the result is announced to screen readers and written to the URL.
  const SETTLE_DELAY = 500;
  const root = new URL("../", document.currentScript.src);

  // Values that the reader typed. All calculators of a game use them for inputs with the same label, type and unit.
  const isKept = ({ many, type }) => !many && type !== "boolean";
  // Whether an input is a list of numbers or choices, with a field for each.
  const isList = ({ many, type }) => many && type !== "entity";
  const meaning = ({ label, type, unit = "" }) => [label, type, unit].join("|");
  const typedValues = (game) => {
    try {
      return JSON.parse(localStorage.getItem(`kismet-values-${game}`)) ?? {};
    } catch {
      // Storage is blocked or contains invalid JSON, so no value is offered.
      return {};
    }
  };
  const keepValues = (game, inputs, value) => {
    const values = typedValues(game);
    for (const input of inputs) values[meaning(input)] = value?.(input);
    try {
      localStorage.setItem(`kismet-values-${game}`, JSON.stringify(values));
    } catch {
      // Storage is blocked, so the value only applies to this calculator.
    }
    for (const other of document.querySelectorAll("kismet-calculator")) if (other.form) other.recall();
  };

  // Fields of a list share a name that ends in brackets.
  const nameOf = ({ name }) => name.replace("[]", "");

  class Calculator extends HTMLElement {
    connectedCallback() {
      this.slug = this.getAttribute("name");
      this.game = this.getAttribute("game");
      this.data = games[this.game];
      // The element was started already, and then moved on a board.
      if (this.form) return;
      if (!Object.hasOwn(this.data?.calculators ?? {}, this.slug)) return;
      // Start a folded calculator only once it is opened, because a page may have a hundred calculators.
      const folded = this.closest("details");
      const isAsked = new URLSearchParams(location.search).get("calculator") === this.slug;
      if (!folded || folded.open || isAsked) this.start();
      else folded.addEventListener("toggle", () => this.start(), { once: true });
    }

    start() {
      const kept = this.querySelector(":scope > template");
      kept?.replaceWith(kept.content);
      this.form = this.querySelector("form");
      Object.assign(this, this.data.calculators[this.slug]); // inputs, steps, result, odds, readings
      // Values from the URL that do not fit their field, by input name.
      this.strange = new Map();
      this.inputs.filter((input) => input.type === "entity").forEach((input) => this.offer(input));
      this.form.hidden = false;
      this.querySelectorAll("[data-set]").forEach((button) => (button.disabled = false));
      this.querySelectorAll(".results").forEach((table) => (table.open = false));
      this.form.onsubmit = (event) => event.preventDefault();
      this.form.onreset = () => {
        this.strange.clear();
        for (const input of this.inputs) this.mark(input, false);
        if (this.filling) return;
        keepValues(this.game, this.inputs.filter(isKept));
        // The browser resets the fields after this handler.
        setTimeout(() => {
          for (const input of this.inputs.filter(isList)) this.setItems(input, input.default);
          this.change();
        });
      };
      this.form.oninput = (event) => {
        this.strange.delete(nameOf(event.target));
        this.change();
        this.keep(this.inputs.find(({ name }) => name === nameOf(event.target)));
      };
      this.onclick = (event) => this.press(event.target.closest("button"));
      this.onpointerdown = (event) => this.hold(event.target.closest("[data-by]"), 400);
      this.onpointerup = this.onpointercancel = this.onpointerout = () => clearTimeout(this.held);
      if (new URLSearchParams(location.search).get("calculator") !== this.slug) this.recall();
      this.arrive(new URLSearchParams(location.search));
    }

    // Store a value that the reader typed.
    keep(input) {
      const [field] = input && isKept(input) ? this.fields(input) : [];
      if (!field || field.hasAttribute("aria-invalid")) return;
      this.mark(input, true);
      keepValues(this.game, [input], () => field.value);
    }

    // Fill in values that the reader typed in any calculator. Do not replace values from an address or an example.
    recall() {
      const values = typedValues(this.game);
      let isChanged = false;
      for (const input of this.inputs.filter(isKept)) {
        const [field] = this.fields(input);
        const [before, isOwn, usual] = [field.value, "own" in field.closest(".field").dataset, this.usual(input)];
        if (!isOwn && before !== usual) continue;
        field.value = values[meaning(input)] ?? usual;
        try {
          this.read(input);
        } catch (problem) {
          if (typeof problem !== "string") throw problem;
          field.value = before;
        }
        this.mark(input, field.value !== usual);
        isChanged ||= field.value !== before;
      }
      if (isChanged) this.show();
    }

    // Mark a field whose value the reader typed.
    mark(input, isOwn) {
      const place = this.fields(input)[0]?.closest(".field");
      if (!place || "own" in place.dataset === isOwn) return;
      place.toggleAttribute("data-own", isOwn);
      if (isOwn) place.querySelector("label").append(make("small", { className: "own" }, ` ${t("calculator.yours")}`));
      else place.querySelector(".own")?.remove();
    }

    fields(input) {
      return [...this.form.elements].filter((field) => field.name && nameOf(field) === input.name);
    }

    // Add a field to a list, before its button, and return it.
    addItem(add, value) {
      add.before(add.nextElementSibling.content.cloneNode(true));
      const field = add.previousElementSibling.querySelector("[name]");
      field.value = value ?? field.value;
      return field;
    }

    setItems({ name }, values) {
      const add = this.form.querySelector(`[data-add="${name}"]`);
      add.parentElement.querySelectorAll(".item").forEach((item) => item.remove());
      for (const value of values) this.addItem(add, value);
    }

    // Create the options of an entity input from the game data. The HTML would have to repeat them for every field.
    offer(input) {
      const place = this.form.querySelector(`[data-pick="${input.name}"]`);
      const several = input.kinds.length > 1;
      const usual = [resolve(input, input.default, this.data.library)].flat();
      const groups = input.kinds.map((kind) => {
        const picks = this.data.library.entities[kind].map((record) => {
          const [name, value, is] = [record.name, this.key(input, record), usual.includes(record)];
          if (!input.many) return new Option(name, value, is, is);
          return make("label", {}, make("input", { type: "checkbox", name: input.name, value, defaultChecked: is }), name);
        });
        const title = this.data.kinds[kind];
        if (!input.many) return several ? [make("optgroup", { label: title }, ...picks)] : picks;
        return [make("div", { className: "group" }, ...(several ? [make("b", {}, title)] : []), ...picks)];
      });
      place.replaceChildren(...groups.flat());
    }

    // The value that stands for an entity in a field.
    key({ kinds }, { kind, slug }) {
      return kinds.length > 1 ? `${kind}/${slug}` : slug;
    }

    // The text of an input's default, in the same form as `typed`.
    usual(input) {
      if (input.type !== "entity") return `${input.default}`;
      const fields = this.fields(input).flatMap((field) => (input.many ? field : [...field.options]));
      return fields.filter((field) => (input.many ? field.defaultChecked : field.defaultSelected)).map(({ value }) => value).join();
    }

    // The text of an input's value, from its fields, or from the URL if the value does not fit the fields.
    typed(input) {
      const fields = this.fields(input);
      if (this.strange.has(input.name)) return this.strange.get(input.name);
      if (input.type === "boolean") return `${fields[0].checked}`;
      if (input.many && input.type === "entity") return fields.filter((box) => box.checked).map((box) => box.value).join();
      return isList(input) ? fields.map(({ value }) => value).filter(Boolean).join() : fields[0].value.trim();
    }

    // The value of an input. If the value is invalid, throws a message (a string) with the allowed values.
    read(input) {
      const typed = this.typed(input);
      try {
        return resolve(input, parse(input, typed), this.data.library);
      } catch (problem) {
        if (problem.input !== input) throw problem;
        const parts = { label: input.label, wanted: this.wanted(input, typed), typed: input.many ? problem.value : typed };
        throw typed ? t("calculator.wrong_value", parts) : t("calculator.wrong", parts);
      }
    }

    // The allowed values of an input, as worded for readers.
    wanted({ type, many, min, max, step, unit, options }, typed) {
      if (type === "boolean") return t("calculator.want_boolean");
      if (type === "entity") return typed ? t("calculator.want_other") : t("calculator.want_pick");
      const parts = { options: options?.join(", ") };
      if (type === "choice") return many ? t("calculator.want_choices", parts) : t("calculator.want_choice", parts);
      const bounds = t("value.range", { low: number(min), high: number(max) + (unit ? ` ${unit}` : "") });
      const range = step ? t("calculator.steps", { range: bounds, step: number(step) }) : bounds;
      if (type === "number") return many ? t("calculator.want_numbers", { range }) : t("calculator.want_number", { range });
      return many ? t("calculator.want_integers", { range }) : t("calculator.want_integer", { range });
    }

    // All values by the name of the input; null if any is invalid, with a message next to its field.
    work() {
      const { library } = this.data;
      const scope = {};
      let isSound = true;
      for (const input of this.inputs) {
        let problem = "";
        try {
          scope[input.name] = this.read(input);
        } catch (thrown) {
          if (typeof thrown !== "string") throw thrown;
          [problem, isSound] = [thrown, false];
        }
        this.complain(input, problem);
      }
      if (!isSound) return null;
      this.feed?.(scope);
      const run = (tree) => evaluate(tree, scope, library);
      const { steps, ast } = library.calculators[this.slug];
      let result;
      try {
        for (const [name, tree] of steps) scope[name] = run(tree);
        result = run(ast);
      } catch (error) {
        // The caller still shows the values computed before the failure.
        throw Object.assign(error, { scope });
      }
      const readings = this.readings.map((reading) => {
        try {
          return run(reading.ast);
        } catch {
          // A failure in one alternative reading of the rule does not affect the others.
          return null;
        }
      });
      const { dice, add, target } = this.odds ?? {};
      const rolled = dice && [outcomes(run(dice), add ? run(add) : 0), target ? run(target) : null];
      return { scope: { ...scope, result }, readings, rolled };
    }

    complain(input, problem) {
      const fields = this.fields(input);
      const field = fields.find(({ validity }) => !validity.valid) ?? fields[0] ?? this.form.querySelector(`[data-add="${input.name}"]`);
      const id = `${this.form.dataset.id}.${input.name}.wrong`;
      const place = document.getElementById(id) ?? make("p", { id, className: "wrong" });
      place.textContent = problem;
      if (problem) field.closest(".field").append(place);
      for (const [name, value] of [["aria-invalid", "true"], ["aria-describedby", id]]) {
        for (const other of fields) other.removeAttribute(name);
        if (problem) field.setAttribute(name, value);
      }
    }

    show() {
      let worked = null;
      let known = {};
      let said;
      try {
        worked = this.work();
        known = worked?.scope ?? known;
      } catch (error) {
        if (!error.code) throw error;
        known = error.scope ?? known;
        said = FAILURES[error.code] ?? t("calculator.failed");
      }
      const parts = new Map([...this.inputs, ...this.steps].map((part) => [part.name, part])).set("result", this.result);
      const value = (name) => [known[name], parts.get(name)?.type, parts.get(name)?.unit];
      for (const place of this.querySelectorAll("[data-is]"))
        place.replaceChildren(...(place.dataset.is in known ? this.linked(...value(place.dataset.is)) : ["—"]));
      for (const place of this.querySelectorAll("[data-reading]"))
        place.textContent = worked ? words(worked.readings[place.dataset.reading], this.result.type, this.result.unit) : "—";
      for (const place of this.querySelectorAll("[data-chart]")) {
        const name = place.dataset.chart;
        const [drawn, target] = (name ? [known[name]] : worked?.rolled) ?? [];
        place.hidden = !drawn?.length;
        if (place.hidden) continue;
        place.querySelector("svg").innerHTML = draw(drawn, target);
        place.lastElementChild.textContent = caption(drawn, target);
      }
      for (const picks of this.querySelectorAll(".picks")) {
        const names = [...picks.querySelectorAll(":checked")].map((box) => box.parentElement.textContent);
        picks.firstElementChild.textContent = names.join(", ") || t("value.none");
      }
      const wrong = [...this.querySelectorAll(".wrong")].map((place) => place.textContent).filter(Boolean);
      const isUsual = (name) => words(...value(name)) === this.result.usual?.[name];
      said ??= worked ? filled(withoutUsual(this.result.sentence, isUsual), value) : wrong.join(". ");
      this.classList.toggle("without-result", !worked);
      this.querySelector(".sentence").textContent = worked || !wrong.length ? said : "";
      return said;
    }

    // A formatted value. An entity becomes a link to its page.
    linked(value, type, unit) {
      const listed = type === "outcomes" || !Array.isArray(value) || !value.length ? [value] : value;
      return listed.flatMap((item, place) => {
        const said = words(item, type, unit);
        const shown = item?.id ? make("a", { href: new URL(`${item.id}/index.html`, root) }, said) : said;
        return place ? [", ", shown] : [shown];
      });
    }

    change() {
      const said = this.show();
      clearTimeout(this.waiting);
      this.waiting = setTimeout(() => {
        this.querySelector("output").textContent = said;
        // On a board, several calculators share one address.
        if (this.dataset.page) return;
        try {
          history.replaceState(history.state, "", this.address());
        } catch {
          // Some browsers refuse `replaceState` on file: pages. The link can still be copied.
        }
      }, SETTLE_DELAY);
    }

    address() {
      const query = new URLSearchParams({ calculator: this.slug });
      for (const input of this.inputs) {
        const value = this.typed(input);
        if (value !== this.usual(input)) query.set(input.name, value);
      }
      query.set("version", this.data.version);
      const url = new URL(this.dataset.page ?? location);
      url.search = query;
      url.hash = this.form.dataset.id;
      return url.href;
    }

    // Fill the fields from a query string (of the URL or of an example); all others get their defaults.
    fill(query) {
      this.filling = true;
      this.form.reset();
      this.filling = false;
      for (const input of this.inputs) {
        const text = query.get(input.name);
        if (isList(input)) this.setItems(input, input.default);
        if (text === null) continue;
        const fields = this.fields(input);
        let held = text;
        try {
          const value = resolve(input, parse(input, text), this.data.library);
          const keys = input.type === "entity" ? [value].flat().map((record) => this.key(input, record)) : [];
          if (isList(input)) this.setItems(input, value);
          if (!input.many) held = keys[0] ?? `${value}`;
          else if (keys.length) held = keys.join();
        } catch (problem) {
          if (problem.input !== input) throw problem;
          this.strange.set(input.name, text);
        }
        if (input.type === "boolean") fields[0].checked = held === "true";
        else if (input.many && input.type === "entity") fields.forEach((box) => (box.checked = held.split(",").includes(box.value)));
        else if (!isList(input)) fields[0].value = held;
      }
    }

    arrive(query) {
      if (query.get("calculator") !== this.slug || document.querySelector(`kismet-calculator[name="${this.slug}"]`) !== this) return;
      this.fill(query);
      this.show();
      const known = ["calculator", "version", ...this.inputs.map((input) => input.name)];
      const unknown = [...query.keys()].filter((name) => !known.includes(name));
      if (unknown.length) note(this, t("calculator.no_input", { names: unknown.join(", ") }));
      const version = query.get("version") ?? this.data.version;
      if (version !== this.data.version)
        note(this, t("calculator.other_version", { version, current: this.data.version }));
      const folded = this.closest("details");
      if (folded) folded.open = true;
      (folded ?? this).scrollIntoView();
    }

    hold(button, wait) {
      if (!button) return;
      this.held = setTimeout(() => {
        this.press(button);
        this.hold(button, 60);
      }, wait);
    }

    press(button) {
      const { by, set, copy, add, remove } = button?.dataset ?? {};
      if (by) {
        const field = button.parentElement.querySelector("input");
        const from = field.value || field.defaultValue;
        const { min, max, step } = this.inputs.find(({ name }) => name === nameOf(field));
        // The last step may end below the maximum.
        const last = step ? min + Math.floor((max - min) / step + 1e-6) * step : max;
        const next = Math.min(last, Math.max(min, Number(from) + by * (step ?? 1)));
        field.value = Math.round(next * 1e6) / 1e6;
        field.dispatchEvent(new Event("input", { bubbles: true }));
      } else if (set !== undefined) {
        this.fill(new URLSearchParams(set));
        this.change();
      } else if (add ?? remove) {
        const more = this.form.querySelector(`[data-add="${remove}"]`);
        if (remove) button.parentElement.remove();
        (more ?? this.addItem(button)).focus();
        this.strange.delete(add ?? remove);
        this.change();
      } else if (copy !== undefined) this.copy(button);
    }

    async copy(button) {
      const value = this.address();
      try {
        await navigator.clipboard.writeText(value);
        this.querySelector("output").textContent = button.textContent = t("copy.link_copied");
      } catch {
        // The clipboard is not available: show the link in a field, selected for copying.
        const field = make("input", { value, readOnly: true, ariaLabel: t("calculator.link") });
        button.replaceWith(field);
        field.select();
      }
    }
  }

  const note = (place, textContent) => place.prepend(make("p", { className: "note", textContent }));

  customElements.define("kismet-calculator", Calculator);
  // A sheet loads link previews once a reader reaches a link. Other pages have loaded them already.
  const preview = ({ target }) => target.closest?.("a[href]") && globalThis.kismet.need("cards.js").catch(() => {});
  for (const kind of ["pointerover", "focusin"]) document.addEventListener(kind, preview);
})();

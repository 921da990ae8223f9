// The situation page: choose a roll, tick the states of both sides, and see the odds with the source of each change.
(() => {
  // Maximum number of states in a list that is not folded by kind and has no filter.
  const MAX_UNFOLDED = 8;
  const { kismet } = globalThis;
  const { situation, t, make, fold } = kismet;
  const place = document.querySelector(".situation-sheet");
  const { game: gameId, situation: situationData } = place.dataset;
  const game = ((kismet.games ??= { __proto__: null })[gameId] ??= {});
  Object.assign(game, JSON.parse(situationData));
  const form = place.querySelector(".situation-form");
  const rolls = form.elements.roll;
  // Chosen states by side, in the order in which they were ticked. situation.js describes them.
  const chosen = { on: [], target: [] };
  const box = (side) => form.querySelector(`[data-side=${side}]`);
  const roll = () => rolls.value ?? rolls.item?.(0).value;
  const calculator = () => place.querySelector(`kismet-calculator[name="${game.rolls.find(({ id }) => id === roll()).calculator}"]`);
  const why = ([href, quote, place]) => make(href ? "a" : "span", { className: "why", ariaLabel: t("source.why_quote", { quote, place }), ...(href && { href }) }, t("source.why"));

  // --- states to tick

  const offer = (side) => {
    const [list, find] = [box(side).querySelector(".situation-offered"), box(side).querySelector(".situation-find")];
    const ids = situation.offered(game, roll(), side);
    box(side).hidden = !ids.length && !chosen[side].length;
    find.value = "";
    find.hidden = ids.length <= MAX_UNFOLDED;
    const kinds = Object.keys(game.groups).filter((kind) => ids.some((id) => game.states[id].kind === kind));
    list.replaceChildren(
      ...kinds.map((kind) => {
        const labels = ids.filter((id) => game.states[id].kind === kind).map((value) => {
          const checked = chosen[side].some(({ id }) => id === value);
          return make("label", {}, make("input", { type: "checkbox", value, checked }), game.states[value].name);
        });
        const folded = make("details", { open: ids.length <= MAX_UNFOLDED || kinds.length === 1 });
        folded.append(make("summary", {}, `${game.groups[kind]} `, make("span", { className: "number" }, `${labels.length}`)));
        folded.append(make("div", {}, ...labels));
        return folded;
      }),
      make("p", { className: "nothing-here", hidden: true }, t("search.no_results")),
    );
    // The other side is a target if its states change attacks against it.
    const { other } = box(side).dataset;
    if (other) {
      const legend = box(side).querySelector("legend");
      legend.dataset.title ??= legend.textContent;
      const attacked = ids.some((id) => game.states[id].effects.some((effect) => effect.whose === "attacker" && situation.concern(game, roll(), side, effect)?.input));
      legend.textContent = attacked ? legend.dataset.title : other;
    }
  };
  const filter = (side) => {
    const wanted = fold(box(side).querySelector(".situation-find").value.trim());
    let found = 0;
    for (const group of box(side).querySelectorAll("details")) {
      const labels = [...group.querySelectorAll("label")];
      for (const label of labels) label.hidden = !fold(label.textContent).includes(wanted);
      const left = labels.filter((label) => !label.hidden).length;
      group.hidden = !left;
      found += left;
      if (wanted) {
        group.dataset.before ??= group.open ? "open" : "";
        group.open = true;
      } else if ("before" in group.dataset) {
        group.open = group.dataset.before === "open";
        delete group.dataset.before;
      }
    }
    box(side).querySelector(".nothing-here").hidden = found > 0;
  };

  // --- ticked states, with the questions that their effects ask

  const tick = (side, id, isTicked) => {
    const index = chosen[side].findIndex((state) => state.id === id);
    if (isTicked && index < 0) chosen[side].push({ id, yes: [], given: {} });
    else if (!isTicked && index >= 0) chosen[side].splice(index, 1);
    const offered = box(side).querySelector(`.situation-offered [value="${id}"]`);
    if (offered) offered.checked = isTicked;
    // Ticking a state can answer questions of states on either side.
    situation.SIDES.forEach(list);
    box(side).hidden = !chosen[side].length && !box(side).querySelector(".situation-offered details");
    change();
  };
  const list = (side) => box(side).querySelector(".situation-chosen").replaceChildren(...chosen[side].map((state) => chip(side, state)));
  const chip = (side, state) => {
    const { name, effects } = game.states[state.id];
    const remove = make("button", { type: "button", className: "situation-chip", ariaLabel: t("situation.remove", { name }) }, name, make("span", { ariaHidden: "true" }, " ×"));
    remove.onclick = () => {
      const at = chosen[side].indexOf(state);
      tick(side, state.id, false);
      const rest = box(side).querySelectorAll(".situation-chip");
      (rest[Math.min(at, rest.length - 1)] ?? box(side).querySelector("input:not([hidden]), summary"))?.focus();
    };
    const concerned = effects.map((effect, at) => ({ effect, at, ...situation.concern(game, roll(), side, effect, chosen) })).filter(({ input }) => input);
    const item = make("li", {}, remove);
    if (!concerned.length) item.append(make("span", { className: "quiet" }, t("situation.unchanged")));
    for (const { effect, at, input, asks, isExcepted } of concerned) {
      if (asks.length) {
        const yes = make("input", { type: "checkbox", checked: isExcepted || state.yes.includes(at), disabled: isExcepted });
        yes.onchange = () => {
          state.yes = state.yes.filter((other) => other !== at).concat(yes.checked ? at : []);
          change();
        };
        item.append(make("label", { className: "situation-ask" }, yes, make("span", {}, make("span", {}, asks.join("; ")), make("small", {}, effect.says.join(" ")))));
      }
      if (effect.value === situation.GIVEN) item.append(given(state, at, input, effect));
    }
    return item;
  };
  const given = (state, at, input, effect) => {
    const said = (state.given[at] ?? []).join(", ");
    const options = input.type === "choice" ? input.options.map((value) => [value, value]) : input.kinds?.flatMap((kind) => (game.library?.entities[kind] ?? []).map(({ slug, name }) => [name, slug]));
    const field = options
      ? make("select", {}, new Option(t("situation.choose"), ""), ...options.map(([name, value]) => new Option(name, value, false, value === said)))
      : make("input", { type: "text", value: said, placeholder: input.many ? "2, 1" : "2" });
    const wrong = make("span", { className: "wrong", role: "alert" });
    const read = () => {
      wrong.textContent = "";
      field.removeAttribute("aria-invalid");
      state.given[at] = [];
      try {
        state.given[at] = valuesOf(input, field.value);
      } catch (problem) {
        if (typeof problem !== "string") throw problem;
        wrong.textContent = problem;
        field.setAttribute("aria-invalid", "true");
      }
    };
    if (isReady) read();
    field.oninput = () => {
      read();
      change();
    };
    return make("label", { className: "situation-given" }, make("span", {}, t("situation.value"), make("small", {}, effect.says.join(" "))), field, wrong);
  };
  /** The values that the reader entered for an effect. Throws a message if they are invalid. */
  const valuesOf = (input, typed) => {
    if (!typed.trim()) return [];
    const { parse, resolve } = kismet.inputs;
    const read = parse(input, typed);
    try {
      const meant = resolve(input, read, game.library);
      return [input.type === "entity" ? read : meant].flat();
    } catch (problem) {
      if (problem.input !== input) throw problem;
      throw t("calculator.wrong", { label: input.label, wanted: calculator().wanted(input, typed) });
    }
  };

  // --- the result, and the source of each change

  const found = () => situation.sorted(game, roll(), chosen);
  const line = ({ side, id, effect, isReplaced, asks, isException, values }, isAsked) => {
    const state = game.states[id];
    const item = make("li", {}, make("p", {}, make("a", { href: state.url }, state.name), " ", make("b", {}, effect.says[0]), " ", effect.says[1]));
    if (effect.why) item.append(why(effect.why));
    if (effect.limits) item.append(make("small", {}, effect.limits));
    if (isReplaced) item.append(make("small", {}, t("situation.replaced")));
    const depends = asks.join("; ") || (isAsked ? t("situation.value") : "");
    if (depends && (!values || isException)) item.append(make("small", {}, depends));
    for (const brought of effect.brings ?? [])
      if (situation.offered(game, roll(), side).includes(brought) && chosen[side].every((other) => other.id !== brought)) {
        const add = make("button", { type: "button", className: "situation-chip" }, t("situation.add", { name: game.states[brought].name }));
        add.onclick = () => tick(side, brought, true);
        item.append(add);
      }
    return item;
  };
  const lines = (title, effects, isAsked) =>
    effects.length ? [make("h2", {}, title), make("ul", { className: "situation-lines" }, ...effects.map((effect) => line(effect, isAsked)))] : [];
  const show = () => {
    const sheet = calculator();
    const { applied, asked, left } = found();
    sheet.show();
    const difference = applied.length ? differenceOf(sheet, attempt(sheet, true), attempt(sheet, false)) : "";
    for (const small of place.querySelectorAll(".situation-difference")) small.textContent = difference;
    const titles = situation.SIDES.filter((side) => chosen[side].length).map((side) => `${box(side).querySelector("legend").textContent}: ${chosen[side].map(({ id }) => game.states[id].name).join(", ")}`);
    const summary = make("p", { className: "situation-summary" }, [game.rolls.find(({ id }) => id === roll()).title, ...titles].join(" · "));
    report.replaceChildren(summary, ...lines(t("situation.counted"), applied), ...lines(t("situation.asked"), asked, true), ...lines(t("situation.left"), left));
  };
  /**
   * The result without states, and the difference that states make in points, as text. Empty if one result is not a
   * number.
   */
  const differenceOf = ({ result: { type, unit } }, result, plain) => {
    if (typeof result !== "number" || typeof plain !== "number") return "";
    const isChance = type === "chance";
    // Chances are shown as percentages with one decimal, other results with two.
    const points = isChance ? Math.round((result - plain) * 1000) / 10 : Math.round((result - plain) * 100) / 100;
    const without = t("situation.without", { chance: kismet.words(plain, type, unit) });
    if (!points) return without;
    return `${without} · ${t("situation.points", { points: `${points > 0 ? "+" : ""}${kismet.number(points)}` })}`;
  };
  /** The result of a calculator with or without the chosen states; null if there is no result. */
  const attempt = (sheet, isFed) => {
    const { feed } = sheet;
    if (!isFed) sheet.feed = null;
    try {
      return sheet.work()?.scope.result;
    } catch (error) {
      if (!error.code) throw error;
      return null;
    } finally {
      sheet.feed = feed;
    }
  };
  const report = make("div", { className: "situation-report" });

  // --- state in the address

  const encode = ({ id, yes, given }) => {
    const answers = [...new Set([...yes, ...Object.keys(given).filter((at) => given[at].length).map(Number)])].sort((a, b) => a - b);
    return [id, ...answers.map((at) => [yes.includes(at) ? at : `${at}!`, ...(given[at] ?? [])].join(":"))].join("_");
  };
  const decode = (text) => {
    const [id, ...answers] = text.split("_");
    const state = { id, yes: [], given: {} };
    for (const answer of answers) {
      const [mark, ...values] = answer.split(":");
      const at = parseInt(mark);
      if (!(at >= 0)) continue;
      if (!mark.endsWith("!")) state.yes.push(at);
      if (values.length) state.given[at] = values;
    }
    return state;
  };
  const address = (sheet) => {
    const query = new URLSearchParams({ roll: roll() });
    for (const side of situation.SIDES) if (chosen[side].length) query.set(side, chosen[side].map(encode).join());
    for (const [name, value] of new URL(sheet.query()).searchParams)
      if (name !== "calculator") query.set(name === "version" ? name : `value.${name}`, value);
    const url = new URL(location);
    url.search = `${query}`.replaceAll("%2F", "/").replaceAll("%2C", ",").replaceAll("%3A", ":").replaceAll("%21", "!");
    url.hash = "";
    return url.href;
  };
  const arrive = () => {
    const asked = new URLSearchParams(location.search);
    if (!asked.has("roll")) return;
    for (const radio of form.querySelectorAll("[name=roll]")) radio.checked = radio.value === asked.get("roll");
    if (!form.querySelector("[name=roll]:checked")) form.querySelector("[name=roll]").checked = true;
    for (const side of situation.SIDES) chosen[side] = (asked.get(side) ?? "").split(",").map(decode).filter(({ id }) => Object.hasOwn(game.states, id));
  };
  const fill = () => {
    const asked = new URLSearchParams(location.search);
    // An address with a version was copied from this page, so it has all values that differ from their defaults.
    const version = asked.get("version");
    if (version !== null) {
      calculator().fill(new URLSearchParams([...asked].filter(([name]) => name.startsWith("value.")).map(([name, value]) => [name.slice(6), value])));
      if (version !== game.version) place.prepend(make("p", { className: "note" }, t("calculator.other_version", { version, current: game.version })));
    }
  };

  const change = async () => {
    await ready();
    if (!isReady) return;
    show();
    calculator().change();
  };
  const turn = () => {
    for (const sheet of place.querySelectorAll("kismet-calculator")) sheet.hidden = sheet !== calculator();
    calculator().querySelector(".numbers .steps, .numbers .from").before(report);
    for (const side of situation.SIDES) {
      offer(side);
      list(side);
    }
    if (isReady) show();
  };

  // --- the calculators, loaded when the reader touches the page or its address names a roll

  let isReady = false;
  let loading;
  // If loading fails, the page shows the rolls without states, as without scripts.
  const ready = () =>
    (loading ??= kismet.need("formula.js", "inputs.js", `${gameId}/situation-data.js`, "chart.js", "calculator.js").then(start, () => {}));
  const start = () => {
    for (const sheet of place.querySelectorAll("kismet-calculator")) {
      sheet.query = sheet.address;
      sheet.address = () => address(sheet);
      sheet.feed = (scope) => sheet === calculator() && situation.feed(game, found().applied, scope);
      sheet.querySelector(".result > span").append(make("small", { className: "situation-difference" }));
      sheet.form.addEventListener("input", show);
      sheet.form.addEventListener("reset", () => setTimeout(show));
    }
    isReady = true;
    fill();
    // Show errors in values from the address. Leave other lists as they are, because the focus may be in them.
    for (const side of situation.SIDES) if (chosen[side].some(({ given }) => Object.keys(given).length)) list(side);
    show();
  };

  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("change", ({ target }) => {
    const side = target.closest("[data-side]")?.dataset.side;
    if (target.name === "roll") {
      turn();
      change();
    } else if (target.closest(".situation-offered")) tick(side, target.value, target.checked);
  });
  form.addEventListener("input", ({ target }) => target.matches(".situation-find") && filter(target.closest("[data-side]").dataset.side));
  for (const kind of ["pointerover", "focusin", "change"]) place.addEventListener(kind, ready, { once: true });
  arrive();
  turn();
  form.hidden = false;
  if (new URLSearchParams(location.search).has("roll")) ready();
})();

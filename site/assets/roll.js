// Rolls dice expressions and tables on request, shows every die, and stores the session's rolls.
(() => {
  const kismet = (globalThis.kismet ??= {});
  const { t } = kismet;

  // --- rolling: turns a tree, with a source of random integers from 0 to 2 ** 32 - 1, into a value and its display

  const LIMIT = 2 ** 32;
  const secure = () => crypto.getRandomValues(new Uint32Array(1))[0];

  /** A random face from 1 to `faces`. Uses rejection sampling, because a plain modulo would favour low faces. */
  const faceOf = (faces, random) => {
    const fair = LIMIT - (LIMIT % faces);
    let drawn = random();
    while (drawn >= fair) drawn = random();
    return (drawn % faces) + 1;
  };

  // `shown` is a list of strings and of dice `{faces, face}`, which may have `dropped`, `hit` or `lost`. `tight` is the
  // precedence: 0 list, 1 sum, 2 product, 3 single value.
  const between = (parts, words) => parts.flatMap((part, place) => (place ? [words, ...part] : part));
  const bracketed = ({ shown, tight }, least) => (tight < least ? ["(", ...shown, ")"] : shown);
  const marked = (shown, mark) => shown.map((piece) => (piece.faces ? { ...piece, ...mark } : piece));

  /** The dice of one roll, each with its value and display. */
  const dice = ({ count, faces, again }, random) => {
    const rolled = [];
    for (let left = count; left; ) {
      let face = faceOf(faces, random);
      const die = { value: face, shown: [{ faces, face }], tight: 3 };
      // With "!", each highest face adds a new die, which may explode, too. With "+", the same die is rolled again and
      // the results are added.
      if (again !== "!" || face !== faces) left--;
      while (again === "+" && face === faces) {
        face = faceOf(faces, random);
        die.value += face;
        die.shown.push(" + ", { faces, face });
        die.tight = 1;
      }
      rolled.push(die);
    }
    return rolled;
  };
  const sum = (rolled) => {
    if (rolled.length === 1) return rolled[0];
    const value = rolled.reduce((total, die) => total + die.value, 0);
    return { value, shown: between(rolled.map((die) => bracketed(die, 2)), " + "), tight: 1 };
  };
  const chosen = (which, rolls) => {
    const value = Math[which](...rolls.map((roll) => roll.value));
    const taken = rolls.findIndex((roll) => roll.value === value);
    const parts = rolls.map(({ shown }, place) => (place === taken ? shown : marked(shown, { lost: true })));
    return { value, shown: [`${which}(`, ...between(parts, ", "), ")"], tight: 3 };
  };

  const ROLLS = {
    number: ({ value }) => ({ value, shown: [String(value)], tight: 3 }),
    dice: (tree, random) => sum(dice(tree, random)),
    keep: (tree, random) => {
      const rolled = dice(tree.dice, random);
      const order = rolled.map((_, place) => place).sort((a, b) => rolled[a].value - rolled[b].value || b - a);
      const [keeps, highest] = [tree.which[0] === "k", tree.which[1] === "h"];
      const picked = new Set(highest ? order.slice(order.length - tree.number) : order.slice(0, tree.number));
      const kept = sum(rolled.filter((_, place) => picked.has(place) === keeps));
      const dropped = rolled.filter((_, place) => picked.has(place) !== keeps);
      if (!dropped.length) return kept;
      const away = between(dropped.map((die) => marked(bracketed(die, 2), { dropped: true })), ", ");
      return { ...kept, shown: [...kept.shown, " (", ...away, ` ${t("roll.dropped")})`], tight: Math.min(kept.tight, 1) };
    },
    pool: ({ dice: pool, compare, target }, random) => {
      const hits = (value) => (compare === ">=" ? value >= target : value <= target);
      const rolled = dice(pool, random);
      const parts = rolled.map((die) =>
        hits(die.value) ? [...marked(bracketed(die, 2), { hit: true }), " ✓"] : bracketed(die, 2),
      );
      return { value: rolled.filter((die) => hits(die.value)).length, shown: between(parts, ", "), tight: 0 };
    },
    primary: ({ faces, bonus, penalty, criticals }, random) => {
      const face = faceOf(faces, random);
      const roll = { value: face, shown: [{ faces, face }], tight: 3 };
      const add = (amount, sign, piece, name) => {
        roll.value += amount;
        roll.shown.push(sign < 0 ? " − " : " + ", piece, ` (${name})`);
        roll.tight = 1;
      };
      for (const [on, amount] of criticals) if (on === face) add(amount, amount, String(Math.abs(amount)), t("roll.critical"));
      if (bonus && penalty) roll.shown.push(` (${t("roll.cancel")})`);
      else if (bonus || penalty) {
        const extra = faceOf(faces, random);
        add(bonus ? extra : -extra, bonus ? 1 : -1, { faces, face: extra }, bonus ? t("roll.bonus") : t("roll.penalty"));
      }
      return roll;
    },
    sum: ({ terms }, random) => {
      const all = { value: 0, shown: [], tight: 1 };
      terms.forEach((term, place) => {
        const less = term.node === "product" && term.factor === -1;
        const roll = kismet.roll(less ? term.operand : term, random);
        all.value += less ? -roll.value : roll.value;
        all.shown.push(less ? (place ? " − " : "−") : place ? " + " : "", ...bracketed(roll, less ? 2 : 1));
      });
      return all;
    },
    product: ({ factor, operand }, random) => {
      const roll = kismet.roll(operand, random);
      const before = factor === -1 ? "−" : `${factor} × `.replace("-", "−");
      return { value: roll.value * factor + 0, shown: [before, ...bracketed(roll, 2)], tight: 2 };
    },
    quotient: ({ rounding, operand, divisor }, random) => {
      const roll = kismet.roll(operand, random);
      const shown = [`${rounding}(`, ...bracketed(roll, 2), ` / ${divisor})`];
      return { value: Math[rounding](roll.value / divisor) + 0, shown, tight: 3 };
    },
    choice: ({ which, operands }, random) => chosen(which, operands.map((operand) => kismet.roll(operand, random))),
    twice: ({ which, operand }, random) => chosen(which, [0, 1].map(() => kismet.roll(operand, random))),
  };

  /** Roll an expression. Returns the `value`, and in `shown` the strings and dice to display. */
  kismet.roll = (tree, random = secure) => ROLLS[tree.node](tree, random);

  /** A roll as text: "7 + 3 = 10". */
  kismet.rollText = ({ value, shown }) => {
    const words = shown.map((piece) => piece.face ?? piece).join("");
    const result = String(value).replace("-", "−");
    return words === result ? result : `${words} = ${result}`;
  };

  if (!globalThis.document) return;

  // --- dice expressions of this page

  const trees = Object.assign({}, ...Object.values(kismet.games ?? {}).map((game) => game.dice));
  const make = (name, attributes = {}, ...inside) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...inside);
    return element;
  };
  const button = (attributes, ...inside) => make("button", { type: "button", ...attributes }, ...inside);
  const words = (element) => {
    const copy = element.cloneNode(true);
    copy.querySelectorAll(".to-card, .permalink, .heard, .card-also, .pin").forEach((mark) => mark.remove());
    return copy.textContent.replace(/\s+/g, " ").trim();
  };
  const HEADING = "h1, h2, h3, h4, h5, h6";

  // --- tooltip with the odds, on hover or focus

  // Maximum number of bars in the chart of the odds.
  const MAX_BARS = 40;
  // Height, in pixels, of the sticky bar that may cover the top of a page.
  const BAR_HEIGHT = 64;
  const card = make("div", { id: "_odds", class: "odds-card", role: "tooltip", hidden: "" });
  let explained = null;
  let leaving = 0;

  const bars = ({ low, high, outcomes }) => {
    const breadth = Math.ceil((high - low + 1) / MAX_BARS);
    const chances = Array(Math.ceil((high - low + 1) / breadth)).fill(0);
    for (const [value, chance] of outcomes) chances[Math.floor((value - low) / breadth)] += chance;
    const most = Math.max(...chances);
    const width = 100 / chances.length;
    const drawn = chances.map((chance, place) => {
      const tall = (chance / most) * 40;
      return `<rect x="${place * width}" y="${40 - tall}" width="${width * 0.88}" height="${tall}"/>`;
    });
    return `<svg viewBox="0 0 100 40" preserveAspectRatio="none" aria-hidden="true">${drawn.join("")}</svg>`;
  };
  const trimTails = (outcomes) => {
    // Leave out extremely unlikely values, with which exploding dice would have a misleadingly wide range.
    const usual = outcomes.filter(([, chance]) => chance >= 1e-4);
    const [first, last] = usual.length ? [usual[0][0], usual.at(-1)[0]] : [outcomes[0][0], outcomes.at(-1)[0]];
    return { low: first, high: last, outcomes: outcomes.filter(([value]) => value >= first && value <= last) };
  };
  /** Load the script for exact odds. It is loaded on demand, because most readers do not look at odds. */
  const loadOdds = () => kismet.need("odds.js").catch(() => {});
  const oddsOf = (notation) => {
    try {
      return kismet.odds?.(trees[notation]) ?? null;
    } catch (fault) {
      if (!fault.code) throw fault;
      // The expression is too large for exact odds, but it can still be rolled.
      return null;
    }
  };
  /** Dice notation in the language of the page, such as `2W6` for `2d6` in German. */
  const fate = (all, count, less) => (+less === 2 * count ? `${count}dF` : all);
  const written = (notation) => notation.replace(/^\(?(\d+)d3-(\d+)\)?$/, fate).replace(/d(?=[\d%])/g, t("roll.die"));
  // Whether a notation has two rolls against each other. Its tree is the first roll minus the second.
  const isContest = (notation) => notation.includes(" vs ");
  const contest = ({ outcomes }) => {
    const share = (wins) => outcomes.reduce((total, [value, chance]) => total + (wins(value) ? chance : 0), 0);
    const percent = (wins) => kismet.percent(Number((100 * share(wins)).toPrecision(3)));
    return { win: percent((value) => value > 0), tie: percent((value) => value === 0), lose: percent((value) => value < 0) };
  };
  /** The odds as HTML; empty if the expression is too large for exact odds. */
  const drawn = (notation) => {
    const odds = oddsOf(notation);
    if (!odds) return "";
    const title = `<b>${written(notation).replaceAll("<", "&lt;")}</b>`;
    if (isContest(notation)) return `<p>${title} ${t("roll.contest", contest(odds))}</p>`;
    const shown = trimTails(odds.outcomes);
    const mean = Number(odds.mean.toFixed(2));
    const range = t("value.range", { low: shown.low, high: shown.high });
    const whole = shown.high < odds.high ? t("value.or_more", { value: range }) : range;
    return `<p>${title} ${t("roll.odds", { mean: kismet.decimal(mean), range: whole })}</p>
      ${bars(shown)}<p class="ends" aria-hidden="true"><span>${shown.low}</span><span>${shown.high}</span></p>`;
  };
  const showOdds = async (asked) => {
    clearTimeout(leaving);
    if (explained === asked) return;
    hideOdds();
    explained = asked;
    await loadOdds();
    if (explained !== asked) return;
    card.innerHTML = drawn(asked.dataset.dice);
    if (!card.innerHTML) return;
    card.hidden = false;
    const place = asked.getBoundingClientRect();
    const { offsetWidth: wide, offsetHeight: tall } = card;
    const left = Math.min(place.left, document.documentElement.clientWidth - wide - 8);
    // Prefer the space above the button, because the roll's result appears below it.
    const above = place.top > tall + 8 + BAR_HEIGHT;
    card.style.left = `${Math.max(left, 8) + scrollX}px`;
    card.style.top = `${(above ? place.top - tall : place.bottom) + scrollY}px`;
    asked.setAttribute("aria-describedby", card.id);
  };
  const hideOdds = () => {
    clearTimeout(leaving);
    explained?.removeAttribute("aria-describedby");
    explained = null;
    card.hidden = true;
  };

  // --- rolls of this session

  // Maximum number of rolls in the history.
  const MAX_HISTORY = 20;
  const KEY = "kismet-rolls";
  const loadHistory = () => {
    try {
      const found = JSON.parse(sessionStorage.getItem(KEY));
      return Array.isArray(found) ? found.filter(({ shown, rows }) => Array.isArray(shown) && Array.isArray(rows)) : [];
    } catch {
      // Storage is blocked or holds invalid data.
      return [];
    }
  };
  let history = loadHistory();
  const saveHistory = () => {
    try {
      sessionStorage.setItem(KEY, JSON.stringify(history));
    } catch {
      // Storage is blocked, so the history only covers this page.
    }
  };
  const line = (entry) => [`${entry.title}: ${kismet.rollText(entry)}`, ...entry.rows].join("; ");

  const status = make("p", { class: "heard", role: "status" });
  const log = make("div");
  const panel = make("aside", { class: "rolls", "aria-label": t("roll.rolls"), hidden: "" }, log);
  const tab = button({ class: "rolls-tab", hidden: "" });
  let asker = null;

  let announcing = 0;
  /** Announce a message to screen readers, even a repeated one. A pending announcement is cancelled. */
  const announce = (words) => {
    clearTimeout(announcing);
    status.textContent = "";
    announcing = setTimeout(() => (status.textContent = words), 50);
  };

  const shownDice = (shown) =>
    shown.map((piece) => {
      if (!piece.faces) return String(piece);
      const sort = ["dropped", "hit", "lost"].filter((name) => piece[name]).join(" ");
      return make(piece.dropped || piece.lost ? "s" : "span", { class: `die ${sort}`.trim() }, String(piece.face));
    });
  const entryLine = (entry) => {
    const said = kismet.rollText(entry);
    const result = String(entry.value).replace("-", "−");
    const how = said === result ? [] : [...shownDice(entry.shown), " = "];
    return make(
      "p",
      { class: "roll-said" },
      make("span", { class: "roll-title" }, `${entry.title}: `),
      ...how,
      make("b", {}, result),
      ...entry.rows.map((row) => `; ${row}`),
    );
  };
  /** The chance of this value or more as text, because touch users do not get the tooltip with the odds. */
  const luck = ({ notation, value, rows }) => {
    if (!rows.length && !kismet.odds) loadOdds().then(() => kismet.odds && draw());
    const odds = rows.length || isContest(notation) ? null : oddsOf(notation);
    if (!odds || odds.low === odds.high) return [];
    const chance = odds.outcomes.reduce((total, [result, share]) => total + (result >= value ? share : 0), 0);
    const percent = Number((100 * Math.min(chance, 1)).toPrecision(3));
    return [make("p", { class: "roll-luck" }, `${t("value.or_more", { value })}: ${kismet.percent(percent)}`.replace("-", "−"))];
  };
  const entryRow = (entry) => {
    const copy = button({ class: "copy", "aria-label": t("roll.copy", { roll: line(entry) }) }, t("table.copy"));
    copy.onclick = () => copied(copy, line(entry));
    return [entryLine(entry), copy];
  };
  const copied = async (from, text) => {
    await kismet.copy(text);
    from.textContent = t("copy.copied");
    announce(t("copy.copied"));
    setTimeout(() => (from.textContent = t("table.copy")), 1500);
  };
  const draw = () => {
    const [latest, ...earlier] = history;
    tab.textContent = t("roll.count", { number: history.length });
    tab.hidden = !panel.hidden || !latest;
    // In the bar of a phone, or at the end of the left column, the button does not cover text.
    const bottom = document.querySelector(".bottom");
    const beside = bottom?.checkVisibility() ? bottom : (document.querySelector(".side, .bar") ?? document.body);
    if (tab.parentElement !== beside) beside.append(tab);
    if (panel.hidden) return;
    const clear = button({}, t("input.clear"));
    clear.onclick = () => {
      history = [];
      saveHistory();
      close();
      announce(t("roll.cleared"));
    };
    const shut = button({}, t("page.close"));
    shut.onclick = close;
    const open = panel.querySelector("details")?.open ?? matchMedia("(min-width: 68.75em)").matches;
    const more = make("details", open ? { open: "" } : {}, make("summary", {}, t("roll.earlier", { number: earlier.length })));
    more.append(make("ol", {}, ...earlier.map((entry) => make("li", {}, ...entryRow(entry)))));
    log.replaceChildren(
      make("div", { class: "rolls-head" }, make("b", {}, t("roll.rolls")), ...(latest ? [clear] : []), shut),
      make("div", { class: "roll-latest" }, ...(latest ? entryRow(latest) : [])),
      ...(trees[latest?.notation] ? luck(latest) : []),
      ...(earlier.length ? [more] : []),
    );
  };
  const close = () => {
    const inside = panel.contains(document.activeElement);
    panel.hidden = true;
    draw();
    if (inside) (asker?.isConnected ? asker : tab).focus();
  };
  /**
   * Roll, and add the entry to the history. After adding to the entry's `rows` later, call `changed` to store and show
   * it.
   */
  const rolled = (notation, title, from, roll = kismet.roll(trees[notation])) => {
    const entry = { title, notation, rows: [], ...roll };
    delete entry.tight;
    hideOdds();
    history = [entry, ...history].slice(0, MAX_HISTORY);
    asker = from;
    return entry;
  };
  const changed = (entry) => {
    saveHistory();
    panel.hidden = false;
    draw();
    announce(line(entry));
  };

  // --- tables

  const titleOf = (table) => {
    if (table.caption) return words(table.caption);
    for (let place = table; place && !place.matches("main"); place = place.parentElement)
      for (let before = place; before; before = before.previousElementSibling) {
        const heading = before.matches(HEADING) ? before : [...before.querySelectorAll("h1")].at(-1);
        if (heading) return words(heading);
      }
    return "";
  };
  const headers = (table) => [...table.tHead.rows[0].cells].map(words);
  const nameOf = (row) => words(row.querySelector("[scope=row]") ?? row.cells[1] ?? row.cells[0]);

  const mark = (row) => {
    for (const other of row.closest("table").querySelectorAll("tr.hit")) {
      other.classList.remove("hit");
      other.removeAttribute("aria-current");
    }
    row.classList.add("hit");
    row.setAttribute("aria-current", "true");
  };
  /** The table in the section that a row links to. */
  const next = (row) => {
    for (const link of row.querySelectorAll('a[href^="#"]')) {
      const heading = document.getElementById(decodeURIComponent(link.hash.slice(1)));
      let place = heading?.matches(HEADING) ? heading.nextElementSibling : null;
      for (; place && !place.matches(HEADING); place = place.nextElementSibling) {
        // A block with calculators next to it is the first element of `.noted`.
        const block = place.matches(".noted") ? place.firstElementChild : place;
        const table = block?.matches(".table") ? block.querySelector("table") : null;
        if (table?.tHead && table.tBodies[0] && table !== row.closest("table")) return table;
      }
    }
    return null;
  };
  /** The other columns of a row, as a <dl>. */
  const details = (row) => {
    const titles = headers(row.closest("table"));
    const list = make("dl", { class: "roll-row" });
    [...row.cells].slice(1).forEach((cell, place) => {
      const copy = cell.cloneNode(true);
      copy.querySelectorAll("[id]").forEach((named) => named.removeAttribute("id"));
      const value = make("dd", {}, ...copy.childNodes);
      list.append(make("div", {}, make("dt", {}, titles[place + 1] ?? ""), value));
    });
    return list;
  };
  const offer = (table, entry, into) => {
    const rows = [...table.tBodies[0].rows];
    const label = make("label", {}, `${headers(table)[0]} `);
    const select = make("select", {}, make("option", { value: "" }, t("roll.choose")));
    rows.forEach((row, place) => select.append(make("option", { value: place }, words(row.cells[0]))));
    label.append(select);
    into.append(label);
    const first = entry.rows.length;
    select.onchange = () => {
      into.querySelector("dl")?.remove();
      const row = rows[select.value];
      entry.rows.length = first;
      if (row) {
        mark(row);
        entry.rows.push(`${words(row.cells[0])}: ${words(row.cells[1] ?? row.cells[0])}`);
        into.append(details(row));
      }
      changed(entry);
    };
  };
  // Maximum number of rerolls for a result without a row, as a table may be incomplete.
  const MAX_TRIES = 1000;
  const rollUntil = (notation, find) => {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const roll = kismet.roll(trees[notation]);
      const found = find(roll.value);
      if (found) return { roll, found };
    }
    return null;
  };
  /**
   * The cell of a row that a roll of this value chooses; null if the value belongs to another row. `parallel`: all
   * columns that have separate rolls, including `column`, which is rolled on.
   */
  const named = (row, value, parallel, column) => {
    const [lows, highs, columns] = ["low", "high", "columns"].map((key) => row.dataset[key]?.split(","));
    const place = lows.findIndex(
      (low, at) => (!parallel || columns[at] === column) && Number(low) <= value && value <= Number(highs[at]),
    );
    if (place < 0) return null;
    if (!columns) return { row, name: nameOf(row) };
    const cell = parallel
      ? [...row.cells].find((_, at) => !parallel.includes(String(at)))
      : row.cells[Number(columns[place]) + 1];
    return { row, name: words(cell ?? row.cells[0]) };
  };
  const firstOf = (list, find) => {
    for (const item of list) {
      const found = find(item);
      if (found) return found;
    }
    return null;
  };
  /** The header of a column, or its number if the header only has the dice or equals that of another column. */
  const columnName = (table, column) => {
    const titles = headers(table);
    const title = titles[column];
    const isName = ![table.dataset.roll, written(table.dataset.roll)].includes(title) && titles.indexOf(title) === titles.lastIndexOf(title);
    return isName ? title : t("roll.column", { number: Number(column) + 1 });
  };
  const rollOn = (table, from, result, parallel, column) => {
    const title = parallel ? `${titleOf(table)}, ${columnName(table, column)}`.replace(/^, /, "") : titleOf(table);
    const rows = table.querySelectorAll("tr[data-low]");
    const lead = rollUntil(from.dataset.dice, (value) => firstOf(rows, (row) => named(row, value, parallel, column)));
    if (!lead) return;
    const { row, name } = lead.found;
    const entry = rolled(from.dataset.dice, [title, written(from.dataset.dice)].filter(Boolean).join(", "), from, lead.roll);
    entry.rows.push(name);
    mark(row);
    const then = next(row);
    result.replaceChildren(make("p", {}, make("b", {}, String(entry.value)), ` ${name}`));
    if (then?.dataset.roll && trees[then.dataset.roll]) {
      const more = button({ class: "roll", "data-dice": then.dataset.roll }, t("roll.roll_on", { dice: written(then.dataset.roll), table: titleOf(then) }));
      more.onclick = () => then.closest(".table").querySelector(".roll").click();
      result.append(more);
    } else if (then) offer(then, entry, result);
    changed(entry);
    row.scrollIntoView({ block: "nearest" });
  };

  // Maximum number of rows that one dice code shows.
  const MAX_ROWS = 100;
  /**
   * Roll on a table of any page. `rows` has a list for each row: its text, then the lowest and highest result of each
   * range.
   */
  const rollElsewhere = ({ dice, times }, rows, name, from, result) => {
    const find = (value) => rows.find(([, ...ends]) => ends.some((low, at) => at % 2 === 0 && low <= value && value <= ends[at + 1]));
    const count = times && kismet.roll(trees[times]);
    const length = count ? Math.min(Math.max(count.value, 0), MAX_ROWS) : 1;
    const leads = Array.from({ length }, () => rollUntil(dice, find)).filter(Boolean);
    if (!count && !leads.length) return;
    const entry = rolled(times ?? dice, name, from, count ?? leads[0].roll);
    entry.rows.push(...leads.map(({ found }) => found[0]));
    result.textContent = ` ${entry.rows.join("; ") || "—"}`;
    changed(entry);
  };

  // --- the page

  /** Add buttons to all dice expressions and roll tables inside an element. */
  kismet.rollable = (element) => {
    for (const span of element.querySelectorAll("span.dice[data-dice]")) {
      if (!trees[span.dataset.dice] || span.closest("a, button, summary, label")) continue;
      const shown = make("span", {}, span.textContent);
      const attributes = { class: "dice", "data-dice": span.dataset.dice, "aria-label": t("roll.roll_it", { dice: span.textContent }) };
      const made = button(attributes, shown);
      made.onclick = () => changed(rolled(span.dataset.dice, written(span.dataset.dice), made));
      span.replaceWith(made);
    }
    for (const span of element.querySelectorAll(".table-roll[data-rows]")) {
      const { dice, times } = span.dataset;
      if (!trees[dice] || (times && !trees[times]) || span.closest("a, button, summary, label") || span.querySelector("button")) continue;
      const name = words(span);
      const made = button({ class: "dice", "data-dice": dice, "aria-label": t("roll.roll_it", { dice: name }) }, make("span", {}, t("roll.here")));
      const result = make("span", { class: "table-rolled" });
      const rows = JSON.parse(span.dataset.rows);
      made.onclick = () => rollElsewhere(span.dataset, rows, name, made, result);
      span.append(" ", made, result);
    }
    for (const table of element.querySelectorAll("table[data-roll]")) {
      const notation = table.dataset.roll;
      const frame = table.closest(".table");
      if (!trees[notation] || !frame || frame.querySelector(".roll-line")) continue;
      const parallel = table.dataset.parallel?.split(",");
      const result = make("div", { class: "roll-result" });
      const buttons = (parallel ?? [undefined]).map((column) => {
        const dice = written(notation);
        const name = column ? t("roll.roll_on", { dice, table: columnName(table, column) }) : t("roll.roll_it", { dice });
        const made = button({ class: "roll", "data-dice": notation }, name);
        made.onclick = () => rollOn(table, made, result, parallel, column);
        return made;
      });
      frame.prepend(make("div", { class: "roll-line" }, ...buttons, result));
    }
  };

  const dieAt = (event) => (event.target instanceof Element ? event.target.closest("button[data-dice]") : null);
  const leave = (event) => {
    if (event.relatedTarget === card || card.contains(event.relatedTarget)) return;
    leaving = setTimeout(hideOdds, 150);
  };
  document.addEventListener("pointerover", (event) => {
    const asked = dieAt(event);
    if (asked && event.pointerType !== "touch") showOdds(asked);
  });
  document.addEventListener("pointerout", (event) => dieAt(event) && leave(event));
  document.addEventListener("focusin", (event) => {
    const asked = dieAt(event);
    if (asked?.matches(":focus-visible")) showOdds(asked);
  });
  document.addEventListener("focusout", (event) => dieAt(event) && hideOdds());
  card.addEventListener("pointerenter", () => clearTimeout(leaving));
  card.addEventListener("pointerleave", leave);
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    if (!card.hidden) hideOdds();
    else if (!panel.hidden) close();
  });
  tab.onclick = () => {
    panel.hidden = false;
    draw();
    panel.querySelector("button").focus();
  };

  /** Interface for the free roller (dice.js), whose form is placed below the rolls. */
  kismet.rolls = {
    open: (from, roller) => {
      asker = from;
      panel.hidden = false;
      if (!roller.isConnected) panel.append(roller);
      draw();
    },
    odds: (notation, tree) => ((trees[notation] = tree), drawn(notation)),
    roll: (notation, tree, from) => {
      trees[notation] = tree;
      changed(rolled(notation, notation, from));
    },
  };

  document.body.append(status, card, panel);
  kismet.rollable(document);
  draw();
})();

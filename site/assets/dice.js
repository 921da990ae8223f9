// Dice roller for free input such as "2d6 + 3", typed or entered with buttons; shows the odds while the reader types.
(() => {
  const kismet = globalThis.kismet;
  const { t, make } = kismet;
  // Limits of an expression: dice per term, faces per die, constant.
  const LIMITS = { count: 200, faces: 10000, number: 1e6 };
  const DICE = [4, 6, 8, 10, 12, 20, 100];
  const TERM = /^([+-]?)(?:(\d*)d(\d+|%|f)(?:(kh|kl|dh|dl)(\d*)|(!))?(?:(>=|<=|>|<)(\d+))?(?:(adv|dis)(?=[+-]))?|(\d+))/;
  const ALL_TWICE = /(adv|dis)$/;
  const VERSUS = /\bvs\b\.?/i;
  // As calculators give dice: "adv(2d6)".
  const CALLED = /^\s*(adv|dis)\(([^()]*)\)\s*$/i;

  /** Parse a sum into terms, each with a sign and dice or a number; null if the text is not such a sum. */
  const read = (words) => {
    let rest = words.replace(CALLED, "$2 $1").toLowerCase().replace(/[−–]/g, "-").replace(/w(?=[\df%])/g, "d").replace(/\s+/g, "");
    const terms = [];
    while (rest) {
      const [all, sign, count, faces, which, number, again, compare, target, twice, plain] = TERM.exec(rest) ?? [];
      if (!all || (terms.length && !sign)) return null;
      rest = rest.slice(all.length);
      const term = { less: sign === "-" };
      if (plain) term.value = Number(plain);
      else Object.assign(term, { count: Number(count || 1), faces: faces === "%" ? 100 : faces === "f" ? 3 : Number(faces) });
      if (faces === "f") term.fate = true;
      if (which) Object.assign(term, { which, number: Number(number || 1) });
      if (again) term.again = again;
      if (compare) Object.assign(term, beyond(compare, Number(target)));
      if (twice) term.twice = twice;
      if (!fits(term)) return null;
      terms.push(term);
      // After the last term, this applies to the entire sum.
      if (ALL_TWICE.test(rest) && rest.length === 3) [terms.twice, rest] = [rest, ""];
    }
    return terms.length && terms.length <= 20 ? terms : null;
  };
  const beyond = (compare, target) =>
    compare === ">" ? { compare: ">=", target: target + 1 } : compare === "<" ? { compare: "<=", target: target - 1 } : { compare, target };
  const fits = ({ value, count, faces, number, again, which, compare, fate }) =>
    value !== undefined
      ? value <= LIMITS.number
      : count >= 1 && count <= LIMITS.count && faces >= (again ? 2 : 1) && faces <= LIMITS.faces && (number ?? 1) >= 1 && (number ?? 1) <= count && !(compare && which) && !(fate && (which || again || compare));
  // "d66" means two six-sided dice.
  const SIX = { node: "dice", count: 1, faces: 6, again: "" };
  const TENS_AND_ONES = { node: "sum", terms: [{ node: "product", factor: 10, operand: SIX }, SIX] };
  const EXTREMES = { adv: "max", dis: "min" };
  const doubled = (twice, operand) => (twice ? { node: "twice", which: EXTREMES[twice], operand } : operand);
  const leaf = ({ value, count, faces, which, number, again = "", compare, target, fate }) => {
    if (value !== undefined) return { node: "number", value };
    const dice = { node: "dice", count, faces, again };
    if (fate) return { node: "sum", terms: [dice, { node: "number", value: -2 * count }] };
    if (compare) return { node: "pool", dice, compare, target };
    if (faces === 66 && count === 1 && !which && !again) return TENS_AND_ONES;
    return which ? { node: "keep", dice, which, number } : dice;
  };
  const tree = (terms) => {
    const parts = terms.map((term) => {
      const roll = doubled(term.twice, leaf(term));
      return term.less ? { node: "product", factor: -1, operand: roll } : roll;
    });
    return doubled(terms.twice, parts.length > 1 ? { node: "sum", terms: parts } : parts[0]);
  };
  const said = (terms) =>
    terms
      .map(({ less, value, count, faces, which = "", number = "", again = "", compare = "", target = "", twice, fate }, place) => {
        const sign = less ? (place ? " − " : "−") : place ? " + " : "";
        const dice = `${count}${t("roll.die")}${fate ? "F" : faces}${which}${number}${again}${compare}${target}`;
        return sign + (value ?? dice + (twice ? ` ${twice}` : ""));
      })
      .join("") + (terms.twice ? ` ${terms.twice}` : "");
  /** The terms of one roll, or of two rolls with "vs" between them; null if one cannot be read. */
  const readBoth = (words) => {
    const rolls = words.split(VERSUS).map(read);
    return rolls.length <= 2 && rolls.every(Boolean) ? rolls : null;
  };
  const saidBoth = (rolls) => rolls.map(said).join(" vs ");
  const oneTree = (rolls) => {
    const [first, second] = rolls.map(tree);
    return second ? { node: "sum", terms: [first, { node: "product", factor: -1, operand: second }] } : first;
  };

  /** Add one die with this number of faces. `shift` below adds to the constant. */
  const more = (terms, faces) => {
    const same = terms.find((term) => term.faces === faces && !term.less && !term.which && !term.again && !term.compare && !term.twice && !term.fate);
    if (same) same.count = Math.min(same.count + 1, LIMITS.count);
    else terms.splice(terms.findLastIndex((term) => term.faces) + 1, 0, { less: false, count: 1, faces });
    return terms;
  };
  const shift = (terms, by) => {
    const plain = terms.find(({ value }) => value !== undefined);
    const value = (plain ? (plain.less ? -plain.value : plain.value) : 0) + by;
    const others = terms.filter((term) => term !== plain);
    return value || !others.length ? [...others, { less: value < 0, value: Math.abs(value) }] : others;
  };
  /** A term that counts dice by a target above their faces. The author of "3d6>=12" must mean the sum. */
  const overCount = (rolls) => rolls.flat().find(({ compare, target, faces }) => compare && target > faces);
  const sumOf = ({ count, faces, again = "" }, die) => `${count > 1 ? count : ""}${die}${faces}${again}`;
  Object.assign(kismet, {
    /** The tree of a roll; null if the words are not a roll. */
    readDice: (words) => {
      const rolls = readBoth(words);
      return rolls && oneTree(rolls);
    },
    /**
     * If a roll counts dice by a number that none can show: that number, the die, and the sum that may be meant.
     * Otherwise undefined.
     */
    impossibleCount: (words) => {
      const over = overCount(readBoth(words) ?? []);
      return over && { die: `d${over.faces}`, number: over.target, sum: sumOf(over, "d") };
    },
  });
  if (!globalThis.document) return;

  const field = make("input", { id: "_dice", autocomplete: "off", spellcheck: false, placeholder: `2${t("roll.die")}6 + 3`, enterKeyHint: "go" });
  field.setAttribute("autocapitalize", "off");
  const odds = make("div", { className: "roller-odds" });
  const wrong = make("p", { className: "wrong", id: "_dice-wrong" });
  field.setAttribute("aria-describedby", wrong.id);
  const roll = make("button", { className: "roll" }, t("roll.roll"));
  const sorts = make("div", { className: "roller-dice" });
  const put = (terms) => {
    field.value = said(terms);
    shown();
  };
  for (const faces of DICE)
    sorts.append(make("button", { type: "button", onclick: () => put(more(read(field.value) ?? [], faces)) }, t("roll.die") + faces));
  for (const [label, by, name] of [["+1", 1, t("input.increase")], ["−1", -1, t("input.decrease")]]) {
    const button = make("button", { type: "button", onclick: () => put(shift(read(field.value) ?? [], by)) }, label);
    button.setAttribute("aria-label", name);
    sorts.append(button);
  }
  sorts.append(make("button", { type: "button", onclick: () => put([]) }, t("input.clear")));
  const shown = () => {
    const rolls = readBoth(field.value);
    const over = rolls && overCount(rolls);
    wrong.textContent = over ? t("roll.over", { faces: over.faces, number: over.target, sum: sumOf(over, t("roll.die")) }) : "";
    field.removeAttribute("aria-invalid");
    odds.innerHTML = rolls && !over ? kismet.rolls.odds(saidBoth(rolls), oneTree(rolls)) : "";
  };
  field.oninput = shown;
  const label = make("label", { htmlFor: field.id }, t("roll.dice"));
  const form = make("form", { className: "roller" }, label, make("div", { className: "roller-line" }, field, roll), wrong, sorts, odds);
  form.onsubmit = (event) => {
    event.preventDefault();
    const rolls = readBoth(field.value);
    if (rolls && !overCount(rolls)) return kismet.rolls.roll(saidBoth(rolls), oneTree(rolls), roll);
    wrong.textContent ||= t("roll.wrong");
    field.setAttribute("aria-invalid", "true");
    field.focus();
  };
  /** Open the roller in the panel that lists the session's rolls. */
  kismet.roller = (from) => {
    kismet.rolls.open(from, form);
    if (matchMedia("(hover: hover)").matches) field.focus();
  };
})();

// Formats values and draws odds charts. Its output must equal that of value_text.py and odds_chart.py in
// kismet_build/render/components.
(() => {
  const { t, decimal, percent: percentOf, textLanguage } = globalThis.kismet;
  const ONE = { __proto__: null, feet: "foot", dice: "die" };
  const SINGULAR = [["ies", "y"], ["sses", "ss"], ["xes", "x"], ["ches", "ch"], ["shes", "sh"], ["ss", "ss"], ["s", ""]];
  // Chances up to this value count as zero, because sums of doubles have rounding errors.
  const EPSILON = 1e-9;
  // WIDTH to BASE and GAP are sizes in SVG units. MAX_BARS is the maximum number of bars. Values at either end are cut off
  // while their cumulative chance is below MIN_TAIL_CHANCE.
  const [WIDTH, HEIGHT, TOP, BASE, MAX_BARS, MIN_TAIL_CHANCE, GAP] = [3200, 1180, 180, 1000, 40, 0.0005, 14];

  const number = (value) => {
    const hundredths = Math.floor(Math.abs(value) * 100 + 0.5);
    const text = `${Math.floor(hundredths / 100)}.${`${hundredths % 100}`.padStart(2, "0")}`;
    return (value < 0 && hundredths ? "−" : "") + decimal(text.replace(/\.?0+$/, ""));
  };
  const percent = (chance) => {
    const thousandths = Math.floor(chance * 1000 + 0.5);
    if (thousandths <= 0 && chance > EPSILON) return `< ${percentOf("0.1")}`;
    if (thousandths >= 1000 && chance < 1 - EPSILON) return `> ${percentOf("99.9")}`;
    return percentOf(`${Math.floor(thousandths / 10)}.${thousandths % 10}`);
  };
  const oneOf = (unit) => {
    if (!textLanguage.startsWith("en")) return unit;
    const [ending, single] = SINGULAR.find(([end]) => unit.endsWith(end)) ?? ["", ""];
    return ONE[unit] ?? unit.slice(0, unit.length - ending.length) + single;
  };
  const unitOf = (value, unit) => (unit === "percent" ? percentOf("") : unit ? ` ${value === 1 ? oneOf(unit) : unit}` : "");
  const sum = (values) => values.reduce((a, b) => a + b, 0);
  const mean = (outcomes) => number(sum(outcomes.map(([value, chance]) => value * chance)));
  const range = (low, high) => (low === high ? number(low) : t("value.range", { low: number(low), high: number(high) }));
  const between = (outcomes) => {
    const values = outcomes.filter(([, chance]) => chance > EPSILON).map(([value]) => value);
    return range(Math.min(...values), Math.max(...values));
  };
  const described = (outcomes, unit) => t("value.mean", { range: between(outcomes) + unit, mean: mean(outcomes) });
  const signed = (value) => (value > 0 ? "+" : "") + number(value);
  const primary = ({ faces, bonus, penalty, criticals }) => {
    const added = criticals.map(([face, add]) => `${face}: ${signed(add)}`).join(", ");
    const extra = bonus === penalty ? "" : ` ${bonus ? "+" : "−"} 1d${faces}`;
    return `1d${faces}${extra}${added && ` (${added})`}`;
  };
  const words = (value, type, unit) => {
    if (value === null) return t("value.none");
    if (typeof value === "boolean") return value ? t("value.yes") : t("value.no");
    if (typeof value === "number") return type === "chance" ? percent(value) : number(value) + unitOf(value, unit);
    if (type === "outcomes" && value.length) return described(value, unitOf(0, unit));
    if (Array.isArray(value)) return value.map((part) => words(part)).join(", ") || t("value.none");
    if (value.node !== "dice") return value.name ?? value;
    return value.tree.node === "primary" ? primary(value.tree) : value.expression;
  };
  // Replace each {name} in a sentence by its formatted value. `describe` returns the value, type and unit of a name.
  const filled = (sentence, describe) =>
    sentence.replace(/(\+?)\{([a-z0-9_]+)\}/g, (whole, plus, name, at) => {
      const [value, type, unit] = describe(name);
      const isNamed = unit && sentence.slice(at + whole.length).toLowerCase().startsWith(` ${unit.toLowerCase()}`);
      return (value < 0 ? "" : plus) + words(value, type, isNamed ? "" : unit);
    });
  // A sentence without the parts in brackets that only mention usual values. `isUsual` takes a name.
  const withoutUsual = (sentence, isUsual) =>
    sentence.replace(/( ?\()([^(){}]*\{[^()]*)\)/g, (_, open, inside) => {
      const parts = inside.split("; ").filter((part) => {
        const names = [...part.matchAll(/\{([a-z0-9_]+)\}/g)];
        return !names.length || names.some(([, name]) => !isUsual(name));
      });
      return parts.length ? `${open}${parts.join("; ")})` : "";
    });

  const common = (values, chances) => {
    let total = 0;
    const first = values.findIndex((value) => (total += chances.get(value)) >= MIN_TAIL_CHANCE);
    return first < 0 ? [] : values.slice(first);
  };
  // The bars. Each has its lowest and highest value, the total chance, and whether the values reach the target.
  const bars = (outcomes, target) => {
    const chances = new Map();
    for (const [value, chance] of outcomes) chances.set(value, (chances.get(value) ?? 0) + chance);
    const made = (value) => target === null || value >= target;
    const upwards = common([...chances.keys()].sort((a, b) => a - b), chances);
    const values = common(upwards.reverse(), chances).reverse();
    if (values.some((value) => value % 1)) {
      const size = Math.ceil(values.length / MAX_BARS);
      const missed = values.filter((value) => !made(value)).length;
      const groups = [];
      for (let at = (missed % size) - size; at < values.length; at += size) groups.push(values.slice(Math.max(0, at), at + size));
      return groups.filter(({ length }) => length).map((group) => [group[0], group.at(-1), sum(group.map((value) => chances.get(value))), made(group[0])]);
    }
    const [low, high] = [values[0], values.at(-1)];
    const breadth = Math.ceil((high - low + 1) / MAX_BARS);
    const off = target === null ? 0 : (low - Math.ceil(target)) % breadth;
    const found = [];
    for (let start = low - off - (off < 0 ? breadth : 0); start <= high; start += breadth) {
      const inside = values.filter((value) => start <= value && value < start + breadth);
      const chance = sum(inside.map((value) => chances.get(value)));
      found.push([Math.max(low, start), Math.min(high, start + breadth - 1), chance, made(start)]);
    }
    return found;
  };
  const TEXT = 'fill="currentColor" stroke="none"';
  // The content of the <svg> element.
  const draw = (outcomes, target = null) => {
    const found = bars(outcomes, target);
    if (!found.length) return "";
    const left = (place) => Math.floor((place * WIDTH) / found.length);
    const most = Math.max(...found.map(([, , chance]) => chance));
    let svg = "";
    found.forEach(([low, high, chance, made], place) => {
      const tall = chance > EPSILON ? Math.max(8, Math.floor((chance / most) * (BASE - TOP) + 0.5)) : 0;
      const sort = made ? `class="${target === null ? "plain" : "made"}" fill="currentColor"` : 'class="missed"';
      const box = `x="${left(place)}" y="${BASE - tall}" width="${left(place + 1) - GAP - left(place)}" height="${tall}"`;
      const said = percent(chance).replace("<", "&lt;").replace(">", "&gt;");
      svg += `<rect ${sort} ${box}><title>${range(low, high)}: ${said}</title></rect>`;
    });
    const [low, high] = [found[0][0], found.at(-1)[1]];
    svg += `<path class="base" d="M0 ${BASE}H${WIDTH}"/><text ${TEXT} x="0" y="${HEIGHT - 40}">${number(low)}</text>`;
    if (high > low) svg += `<text ${TEXT} x="${WIDTH}" y="${HEIGHT - 40}" text-anchor="end">${number(high)}</text>`;
    if (target !== null) {
      const first = found.findIndex(([, , , made]) => made);
      const line = first < 0 ? WIDTH : left(first);
      const [side, at] = line > WIDTH / 2 ? ["end", line - 30] : ["start", line + 30];
      svg += `<path class="target" d="M${line} 0V${BASE}"/>`;
      svg += `<text class="target" ${TEXT} x="${at}" y="110" text-anchor="${side}">${t("value.or_more", { value: number(target) })}</text>`;
    }
    return svg;
  };
  const caption = (outcomes, target = null) => {
    if (target === null) return described(outcomes, "");
    const made = sum(outcomes.map(([value, chance]) => (value >= target ? chance : 0)));
    return t("value.reach", { chance: percent(Math.min(1, made)), target: number(target) });
  };
  // The outcomes of a formula's dice plus a constant, as pairs of value and chance.
  const outcomes = ({ low, at_least: reached }, add = 0) =>
    reached.map((chance, place) => [low + add + place, chance - (reached[place + 1] ?? 0)]);

  Object.assign((globalThis.kismet ??= {}), { number, words, filled, withoutUsual, draw, caption, outcomes });
})();

// As mechanics/formula.
(() => {
const { abs, ceil, floor, max, min, round, sqrt } = Math;
let depth, here, library, place, scope, steps;
const fail = (code) => {
  throw Object.assign(Error(code), { code, at: here });
};
const isNumber = (a) => typeof a === "number";
const isRecord = (a) => a && typeof a === "object" && !Array.isArray(a);
const isDice = (a) => a?.node === "dice";
const known = (a) => (isNumber(a) ? (abs(a) < 2 ** 53 ? a + 0 : fail("large")) : a);
const number = (a) => (isNumber(a) ? known(a) : fail("type"));
const boolean = (a) => (typeof a === "boolean" ? a : fail("type"));
const list = (a) => (Array.isArray(a) ? a : fail("type"));
const own = (a, name) => (isRecord(a) ? (Object.hasOwn(a, name) ? a[name] : null) : fail("type"));
const same = (a, b) => (a && typeof a === "object" ? typeof a.id === "string" && a.id === b?.id : a === b);
const holds = (a, b) => ([a?.min, b, a?.max ?? b].every(isNumber) ? a.min <= b && b <= (a.max ?? b) : same(a, b));
const divide = (a, b) => (b ? known(a / b) : fail("zero"));
const some = (found) => (found.length ? found : fail("empty"));
const many = (of) => (of.length > 1 ? of : of.flat()).map(number);
const sum = (found) => found.reduce((a, b) => known(a + b), 0);
const pairs = (a) => list(a).map((a) => (list(a).length === 2 ? a.map(number) : fail("type")));

const tries = (which) => (a, b) => {
  steps += 500;
  const total = ceil(number(a));
  const all = pairs(b);
  if (total > 1000 || all.length > 100) fail("large");
  if (all.some(([a]) => a < 0 || a % 1)) fail("type");
  const moving = all.filter(([a]) => a);
  const some = sum(moving.map(([a, b]) => b));
  const found = [[0, 0]];
  for (let at = 1; at <= total; at++) {
    if (!(some > 0)) fail("never");
    const left = (which) => sum(moving.map(([a, b]) => b * found[max(0, at - a)][which]));
    const mean = (1 + left(0)) / some;
    found.push([mean, (1 + 2 * (left(0) + (1 - some) * mean) + left(1)) / some]);
  }
  const [mean, square] = found.at(-1);
  return [mean, square > mean * mean ? sqrt(square - mean * mean) : 0][which];
};
const NUMBERS = {
  __proto__: null,
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": divide,
  "//": (a, b) => floor(divide(a, b)),
  "%": (a, b) => a - b * floor(divide(a, b)),
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
  negate: (a) => -a,
  abs,
  ceil,
  floor,
  round,
  successes: (count, least, b) => {
    steps += 500;
    if (count < 0 || count % 1 || b < 0 || b > 1) fail("type");
    if (count > 100) fail("large");
    let found = [1];
    while (count--) found = [...found, 0].map((a, at) => a * (1 - b) + (found[at - 1] ?? 0) * b);
    return sum(found.filter((a, at) => at >= least));
  },
};
const CALLS = {
  __proto__: null,
  "==": same,
  "!=": (a, b) => !same(a, b),
  in: (a, b) => list(b).some((b) => same(a, b)),
  not: (a) => !boolean(a),
  min: (...of) => min(...some(many(of))),
  max: (...of) => max(...some(many(of))),
  sum: (...of) => sum(many(of)),
  count: (a) => list(a).length,
  mean: (a) => (isDice(a) ? a.mean : sum(some(pairs(a)).map(([a, b]) => a * b))),
  chance: (a, b) => (isDice(a) ? a.at_least[max(0, ceil(number(b)) - a.low)] ?? 0 : fail("type")),
  tries: tries(0),
  tries_spread: tries(1),
};

const find = (group, name) => own(library[group] ?? {}, name) ?? fail("unknown");
const decide = (a) => boolean(run(a));
const compute = (node) => {
  const { node: sort, at, name, field, of } = node;
  if (sort === "name") return Object.hasOwn(scope, name) ? scope[name] : fail("unknown");
  if (sort === "dice") return node;
  if (!of) return node.value ?? null;
  if (sort === "if") return run(of[decide(of[0]) ? 1 : 2]);
  if (name === "and") return decide(of[0]) && decide(of[1]);
  if (name === "or") return decide(of[0]) || decide(of[1]);
  const values = of.map(run);
  const [a] = values;
  here = place ?? at;
  if (sort === "list") return values;
  if (name in NUMBERS) return NUMBERS[name](...values.map(number));
  if (sort === "call") return (CALLS[name] ?? fail("unknown"))(...values);
  if (sort === "field") {
    return isRecord(a) && !isDice(a) ? own(a, field) : list(a).flatMap((a) => own(a, field) ?? []);
  }
  if (sort === "where") {
    const fits = (b) => (name, at) =>
      [own(b, name)].flat().some((a) => [values[at + 1]].flat().some((b) => same(a, b)));
    return list(a).filter((b) => node.fields.every(fits(b)));
  }
  if (sort === "lookup") {
    const fits = (b) => holds(own(b, field), a) || (a !== null && own(b, "slug") === a);
    return find("entities", node.kind).find(fits) ?? fail("missing");
  }
  const { steps, ast } = find("calculators", node.calculator);
  const outer = [scope, place];
  [scope, place] = [Object.create(null), here];
  node.inputs.forEach((name, at) => (scope[name] = values[at]));
  for (const [name, a] of steps) scope[name] = run(a);
  const value = run(ast);
  [scope, place] = outer;
  return value;
};
const run = (node) => {
  here = place ?? node.at;
  if (++depth > 200) fail("deep");
  if (++steps > 1e4) fail("long");
  const value = compute(node);
  depth--;
  here = place ?? node.at;
  return known(value);
};
(globalThis.kismet ??= {}).evaluate = (tree, names, found = {}) => {
  [depth, library, place, scope, steps] = [0, found, null, names, 0];
  return run(tree);
};
})();

// Evaluates the tree of a formula, with exactly the same values and errors as kismet_build/mechanics/formula. Change
// both together. The published file has no comments and no indentation.
(() => {
  const { abs, ceil, floor, max, min, round, sqrt } = Math;
  const MAX_NUMBER = Number.MAX_SAFE_INTEGER;
  const MAX_NESTING = 200;
  const MAX_STEPS = 1e4;
  const LOOP_STEPS = 500;
  const MAX_RESULTS = 1000;
  const MAX_OUTCOMES = 100;

  // The state of one evaluation. `scope` has the values of names. `offset` is the offset of the current node, for
  // errors. `callOffset` is the offset of a call to another calculator, whose own offsets would not help the reader.
  let callOffset, depth, library, offset, scope, steps;

  const fail = (code) => {
    throw Object.assign(Error(code), { code, at: offset });
  };

  // --- checks of values: each returns the value, or fails

  const isNumber = (value) => typeof value === "number";
  const isRecord = (value) => value && typeof value === "object" && !Array.isArray(value);
  const isDice = (value) => value?.node === "dice";
  // Adding 0 turns -0 into 0. A comparison with NaN is false, so NaN fails.
  const checked = (value) => (isNumber(value) ? (abs(value) <= MAX_NUMBER ? value + 0 : fail("large")) : value);
  const number = (value) => (isNumber(value) ? checked(value) : fail("type"));
  const boolean = (value) => (typeof value === "boolean" ? value : fail("type"));
  const list = (value) => (Array.isArray(value) ? value : fail("type"));
  const filled = (values) => (values.length ? values : fail("empty"));
  const pairs = (value) => list(value).map((pair) => (list(pair).length === 2 ? pair.map(number) : fail("type")));

  // A field of a record, or null. An inherited property such as `constructor` is not a field.
  const fieldOf = (record, name) => {
    if (!isRecord(record)) fail("type");
    return Object.hasOwn(record, name) ? record[name] : null;
  };
  // Records are equal if they have the same id.
  const equal = (left, right) =>
    left && typeof left === "object" ? typeof left.id === "string" && left.id === right?.id : left === right;
  // Whether a value equals the value of a field, or is in its range { min, max }. A range without max is open-ended.
  const matches = (field, value) =>
    [field?.min, value, field?.max ?? value].every(isNumber)
      ? field.min <= value && value <= (field.max ?? value)
      : equal(field, value);

  // --- functions

  const divide = (dividend, divisor) => (divisor ? checked(dividend / divisor) : fail("zero"));
  // Numbers that are given as several arguments, or as one list.
  const numbers = (values) => (values.length > 1 ? values : values.flat()).map(number);
  const sum = (values) => values.reduce((total, value) => checked(total + value), 0);

  // The mean (0) or the standard deviation (1) of the number of tries until their values add up to a goal. For each
  // total, the mean is 1 plus the mean for what remains after one try. The mean of the square is computed in the same
  // way.
  const tries = (which) => (goal, outcomes) => {
    steps += LOOP_STEPS;
    const total = ceil(number(goal));
    const all = pairs(outcomes);
    if (total > MAX_RESULTS || all.length > MAX_OUTCOMES) fail("large");
    if (all.some(([value]) => value < 0 || value % 1)) fail("type");
    const adding = all.filter(([value]) => value);
    const progress = sum(adding.map(([value, chance]) => chance));
    const found = [[0, 0]];
    for (let reached = 1; reached <= total; reached++) {
      if (!(progress > 0)) fail("never");
      const after = (which) => sum(adding.map(([value, chance]) => chance * found[max(0, reached - value)][which]));
      const mean = (1 + after(0)) / progress;
      found.push([mean, (1 + 2 * (after(0) + (1 - progress) * mean) + after(1)) / progress]);
    }
    const [mean, square] = found.at(-1);
    return [mean, square > mean * mean ? sqrt(square - mean * mean) : 0][which];
  };

  // Operators and functions of numbers, whose arguments have been checked.
  const OF_NUMBERS = {
    __proto__: null,
    "+": (left, right) => left + right,
    "-": (left, right) => left - right,
    "*": (left, right) => left * right,
    "/": divide,
    "//": (left, right) => floor(divide(left, right)),
    "%": (left, right) => left - right * floor(divide(left, right)),
    "<": (left, right) => left < right,
    "<=": (left, right) => left <= right,
    ">": (left, right) => left > right,
    ">=": (left, right) => left >= right,
    negate: (value) => -value,
    abs,
    ceil,
    floor,
    round,
    successes: (count, least, chance) => {
      steps += LOOP_STEPS;
      if (count < 0 || count % 1 || chance < 0 || chance > 1) fail("type");
      if (count > MAX_OUTCOMES) fail("large");
      // The chances of exactly 0, 1, 2 … successes, try by try.
      let exactly = [1];
      while (count--) {
        exactly = [...exactly, 0].map((same, at) => same * (1 - chance) + (exactly[at - 1] ?? 0) * chance);
      }
      return sum(exactly.filter((_, at) => at >= least));
    },
  };
  const OF_VALUES = {
    __proto__: null,
    "==": equal,
    "!=": (left, right) => !equal(left, right),
    in: (value, values) => list(values).some((item) => equal(value, item)),
    not: (value) => !boolean(value),
    min: (...values) => min(...filled(numbers(values))),
    max: (...values) => max(...filled(numbers(values))),
    sum: (...values) => sum(numbers(values)),
    count: (values) => list(values).length,
    mean: (value) =>
      isDice(value) ? value.mean : sum(filled(pairs(value)).map(([value, chance]) => value * chance)),
    // `at_least` has the chances of `low` or more, of `low + 1` or more, and so on.
    chance: (dice, target) =>
      isDice(dice) ? dice.at_least[max(0, ceil(number(target)) - dice.low)] ?? 0 : fail("type"),
    tries: tries(0),
    tries_spread: tries(1),
  };

  // --- nodes

  const find = (group, name) => fieldOf(library[group] ?? {}, name) ?? fail("unknown");
  const decide = (node) => boolean(run(node));
  const compute = (node) => {
    const { node: type, at, name, field, of } = node;
    if (type === "name") return Object.hasOwn(scope, name) ? scope[name] : fail("unknown");
    if (type === "dice") return node;
    if (!of) return node.value ?? null;
    if (type === "if") return run(of[decide(of[0]) ? 1 : 2]);
    if (name === "and") return decide(of[0]) && decide(of[1]);
    if (name === "or") return decide(of[0]) || decide(of[1]);
    const values = of.map(run);
    const [first] = values;
    offset = callOffset ?? at;
    if (type === "list") return values;
    if (name in OF_NUMBERS) return OF_NUMBERS[name](...values.map(number));
    if (type === "call") return (OF_VALUES[name] ?? fail("unknown"))(...values);
    if (type === "field") {
      if (isRecord(first) && !isDice(first)) return fieldOf(first, field);
      return list(first).flatMap((record) => fieldOf(record, field) ?? []);
    }
    if (type === "where") {
      // A field with a list matches if any of its items does, and any of several wanted values suffices.
      const fits = (record) => (name, at) =>
        [fieldOf(record, name)].flat().some((item) => [values[at + 1]].flat().some((wanted) => equal(item, wanted)));
      return list(first).filter((record) => node.fields.every(fits(record)));
    }
    if (type === "lookup") {
      const fits = (record) =>
        matches(fieldOf(record, field), first) || (first !== null && fieldOf(record, "slug") === first);
      return find("entities", node.kind).find(fits) ?? fail("missing");
    }
    // A call to another calculator, which gets its own scope.
    const { steps, ast } = find("calculators", node.calculator);
    const outer = [scope, callOffset];
    [scope, callOffset] = [Object.create(null), offset];
    node.inputs.forEach((name, at) => (scope[name] = values[at]));
    for (const [name, tree] of steps) scope[name] = run(tree);
    const value = run(ast);
    [scope, callOffset] = outer;
    return value;
  };
  const run = (node) => {
    offset = callOffset ?? node.at;
    if (++depth > MAX_NESTING) fail("deep");
    if (++steps > MAX_STEPS) fail("long");
    const value = compute(node);
    depth--;
    offset = callOffset ?? node.at;
    return checked(value);
  };

  // `names` has the values of inputs and earlier steps; `found` has the entities and calculators of the game.
  (globalThis.kismet ??= {}).evaluate = (tree, names, found = {}) => {
    [callOffset, depth, library, scope, steps] = [null, 0, found, names, 0];
    return run(tree);
  };
})();

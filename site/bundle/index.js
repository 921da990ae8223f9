// The rules of one game: search, the pack, the names, and the calculators.
import pack from "./pack.json" with { type: "json" };
import names from "./names.json" with { type: "json" };
import library from "./library.json" with { type: "json" };
import searchData from "./search.json" with { type: "json" };
import migrations from "./migrations.json" with { type: "json" };
import { FORMAT } from "./format.js";
import "./formula.js";
import "./inputs.js";
import "./search-text.js";
import "./search-rank.js";
import "./odds.js";
import "./dice.js";
import "./situation.js";

for (const [name, data, format] of [["pack.json", pack, FORMAT], ["search.json", searchData, 1]]) {
  if (data.format !== format) throw new Error(`${name} has the format ${data.format}; this package reads format ${format}`);
}

export { names, pack };

const items = new Map();
for (const list of [...Object.values(pack.entities), pack.sections, pack.tables, pack.calculators]) {
  for (const item of list) items.set(item.id, item);
}

const moved = new Map(migrations.map(({ from, to }) => [from, to]));

/** The item with an id, or with an id that it had in an earlier version; undefined if there is none. */
const withId = (id) => {
  const seen = new Set();
  while (!items.has(id) && moved.has(id) && !seen.has(id)) {
    seen.add(id);
    id = moved.get(id);
  }
  return items.get(id);
};

/** A name, folded as in names.json. */
export const { fold } = globalThis.kismet.inputs;

/** Everything that a name refers to: entities, sections and tables, the definition first. */
export const find = (name) =>
  (Object.hasOwn(names.names, fold(name)) ? names.names[fold(name)] : []).map((id) => items.get(id)).filter(Boolean);

const refusal = (message, code, input) => Object.assign(new RangeError(message), { code, input });

/** The items that an id or a name may mean, the most likely first. */
const meanings = (name) => {
  const id = name.trim().toLowerCase();
  const found = withId(id) ?? withId(`${pack.game.id}/${id}`);
  const calculator = withId(`${pack.game.id}/calculator/${id.replace(`${pack.game.id}/`, "")}`);
  return [...(found ? [found] : find(name)), ...(calculator ? [calculator] : [])];
};
const slugOf = ({ id }) => id.split("/").at(-1);
const sortOf = (item) => (item.kind === undefined ? item.id.split("/")[1] : "entity");
/** The first of the items that a name may mean. Throws a RangeError if there are several of the same sort. */
const only = (name, found) => {
  const alike = found.filter((item) => sortOf(item) === sortOf(found[0]));
  if (alike.length < 2) return alike[0];
  throw refusal(`"${name}" has several meanings: choose from ${alike.map(({ id }) => id).join(", ")}`, "ambiguous-name");
};

/**
 * The entity, section, table or calculator that an id or a name means, or undefined. An id from an earlier version
 * works, too. If several things have a name, entities take precedence over sections, and sections over tables. `kind`:
 * find only entities of this kind.
 */
export const get = (name, kind) => only(name, meanings(name).filter((item) => kind === undefined || item.kind === kind));

/** Number of characters in common blocks of two words, as Python's difflib counts them. */
const inCommon = (a, b) => {
  let size = 0, at, from;
  a.forEach((_, i) =>
    b.forEach((_, j) => {
      let length = 0;
      while (i + length < a.length && a[i + length] === b[j + length]) length++;
      if (length > size) [size, at, from] = [length, i, j];
    }));
  return size && size + inCommon(a.slice(0, at), b.slice(0, from)) + inCommon(a.slice(at + size), b.slice(from + size));
};
/**
 * A hint that names the most similar word, or else some of the known ones, like `choose_from` in model/suggestion.py.
 */
const chooseFrom = (word, known, also = []) => {
  const lower = word.toLowerCase(), letters = [...lower], sorted = [...lower].sort().join("");
  const similar = new Map([...also, ...known].filter((name) => name !== word).map((name) => [name.toLowerCase(), name]));
  const close = [...similar.keys()]
    .map((name) => [(2 * inCommon([...name], letters)) / ([...name].length + letters.length || 1), name])
    .filter(([score]) => score >= 0.6)
    .sort(([a, name], [b, other]) => b - a || (name < other ? 1 : -1))
    .slice(0, 3);
  const [, best] = close.find(([, name]) => [...name].sort().join("") === sorted) ?? close[0] ?? [];
  if (best !== undefined) return `did you mean "${similar.get(best)}"?`;
  const more = known.length > 12 ? ` and ${known.length - 12} more` : "";
  return known.length ? `choose from ${known.slice(0, 12).join(", ")}${more}` : "there are none";
};
const unknown = (what, word, known, also, input) =>
  refusal(`unknown ${what} "${word}": ${chooseFrom(word, known, also)}`, `unknown-${what}`, input);
const labelOf = (item) => item.name || item.caption || (item.content && item.title) || slugOf(item);
/** The only known item that a name means. `noun`: what to call such an item in a message. */
const pick = (noun, name, known) => {
  const ids = known.map(({ id }) => id);
  const found = only(name, meanings(name).filter(({ id }) => ids.includes(id)));
  if (found) return found;
  throw unknown(noun, name, [...new Set(known.map(labelOf))], ids);
};

/** The complete text of an entity or a section as text or html; empty for a table or a calculator. */
export const textOf = (item, form = "text") => {
  if (!item.content) return item.kind === undefined ? "" : item[form];
  const parts = item.content.map((part) =>
    part.entity === undefined
      ? part[form]
      : items.get(part.entity)[form].split("\n").slice(...(part.lines?.[form] ?? [0])).join("\n"),
  );
  return parts.filter(Boolean).join("\n");
};

// Maximum number of characters of a passage, and of a passage that answers a question, to which units are added.
const MAX_PASSAGE = 140, MAX_ANSWER = 320;
const TYPES = { k: "kind", b: "board", t: "tag", c: "chapter", s: "section", x: "calculator", y: "sheet", u: "unwritten" };
let index, ids;
const ranked = (question) => {
  index ??= globalThis.kismet.openIndex(searchData, searchData.synonyms);
  return globalThis.kismet.rankEntries([index], question).found;
};
const place = (result, most) => {
  ids ??= new Map(
    [["section", pack.sections], ["calculator", pack.calculators], ...Object.entries(pack.entities)].flatMap(([kind, list]) =>
      list.map(({ id, url, name }) => [`${kind} ${url} ${name ?? ""}`, id])),
  );
  const { entries, kinds, game } = index;
  const [type, name, address, above] = entries[result.entry];
  const kind = typeof type === "number" ? kinds[type][4] : TYPES[type];
  const headings = [];
  for (let parent = above; parent >= 0; parent = entries[parent][3]) headings.unshift(entries[parent][1]);
  const passage = globalThis.kismet
    .passageOf(result, most)
    .reduce((line, unit, number, all) => line + (number ? globalThis.kismet.betweenUnits(all[number - 1]) : "") + unit, "");
  const url = `${game}/${address}`;
  const listed = { chapter: "section", sheet: "calculator" }[kind] ?? kind;
  const id = ids.get(`${listed} ${url} ${typeof type === "number" ? name : ""}`) ?? null;
  return { id, name, kind, passage, ruling: globalThis.kismet.isRuling(result), place: headings, url, score: result.score };
};

/** The places that fit words or a question, the best first; at most `limit`. */
export const search = (question, limit = 10) => ranked(question).slice(0, limit).map((result) => place(result, MAX_PASSAGE));

/** The answer to a question, if the rules have one, and the places nearest to it. */
export const ask = (question) => {
  const found = ranked(question);
  const best = globalThis.kismet.answersAmong(found), answer = best[0];
  const calculator = best.findLast(({ entry }) => index.entries[entry][0] === "x");
  const nearest = found.filter((result) => !best.includes(result)).slice(0, 3);
  return {
    found: answer ? place(answer, MAX_ANSWER) : null,
    calculator: calculator ? place(calculator, MAX_ANSWER) : null,
    nearest: nearest.map((result) => place(result, MAX_PASSAGE)),
  };
};

const literal = (value) =>
  Array.isArray(value) ? `[${value.map(literal).join(", ")}]` : typeof value === "string" ? `"${value}"` : String(value ?? "nothing");

const wanted = ({ label, type, many, min, max, step, unit, options }) => {
  if (type === "boolean") return `${label} takes true or false`;
  if (type === "choice") return `${label} takes ${many ? "any" : "one"} of ${options.join(", ")}`;
  const noun = type === "integer" ? "whole number" : "number";
  const steps = (step ?? 1) === 1 ? "" : `, in steps of ${step}`;
  return `${label} takes ${many ? `any ${noun}s` : `a ${noun}`} from ${min} to ${max}${unit && ` ${unit}`}${steps}`;
};

const reason = ({ code, input, value }) => {
  const refused = `${input.name} cannot be ${literal(value)}: `;
  if (code !== "unknown-entity") return refused + wanted(input);
  const known = input.kinds.flatMap((kind) => pack.entities[kind] ?? []);
  const hint = chooseFrom(typeof value === "string" ? value : "", known.map(slugOf), known.map(({ name }) => name));
  return `${refused}no ${input.kinds.map((kind) => pack.kinds[kind].title).join(" or ")} has this name; ${hint}`;
};

/** A value as in JSON. An entity becomes its id; dice become their notation. */
const plain = (value) => {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(plain);
  if (value.node === "dice") return value.expression;
  return typeof value.id === "string" ? value.id : Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
};

/** Run a function, and explain why an input of the calculator does not accept a value. */
const explained = (calculator, run) => {
  try {
    return run();
  } catch (problem) {
    throw calculator.inputs.includes(problem.input) ? refusal(reason(problem), problem.code, problem.input.name) : problem;
  }
};

const refuseUnknown = (calculator, values) => {
  const known = calculator.inputs.map(({ name }) => name);
  const name = Object.keys(values).find((name) => !known.includes(name));
  if (name !== undefined) throw unknown("input", name, known, [], name);
};

/**
 * The result of a calculator, given its id or the last part of the id. An entity in the result is its id; dice are
 * their notation. Inputs that are left out have their defaults.
 *
 * Throws a RangeError with a `code` if there is no such calculator or input, or if an input does not accept a value;
 * the error then has the name of the `input`. Throws an Error with a `code` if the rules have no result for the values.
 */
export const calculate = (id, values = {}) => {
  const calculator = pick("calculator", id, pack.calculators);
  refuseUnknown(calculator, values);
  return explained(calculator, () => {
    const scope = {};
    for (const input of calculator.inputs) {
      const given = Object.hasOwn(values, input.name) ? values[input.name] : undefined;
      scope[input.name] = globalThis.kismet.inputs.resolve(input, given === undefined ? input.default : given, library);
    }
    const run = (tree) => globalThis.kismet.evaluate(tree, scope, library);
    for (const step of calculator.steps) scope[step.name] = run(step.ast);
    return plain(run(calculator.ast));
  });
};

/**
 * The exact odds of a roll, such as "2d6 + 1" or "d20 adv": its lowest and highest result, its mean, and the chance of
 * each result, in ascending order.
 *
 * Throws a RangeError with the code "dice" if the text is not a roll or has too many dice.
 */
export const odds = (expression) => {
  // Unlike here, the website can also compare two rolls.
  try {
    const tree = /\bvs\b/i.test(expression) ? null : globalThis.kismet.readDice(expression);
    if (!tree) throw Error(`"${expression}" is not a roll, such as 2d6 + 1`);
    const over = globalThis.kismet.impossibleCount(expression);
    if (over) throw Error(`no ${over.die} shows ${over.number}, and a comparison counts dice: write "${over.sum}" for their sum`);
    return globalThis.kismet.odds(tree);
  } catch (problem) {
    throw refusal(problem.message, "dice");
  }
};

/**
 * Roll on a table, given its id or a name, or look up the result `value`. `column`: the title of the column to roll on,
 * if each column has its own roll; the first by default. A result without a row is rolled again.
 *
 * Throws a RangeError with the code "unknown-table", "no-dice", "unknown-column" or "no-row".
 */
export const rollTable = (table, { value, column, random = Math.random } = {}) => {
  const found = pick("table", table, pack.tables);
  const { id, die, columns: titles } = found;
  if (die === null) throw refusal(`${id} does not say which dice to roll`, "no-dice");
  let results = found.ranges.flatMap((ranges, row) =>
    ranges.map(({ min, max }, place) => ({ row, column: found.range_columns?.[row][place] ?? 0, low: min ?? -Infinity, high: max ?? Infinity })));
  const starts = [...new Set(results.map((result) => result.column))].sort((a, b) => a - b);
  // Adjacent columns of results have separate rolls. Columns of results with others in between continue each other.
  const ofOwn = starts.includes(1) ? starts : [];
  const on = column === undefined ? ofOwn[0] : ofOwn.find((start) => fold(titles[start]) === fold(column));
  if (column !== undefined && on === undefined) throw unknown("column", column, ofOwn.map((start) => titles[start]));
  if (on !== undefined) results = results.filter((result) => result.column === on);
  const rowOf = (number) => results.find(({ low, high }) => low <= number && number <= high);
  if (value === undefined) {
    const chances = odds(die).outcomes.filter(([number]) => rowOf(number));
    if (!chances.length) throw refusal(`${id} has no row for any result of ${die}`, "no-row");
    let left = random() * chances.reduce((sum, [, chance]) => sum + chance, 0);
    value = (chances.find(([, chance]) => (left -= chance) < 0) ?? chances.at(-1))[0];
  }
  const result = rowOf(value);
  if (!result) throw refusal(`${id} has no row for ${value}`, "no-row");
  // The cells of a column that continues another reach up to the next such column.
  const end = starts.find((start) => start > result.column) ?? titles.length;
  const isDecided = (at) => !starts.includes(at) && (ofOwn.length || (at > result.column && at < end));
  const shown = titles.map((_, at) => at).filter(isDecided);
  const cells = found.rows[result.row];
  return { id, die, value, row: result.row, columns: shown.map((at) => titles[at]), cells: shown.map((at) => cells[at]) };
};

const CONDITIONS = ["of", "when", "against", "except"];
const fieldValue = (entity, value) => {
  if (typeof value !== "string") return value;
  let found = entity.fields;
  for (const name of value.split(".")) {
    if (!found || typeof found !== "object" || Array.isArray(found) || !Object.hasOwn(found, name)) return value;
    found = found[name];
  }
  return found;
};
/** The effects of an entity, in the form for situation.js. */
const influencesOf = (entity) =>
  entity.effects.map((effect) => {
    const says = (key, items) => `${key}: ${items.map((item) => pack.circumstances?.[item]?.title ?? item).join(", ")}`;
    const asks = (effect.of ?? []).length ? [{ says: says("of", effect.of) }] : [];
    for (const item of effect.when ?? []) asks.push({ says: says("when", [item]), own: [item] });
    if (effect.against?.length) asks.push({ says: says("against", effect.against), other: effect.against });
    if (effect.except?.length) asks.push({ says: says("except", effect.except), unless: effect.except });
    const exception = CONDITIONS.filter((key) => effect[key]?.length).join() === "except";
    return { ...effect, value: fieldValue(entity, effect[effect.operation]), asks, exception };
  });

/**
 * The chance of a roll, given its id, with states of the roller (`on`) and of the other side (`target`). A state is the
 * id, `kind/slug` or name of an entity with effects. `values`: values of other inputs of the roll's calculator.
 * `answers`: for the key of each influence that needs an answer, true if its condition or exception applies, or its
 * value, which implies that its condition applies.
 *
 * Throws a RangeError with the code "unknown-roll", "unknown-state", "unknown-effect" or "wrong-type", and the same
 * errors as `calculate`.
 */
export const situation = (roll, { on = [], target = [], values = {}, answers = {} } = {}) => {
  const { situation: module } = globalThis.kismet;
  const rolls = (pack.rolls ?? []).map((each) => ({ ...each, calculator: each.calculator.split("/").at(-1) }));
  const chosenRoll = pack.rolls?.find(({ id }) => id === roll);
  if (!chosenRoll) throw unknown("roll", roll, rolls.map(({ id }) => id));
  const calculator = items.get(chosenRoll.calculator);
  const calculators = Object.fromEntries(pack.calculators.map((each) => [slugOf(each), each]));
  const withEffects = Object.values(pack.entities).flat().filter(({ effects }) => effects.length);
  const [ofRoller, ofOther] = [on, target].map((names) => [names].flat().map((name) => pick("state", name, withEffects)));
  const sides = { on: ofRoller, target: ofOther };
  refuseUnknown(calculator, values);
  const known = [...sides.on, ...sides.target];
  const states = Object.fromEntries(known.map((entity) => [entity.id, { effects: influencesOf(entity) }]));
  const answered = (side, { id }) => {
    const state = { id, yes: [], given: {} };
    states[id].effects.forEach(({ exception }, place) => {
      const answer = answers[`${side}/${id}/${place}`] ?? false;
      if (answer === true || (answer !== false && !exception)) state.yes.push(place);
      if (typeof answer !== "boolean") state.given[place] = [answer].flat();
    });
    return state;
  };
  const chosen = Object.fromEntries(module.SIDES.map((side) => [side, sides[side].map((entity) => answered(side, entity))]));
  const game = { rolls, calculators, states, library };
  const influence = ({ side, id, place, effect, input, asks, values }) => ({
    key: `${side}/${id}/${place}`,
    effect: items.get(id).effects[place],
    input: input?.name ?? null,
    asks: effect.value === module.GIVEN ? [...asks, module.GIVEN] : asks,
    values: values ?? (effect.value === module.GIVEN ? [] : [effect.value ?? null]),
  });
  const groups = Object.entries(module.sorted(game, roll, chosen));
  const shown = Object.fromEntries(groups.map(([name, lines]) => [name, lines.map(influence)]));
  const found = Object.values(shown).flat();
  const other = Object.keys(answers).find((key) => !found.some((line) => line.key === key));
  if (other) throw refusal(`the chosen states have no effect "${other}" on this roll`, "unknown-effect");
  const wrong = found.find(({ key, asks }) => !asks.includes(module.GIVEN) && typeof (answers[key] ?? true) !== "boolean");
  if (wrong) throw refusal(`the answer to "${wrong.key}" must be true or false`, "wrong-type");
  const { inputs, result } = explained(calculator, () => module.work(game, roll, chosen, values));
  return { calculator: calculator.id, inputs: plain(inputs), result: plain(result), ...shown };
};

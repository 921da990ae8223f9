// The data of one game: its pack, its names, and its calculators with their evaluator.
import pack from "./pack.json" with { type: "json" };
import names from "./names.json" with { type: "json" };
import library from "./library.json" with { type: "json" };
import { FORMAT } from "./format.js";
import "./formula.js";

if (pack.format !== FORMAT) {
  throw new Error(`pack.json has the format ${pack.format}; this package reads format ${FORMAT}`);
}

export { names, pack };

const items = new Map();
for (const list of [...Object.values(pack.entities), pack.sections, pack.tables, pack.calculators]) {
  for (const item of list) items.set(item.id, item);
}

/** The entity, section, table or calculator with an id; undefined if there is none. */
export const get = (id) => items.get(id);

const PLAIN = {
  "’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "−": "-", "‐": "-", "‑": "-",
  ß: "ss", æ: "ae", œ: "oe", ø: "o", ð: "d", þ: "th", ł: "l", "½": "1/2",
};
const plain = (text) => text.replace(/[’‘“”–—−‐‑ßæœøðþł½]/g, (sign) => PLAIN[sign]);

/** A name as names.json has it. */
export const fold = (name) =>
  plain(plain(name.toLowerCase()).normalize("NFKD").replace(/(?![\u3099\u309a])\p{M}/gu, "")).trim().split(/\s+/).join(" ");

/** What a name means: entities, sections and tables, the one that defines it first. */
export const find = (name) =>
  (Object.hasOwn(names.names, fold(name)) ? names.names[fold(name)] : []).map(get).filter(Boolean);

const entityOf = (input, value) => {
  const kinds = input.kinds.map((kind) => library.entities[kind] ?? []);
  const entity = kinds.flat().find((entity) => entity.id === value || entity.slug === value);
  if (!entity) throw new RangeError(`${input.name}: there is no ${input.kinds.join(" or ")} "${value}"`);
  return entity;
};

/** The result of a calculator, by its id or the last part of it. Inputs that are left out have their defaults. */
export const calculate = (id, values = {}) => {
  const calculator = pack.calculators.find((found) => found.id === id || found.id.endsWith(`/${id}`));
  if (!calculator) throw new RangeError(`there is no calculator "${id}"`);
  const scope = {};
  for (const input of calculator.inputs) {
    const value = Object.hasOwn(values, input.name) ? values[input.name] : input.default;
    if (input.type !== "entity") scope[input.name] = value;
    else scope[input.name] = input.many ? value.map((one) => entityOf(input, one)) : entityOf(input, value);
  }
  for (const name of Object.keys(values)) {
    if (!Object.hasOwn(scope, name)) throw new RangeError(`${calculator.id} has no input "${name}"`);
  }
  const run = (tree) => globalThis.kismet.evaluate(tree, scope, library);
  for (const step of calculator.steps) scope[step.name] = run(step.ast);
  return run(calculator.ast);
};

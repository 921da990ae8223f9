// The data of one game: its pack, its names, and its calculators with the evaluator.
import pack from "./pack.json" with { type: "json" };
import names from "./names.json" with { type: "json" };
import library from "./library.json" with { type: "json" };
import { FORMAT } from "./format.js";
import "./formula.js";
import "./inputs.js";

if (pack.format !== FORMAT) {
  throw new Error(`pack.json has the format ${pack.format}; this package reads format ${FORMAT}`);
}

export { names, pack };

const items = new Map();
for (const list of [...Object.values(pack.entities), pack.sections, pack.tables, pack.calculators]) {
  for (const item of list) items.set(item.id, item);
}

/** The entity, section, table or calculator with an id, or undefined. */
export const get = (id) => items.get(id);

/** A name, folded as in names.json. */
export const { fold } = globalThis.kismet.inputs;

/** What a name refers to: entities, sections and tables, the definition first. */
export const find = (name) =>
  (Object.hasOwn(names.names, fold(name)) ? names.names[fold(name)] : []).map(get).filter(Boolean);

/** The complete text of an entity or a section as text or html; empty for a table or a calculator. */
export const textOf = (item, form = "text") => {
  if (!item.content) return item.kind === undefined ? "" : item[form];
  const parts = item.content.map((part) =>
    part.entity === undefined
      ? part[form]
      : get(part.entity)[form].split("\n").slice(...(part.lines?.[form] ?? [0])).join("\n"),
  );
  return parts.filter(Boolean).join("\n");
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

const reason = ({ code, input, value }) =>
  `${input.name} cannot be ${literal(value)}: ` +
  (code === "unknown-entity" ? `there is no ${input.kinds.map((kind) => pack.kinds[kind].title).join(" or ")} of that name` : wanted(input));

const refusal = (message, code, input) => Object.assign(new RangeError(message), { code, input });

/**
 * The result of a calculator, by its id or the last part of it. Inputs that are left out have their defaults.
 *
 * Throws a RangeError with `code` and, for a value, the name of its `input`, if there is no such calculator or input or
 * if the input does not accept the value; an Error with `code` if the rules have no result for the values.
 */
export const calculate = (id, values = {}) => {
  const calculator = pack.calculators.find((found) => found.id === id || found.id.endsWith(`/${id}`));
  if (!calculator) throw refusal(`there is no calculator "${id}"`, "unknown-calculator");
  const slug = calculator.id.split("/").at(-1);
  for (const name of Object.keys(values)) {
    const isKnown = calculator.inputs.some((input) => input.name === name);
    if (!isKnown) throw refusal(`${slug} has no input "${name}"`, "unknown-input", name);
  }
  const scope = {};
  for (const input of calculator.inputs) {
    const given = Object.hasOwn(values, input.name) ? values[input.name] : undefined;
    try {
      scope[input.name] = globalThis.kismet.inputs.resolve(input, given === undefined ? input.default : given, library);
    } catch (problem) {
      throw problem.input === input ? refusal(reason(problem), problem.code, input.name) : problem;
    }
  }
  const run = (tree) => globalThis.kismet.evaluate(tree, scope, library);
  for (const step of calculator.steps) scope[step.name] = run(step.ast);
  return run(calculator.ast);
};

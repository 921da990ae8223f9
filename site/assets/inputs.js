// Checks the values of calculator inputs in the same way as mechanics/inputs.py, for the pages and the npm package.
(() => {
const { abs, floor } = Math;
const PLAIN = {
  "’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "−": "-", "‐": "-", "‑": "-",
  ß: "ss", æ: "ae", œ: "oe", ø: "o", đ: "d", ð: "d", þ: "th", ł: "l", ı: "i", ς: "σ", "½": "1/2",
};
const plain = (text) => text.replace(/[’‘“”–—−‐‑ßæœøđðþłıς½]/g, (sign) => PLAIN[sign]);
/** A name, folded as in names.json. */
const fold = (name) =>
  plain(plain(name.toLowerCase()).normalize("NFKD").replace(/(?![\u3099\u309a])\p{M}/gu, "")).trim().split(/\s+/).join(" ");

const refuse = (code, input, value) => {
  throw Object.assign(RangeError(code), { code, input, value });
};
const number = (text) => {
  const digits = text.replace(/[−–]/g, "-");
  const value = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(digits) ? Number(digits) : NaN;
  return abs(value) < Infinity ? value : text;
};
const WORDS = { __proto__: null, yes: true, true: true, 1: true, no: false, false: false, 0: false };
const single = ({ type }, text) =>
  type === "integer" || type === "number" ? number(text) : type === "boolean" ? WORDS[fold(text)] ?? text : text;
/**
 * The value that a string stands for in an input. A string without one is returned unchanged, and `resolve` rejects it.
 */
const parse = (input, text) =>
  input.many ? text.split(",").flatMap((part) => (part.trim() ? single(input, part.trim()) : [])) : single(input, text.trim());

const isOnStep = ({ min, step }, value) => {
  const count = (value - min) / step;
  return abs(count - floor(count + 0.5)) <= 1e-6;
};
const fault = (input, value) => {
  if (input.type === "boolean") return typeof value !== "boolean" && "wrong-type";
  if (input.type === "choice") return !input.options.includes(value) && "unknown-option";
  if (typeof value !== "number") return "wrong-type";
  if (!(input.min <= value && value <= input.max)) return "out-of-range";
  if (input.type === "integer" && value % 1) return "not-whole";
  return input.step && !isOnStep(input, value) && "off-step";
};
const option = ({ options }, text) => {
  const key = (spelling) => fold(spelling).replaceAll(" ", "-");
  return options.includes(text) ? text : options.find((option) => key(option) === key(text)) ?? text;
};
/** The record of an entity that an input can pick, by slug, id, `kind/slug`, name or alias. */
const entity = (input, name, { entities, aliases = {} }) => {
  const word = typeof name === "string" ? fold(name) : "";
  const records = input.kinds.flatMap((kind) => entities[kind] ?? []);
  const isNamed = ({ id, slug }) => [slug, ...(aliases[id] ?? [])].some((alias) => fold(alias) === word);
  return (
    records.find(({ id, slug, kind }) => [slug, id, `${kind}/${slug}`].includes(name)) ??
    records.find((record) => word && fold(record.name) === word) ??
    records.find((record) => word && isNamed(record)) ??
    refuse("unknown-entity", input, name)
  );
};
const one = (input, value, library) => {
  if (input.type === "entity") return entity(input, value, library);
  const meant = input.type === "choice" && typeof value === "string" ? option(input, value) : value;
  const code = fault(input, meant);
  return code ? refuse(code, input, meant) : meant;
};
/**
 * The value of an input for formulas, in which names of entities become records. Throws an error with `code`, the
 * `input` and the rejected `value`.
 */
const resolve = (input, value, library) => {
  if (!input.many) return one(input, value, library);
  return (Array.isArray(value) ? value : [value]).map((part) => one(input, part, library));
};

(globalThis.kismet ??= {}).inputs = { entity, fold, parse, resolve };
})();

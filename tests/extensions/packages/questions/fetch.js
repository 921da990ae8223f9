// Answer questions from the published files: node fetch.js ADDRESS GAME, a JSON list on standard input.
import { readFileSync } from "node:fs";
import { answers } from "./answer.js";

const [, , address, game] = process.argv;
const read = async (file) => (await fetch(`${address}data/${game}/${file}`)).json();
const [pack, names] = await Promise.all([read("pack.json"), read("names.json")]);
// `fold` of names.json, as far as English needs it.
const fold = (name) =>
  name.toLowerCase().normalize("NFKD").replace(/\p{M}/gu, "").replace(/[‘’]/g, "'").replace(/[–—−]/g, "-").trim().split(/\s+/).join(" ");
// The text of an entity or section. Parts of a section have text of their own or refer to an entity.
const entities = new Map(Object.values(pack.entities).flat().map((entity) => [entity.id, entity]));
const part = ({ text, entity, lines }) => text ?? entities.get(entity).text.split("\n").slice(...(lines?.text ?? [0])).join("\n");
const textOf = ({ text, content }) => text ?? content.map(part).filter(Boolean).join("\n");
console.log(JSON.stringify(answers({ pack, names, fold, textOf }, JSON.parse(readFileSync(0, "utf8")))));

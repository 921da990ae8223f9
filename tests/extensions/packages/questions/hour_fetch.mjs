// What a tool maker does in the first hour, with the published files: node hour.js ADDRESS RESULT, the result of a roll.
const [, , address, rolled] = process.argv;
const read = async (file) => (await fetch(`${address}data/${file}`)).json();
const { names } = await read("kismet/names.json");

const [wound] = names["blown away"];
const damageType = (await read(`${wound}.json`)).entity.fields.damage_type;

const { entities } = await read("kismet/condition.json");
const bonusDice = entities.filter(({ effects }) =>
  effects.some(({ operation, die, whose }) => operation === "die" && die === "bonus" && whose === "attacker"),
);

const pack = await read("kismet/pack.json");
const result = Number(rolled);
const chart = pack.tables.find(({ id }) => names["wounds chart"].includes(id));
const row = chart.rows.find((_, at) =>
  chart.ranges[at].some(({ min, max }) => (min ?? result) <= result && result <= (max ?? result)),
);

const section = pack.sections.find(({ id }) => names["initiative"].includes(id));
const items = [...Object.values(pack.entities).flat(), ...pack.sections];
const links = section.links.map((id) => items.find((item) => item.id === id)).map(({ name, title }) => name ?? title);
const part = ({ text, entity, lines }) =>
  text ?? items.find(({ id }) => id === entity).text.split("\n").slice(...(lines?.text ?? [0])).join("\n");
const text = section.content.map(part).filter(Boolean).join("\n");
console.log(JSON.stringify([damageType, bonusDice.map(({ name }) => name), row, text, links]));

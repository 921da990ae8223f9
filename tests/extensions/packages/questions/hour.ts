// What a tool maker does in the first hour, with the package for npm.
import { find, get, pack, textOf } from "kismet-data";

const [wound] = find("blown away");
const damageType = wound && "kind" in wound && wound.kind === "damage-type-wound" ? wound.fields.damage_type : undefined;

const bonusDice = pack.entities.condition.filter(({ effects }) =>
  effects.some((effect) => effect.operation === "die" && effect.die === "bonus" && effect.whose === "attacker"),
);

const chart = find("wounds chart").find((item) => "die" in item);
const row = (result: number) =>
  chart?.rows.find((_, at) =>
    chart.ranges[at]?.some(({ min, max }) => (min ?? result) <= result && result <= (max ?? result)),
  );

const section = find("initiative").find((item) => "content" in item);
const links = section?.links.map((id) => {
  const item = get(id);
  return item && ("name" in item ? item.name : item.title);
});

export const hour = (result: number) => [damageType, bonusDice.map(({ name }) => name), row(result), section && textOf(section), links];

// Answer questions from the data packages of npm: node npm.js GAME, a JSON list on standard input.
import { readFileSync } from "node:fs";
import { answers } from "./answer.js";
import { games } from "./games.js";

console.log(JSON.stringify(answers(games[process.argv[2]], JSON.parse(readFileSync(0, "utf8")))));

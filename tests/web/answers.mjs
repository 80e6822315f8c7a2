// node answers.mjs PAGE [NUMBER]: what the model of this number (0) in a page of `heed export --format web` answers to
// questions in JSON, {"path", ...}, one a line.
import { readFileSync } from "node:fs";

const folder = new URL("../../src/draw/page/", import.meta.url);
const Engine = new Function(`${readFileSync(new URL("engine.js", folder), "utf8")}\nreturn Engine;`)();
const page = readFileSync(process.argv[2], "utf8");
const data = JSON.parse(/<script type="application\/json" id="data">(.*?)<\/script>/s.exec(page)[1]);
const engine = new Engine();
await engine.load({ program: data.program, ...data.models[Number(process.argv[3] ?? 0)].files });
for (const line of readFileSync(0, "utf8").trimEnd().split("\n")) {
  const { path, ...question } = JSON.parse(line);
  let answer;
  try {
    answer = engine.answer(path, question);
  } catch (error) {
    answer = { error: error.message };
  }
  console.log(JSON.stringify(answer));
}

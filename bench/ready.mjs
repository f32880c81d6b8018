// How long it takes until training runs are under way on the GPU, from the call to the first launch: three processes each with
// nothing in any cache, and the next one of each with what the one before has left in ours. What the run itself takes is taken
// off. npm run bench -- ready, or npm run bench -- ready sac tf32 for some of it.
import { cudaProblem } from "../dist/device/index.js";
import { coldAndCached, isInterrupted, lastLines } from "./gpu/fresh.mjs";
import { runs } from "./gpu/runs.mjs";
import { row } from "./measure.mjs";

const precisions = [
  { name: "full", is: "highest" },
  { name: "tf32", is: "tf32" },
];
const processes = 3;

const words = process.argv.slice(2);
for (const word of words) {
  const names = [...runs, ...precisions].map(({ name }) => name);
  if (names.includes(word)) continue;
  console.error(`There is no ${word}; there are ${names.join(", ")}.`);
  process.exit(2);
}
const chosen = (list) => {
  const asked = list.filter(({ name }) => words.includes(name));
  return asked.length === 0 ? list : asked;
};

const problem = cudaProblem();
if (problem !== null) {
  console.log(`Skipped, since there is no GPU for programs here: ${problem}.`);
  process.exit(0);
}
const widths = [26, 10, 22, 22];
const seconds = (all) => all.map((value) => value.toFixed(2)).join("  ");
console.log("Seconds from the call to the first launch");
console.log(row(widths, ["", "products", "cold", "from the cache"]));
for (const { name, task } of chosen(runs)) {
  for (const precision of chosen(precisions)) {
    const measured = [];
    try {
      for (let at = 0; at < processes && !isInterrupted(); at++)
        for await (const one of coldAndCached("readyRun.mjs", name, precision.is)) measured.push(one);
    } catch (error) {
      process.exitCode = 1;
      console.log(`${task}: ${lastLines(error)}`);
    }
    const of = (cached) => measured.filter((one) => one.cached === cached).map(({ ready_s }) => ready_s);
    console.log(row(widths, [task, precision.name, seconds(of(undefined)), seconds(of(true))]));
  }
}

// Environment steps a second of whole training runs, against the same loops by hand: npm run bench -- agents
import { jit, random } from "vibe-rl/array";
import { trainingRuns } from "./agentPrograms.mjs";
import { buildLimit, instantiate } from "./limit/build.mjs";
import { compete, digits, row, timeOf } from "./measure.mjs";

const key = random.key(0);
/** What the first call takes beyond the second: tracing and compiling. */
function readyMs(program) {
  const run = jit(program);
  return timeOf(() => run(key)) - timeOf(() => run(key));
}

// limit.c draws with xoshiro unless told to draw with threefry, as we do.
const limits = [[], ["-DTHREEFRY"]].map((defines) => buildLimit("limit.c", ...defines));

/** The loop by hand, and nothing where it cannot be built. */
function byHand(module, name, count) {
  if (module === null) return [];
  const c = instantiate(module);
  return [
    () => {
      c[`${name}_init`](1);
      c[name](count);
    },
  ];
}

const widths = [16, 12, 12, 12, 6, 17, 6];
console.log(
  row(widths, ["whole runs", "ready in ms", "env steps/s", "C→Wasm", "ratio", "C→Wasm, threefry", "ratio"]),
);
const wanted = process.argv[2] ?? "";
for (const { name, task, make, count, least, steps, learned } of trainingRuns) {
  if (!name.includes(wanted)) continue;
  const ready = readyMs(make(least));
  const run = jit(make(count));
  const result = run(key);
  const runners = [() => run(key), ...limits.flatMap((module) => byHand(module, name, count))];
  const [ours, ...theirs] = await compete(runners, { rounds: 3 });
  const speed = (ms) => digits((steps / ms) * 1000);
  const compared = theirs.flatMap((ms) => [speed(ms), (ms / ours).toFixed(2)]);
  console.log(`${row(widths, [task, digits(ready), speed(ours), ...compared])}  (${learned(result)})`);
}

// Training runs on XLA against JAX, which has the same compiler: steps a second, seconds to trace and compile, and seconds
// from the start of a process to the end of its first run, with full float32 products and with TF32, JAX's default. Each
// measurement is a process of its own, one after the other, with empty caches, and ours another one with what is in the cache
// then. It prints a line of JSON for each as it comes, and a table at the end, also when some failed or it was interrupted.
// npm run bench -- xla, or npm run bench -- xla sac ppo4 full jax for some of it; --json leaves the table out, and --rounds=3
// measures everything three times, in turns, of which the table has the best.
import { fileURLToPath } from "node:url";
import { xlaProblem } from "../dist/device/index.js";
import { coldAndCached, isInterrupted, lastLines, report } from "./gpu/fresh.mjs";
import { findJax } from "./gpu/jax.mjs";
import { xlaRuns } from "./gpu/xlaRuns.mjs";
import { digits, row } from "./measure.mjs";

/** What of products each is told: ours is full, and JAX's TF32, unless something else is said. */
const precisions = [
  { name: "full", ours: "highest", jax: ["--precision", "highest"] },
  { name: "tf32", ours: "default", jax: [] },
];
const ours = ({ name }, precision) => coldAndCached("xlaRun.mjs", name, precision.ours);
const sides = [
  { name: "ours", measure: ours },
  { name: "jax", measure: jax },
];

const options = process.argv.slice(2);
const words = options.filter((word) => !word.startsWith("--"));
const isJson = options.includes("--json");
const rounds = Number(options.find((word) => word.startsWith("--rounds="))?.slice("--rounds=".length) ?? 1);
if (!Number.isInteger(rounds) || rounds < 1) {
  console.error("--rounds must be a whole number from 1.");
  process.exit(2);
}
const print = isJson ? () => undefined : (line) => console.log(line);

const lists = [xlaRuns, precisions, sides];
/** What a word names: one thing, or all that begin so. */
const named = (list, word) => {
  const exact = list.filter(({ name }) => name === word);
  return exact.length > 0 ? exact : list.filter(({ name }) => name.startsWith(word));
};
for (const word of words) {
  if (lists.some((list) => named(list, word).length > 0)) continue;
  const names = lists.flat().map(({ name }) => name);
  console.error(`There is no ${word}; there are ${names.join(", ")}.`);
  process.exit(2);
}
/** Those of a list that words name, or all of them if no word does. */
const chosen = (list) => {
  const asked = words.flatMap((word) => named(list, word));
  return asked.length === 0 ? list : list.filter((one) => asked.includes(one));
};

async function* jax({ algorithm, envs, updates, steps }, precision) {
  const length = envs === undefined ? ["--steps", steps] : ["--envs", envs, "--updates", updates];
  const peer = fileURLToPath(new URL("peers/jaxPeer.py", import.meta.url));
  const args = [peer, algorithm, ...length.map(String), ...precision.jax];
  yield await report(process.env.PYTHON ?? "python3", args, {
    JAX_COMPILATION_CACHE_DIR: undefined,
    JAX_DEFAULT_MATMUL_PRECISION: undefined,
    XLA_PYTHON_CLIENT_PREALLOCATE: "false",
  });
}

let asked = chosen(sides);
const problem = asked.some(({ name }) => name === "ours") ? xlaProblem() : null;
if (problem !== null) {
  print(`Skipped, since programs cannot run on XLA here: ${problem}.`);
  if (isJson) console.log(JSON.stringify({ skipped: problem }));
  process.exit(0);
}
const peer = asked.some(({ name }) => name === "jax") ? findJax() : {};
if (peer.problem !== undefined) {
  print(peer.problem);
  asked = asked.filter(({ name }) => name !== "jax");
}

const measurements = Array.from({ length: rounds }).flatMap(() =>
  chosen(xlaRuns).flatMap((run) =>
    chosen(precisions).flatMap((precision) => asked.map((side) => ({ run, precision, side }))),
  ),
);
const results = [];
for (const { run, precision, side } of measurements) {
  if (isInterrupted()) break;
  const about = { name: run.name, precision: precision.name, side: side.name };
  const keep = (result) => {
    results.push({ ...about, ...result });
    console.log(JSON.stringify(results.at(-1)));
  };
  try {
    for await (const result of side.measure(run, precision)) keep(result);
  } catch (error) {
    process.exitCode = 1;
    keep({ error: lastLines(error) });
  }
}

/** Blocks of the table: of which results, what, and how it is shown. */
const blocks = [
  { title: "steps a second", field: "sps", show: digits, best: Math.max },
  { title: "seconds to trace and compile", field: "compile_s" },
  { title: "seconds from the start to the end of the first run", field: "start_s" },
  { title: "the same, with what is in our cache then", field: "start_s", cached: true },
];
const columns = precisions.flatMap((precision) => sides.map((side) => [precision.name, side.name]));
const widths = [10, 12, 12, 7, 12, 12, 7, 13];
print(`\n${peer.device ?? "One GPU"}; "full" is float32 products, "TF32" JAX's default`);
print(row(widths, ["", "full", "JAX, full", "ratio", "TF32", "JAX, TF32", "ratio", "full : TF32"]));
for (const { title, field, show = (value) => value.toFixed(1), best = Math.min, cached } of blocks) {
  const ofBlock = results.filter((result) => result.cached === cached && result[field] !== undefined);
  if (ofBlock.length > 0) print(title);
  for (const name of new Set(ofBlock.map((result) => result.name))) {
    const [full, jaxFull, tf32, jaxTF32] = columns.map(([precision, side]) => {
      const measured = ofBlock.filter(
        (result) => result.name === name && result.precision === precision && result.side === side,
      );
      return measured.length === 0 ? undefined : best(...measured.map((result) => result[field]));
    });
    const cell = (value) => (value === undefined ? "-" : show(value));
    const ratio = (one, other) => (one === undefined || other === undefined ? "-" : (one / other).toFixed(2));
    print(
      row(widths, [
        ...[name, cell(full), cell(jaxFull), ratio(full, jaxFull)],
        ...[cell(tf32), cell(jaxTF32), ratio(tf32, jaxTF32), ratio(full, jaxTF32)],
      ]),
    );
  }
}

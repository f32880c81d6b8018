// Runs the compiler's tests with a GPU for every program, random programs, and the tests of the devices themselves, side by
// side: first with our own kernels (device "cuda"), then with XLA (device "gpu"). What is not there is told, which is no
// failure. npm run test:gpu, npm run test:gpu -- xla, npm run test:gpu -- cuda random golden for files of test/compiler whose
// names begin so, or npm run test:gpu -- cuda programs for the random programs. VIBE_RL_RANDOM_PROGRAMS says how many those
// are, and VIBE_RL_RANDOM_SEED which.
import os from "node:os";
import path from "node:path";
import "./build.mjs";
import { inPlaces, run } from "./sideBySide.mjs";

const { cudaProblem, xlaProblem } = await import("../dist/device/index.js");
const cores = os.availableParallelism();
/** Random programs of one process, at most. */
const most = 500;
/** Processes for the compiler's tests: each tells what became of its share, also where the others are cut short. */
const shares = 16;

/** Tests of the compiler that make code of our own, or none, and have nothing to do with a device. */
const ownCode = [
  "ptx/**",
  "stablehlo/**",
  "plan/**",
  "native*",
  "{docs,exchange,formulas,kernels,memory,plan,primitives,show,simplify}*",
];
// XLA has threads of its own.
const xlaPlaces = Math.ceil(cores / 2);
const memory = Number(process.env.VIBE_RL_XLA_MEMORY_FRACTION ?? 0.75);
/** `places` is how many workers run at a time, on one core each. */
const parts = {
  cuda: {
    problem: cudaProblem,
    places: cores,
    programs: 5000,
    env: { VIBE_RL_DEVICE: "cuda" },
    left: [],
  },
  xla: {
    problem: xlaProblem,
    places: xlaPlaces,
    programs: 2000,
    env: {
      VIBE_RL_DEVICE: "gpu",
      // Programs that run once are not worth the search for their fastest kernels.
      VIBE_RL_XLA_SETTINGS: "xla_gpu_autotune_level=0",
      // All of them fit in the GPU's memory together.
      VIBE_RL_XLA_MEMORY_FRACTION: String(memory / xlaPlaces),
    },
    left: ownCode.map((files) => `test/compiler/${files}`),
  },
};

/** The processes of a part, those that take long first: what is asked for, or everything. */
function jobsOf(name, asked) {
  const { places, programs, env, left } = parts[name];
  const options = asked.filter((word) => word.startsWith("-"));
  const words = asked.filter((word) => !word.startsWith("-"));
  const isAll = words.length === 0;
  const job = (title, files, { workers = 1, without = [], variables = {}, note = "" }) => ({
    ...{ title: `${name}: ${title}`, note },
    places: workers,
    env: { ...env, ...variables },
    args: [...files, ...without.flatMap((file) => ["--exclude", file]), ...options],
  });

  const compiler = (isAll ? [""] : words.filter((word) => word !== "programs")).map(
    (file) => `test/compiler/${file}`,
  );
  const total = Number(process.env.VIBE_RL_RANDOM_PROGRAMS ?? programs);
  const count = isAll || words.includes("programs") ? Math.ceil(total / most) : 0;
  const firstSeed = 1 + count * (Number(process.env.VIBE_RL_RANDOM_SEED ?? 1) - 1);
  const folder = `test/device/${name}/`;
  const random = `${folder}programs.test.ts`;
  const compilerJob = (more) =>
    job("the compiler's tests", [...compiler, ...(more.share ?? [])], { without: left, ...more });
  const compilerJobs = isAll
    ? Array.from({ length: shares }, (_, at) =>
        compilerJob({ share: [`--shard=${at + 1}/${shares}`], note: `share ${at + 1} of ${shares}` }),
      )
    : compiler.length > 0
      ? [compilerJob({ workers: count > 0 ? Math.ceil(places / 2) : places })]
      : [];
  return [
    ...compilerJobs,
    ...Array.from({ length: count }, (_, at) => {
      const [programs, seed] = [Math.min(most, total - at * most), firstSeed + at];
      return job(`${total.toLocaleString("en")} random programs`, [random], {
        variables: { VIBE_RL_RANDOM_PROGRAMS: String(programs), VIBE_RL_RANDOM_SEED: String(seed) },
        note: `${programs} with seed ${seed}`,
      });
    }),
    ...(isAll ? [job("the device's own tests", [folder], { without: [random] })] : []),
  ];
}

const vitest = path.join("node_modules", "vitest", "vitest.mjs");
const secondsNow = () => performance.now() / 1000;

/** Runs one, and prints how many of its tests passed; if it failed, all that it printed before. */
async function runJob({ title, note, places, env, args }) {
  const from = secondsNow();
  const { code, output } = await run(
    process.execPath,
    [
      ...[vitest, "run", "--project", "tests", "--testTimeout", "3600000", "--reporter", "default"],
      ...["--maxWorkers", String(places), ...args],
    ],
    { env: { ...process.env, ...env, NO_COLOR: "1", FORCE_COLOR: undefined } },
  );
  const until = secondsNow();
  const tests = /^ +Tests +(.*)$/m.exec(output)?.[1] ?? "none";
  const which = note === "" ? "" : ` (${note})`;
  if (code !== 0) console.log(output);
  console.log(`${title}${which}: ${tests}, ${(until - from).toFixed(0)} s${code === 0 ? "" : ", FAILED"}`);
  return { title, code, tests, from, until };
}

/** What became of all processes with one title, a row of the summary. */
function rowOf(title, all) {
  const results = all.filter((result) => result.title === title);
  const count = (what) =>
    results.reduce((sum, { tests }) => sum + Number(new RegExp(`(\\d+) ${what}`).exec(tests)?.[1] ?? 0), 0);
  const span = Math.max(...results.map(({ until }) => until)) - Math.min(...results.map(({ from }) => from));
  const failed = results.filter(({ code }) => code !== 0).length;
  const verdict = failed === 0 ? "passed" : `${failed} FAILED`;
  return [
    title,
    ...[results.length, count("passed"), count("failed"), count("skipped"), span.toFixed(0)].map(String),
    verdict,
  ];
}

const [first, ...rest] = process.argv.slice(2);
const chosen = first in parts ? [first] : Object.keys(parts);
const asked = first === undefined || first in parts ? rest : [first, ...rest];
const results = [];
const skipped = [];
for (const name of chosen) {
  const { problem, places } = parts[name];
  const why = problem();
  if (why !== null) {
    skipped.push(`test:gpu: ${name} is skipped, since programs cannot run there: ${why}`);
    continue;
  }
  const jobs = jobsOf(name, asked);
  console.log(`test:gpu: ${name}, processes: ${jobs.length}, workers side by side: ${places}`);
  results.push(...(await inPlaces(places, jobs, runJob)));
}

const titles = [...new Set(results.map(({ title }) => title))];
const head = ["", "processes", "passed", "failed", "skipped", "seconds", ""];
const table = [head, ...titles.map((title) => rowOf(title, results))];
if (titles.length > 0)
  for (const [title, ...cells] of table)
    console.log([title.padEnd(30), ...cells.map((cell) => cell.padStart(10))].join("").trimEnd());
for (const line of skipped) console.log(line);
process.exit(results.some(({ code }) => code !== 0) ? 1 : 0);

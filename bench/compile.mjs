// From nothing to ready, and then at full speed: a whole PPO training run: npm run bench -- compile
import { jit, makeProgram, random } from "vibe-rl/array";
import { compile as compileProgram, wasmRenderer } from "../dist/compiler/index.js";
import { detectFeatures } from "../dist/device/wasm/features.js";
import { buildLimit, instantiate } from "./limit/build.mjs";
import { compete, digits, row, timeOf } from "./measure.mjs";
import { stepsPerUpdate, trainPPO } from "./ppoProgram.mjs";

const { WebAssembly } = globalThis;
const key = random.key(0);

// ---- how long it takes to be ready ----------------------------------------------------------------------

let programs = 0;
/** One update, each time another program: V8 remembers modules that it has seen. */
const fresh = (options) =>
  trainPPO({ updates: 1, learningRate: 2.5e-4 * (1 + programs++ / 1000), ...options });

/** What a value is, and how long it took to make. */
function timed(make) {
  let value;
  return { ms: timeOf(() => (value = make())), value };
}

/** What the first call takes beyond the second: all that must happen before a program runs. */
function readyMs(options) {
  const run = jit(fresh(options));
  return timeOf(() => run(key)) - timeOf(() => run(key));
}

/** The parts of that, one after the other. */
function parts(options) {
  const trace = timed(() => makeProgram(fresh(options))(key));
  const { program, constants, size } = trace.value;
  const compile = timed(() => compileProgram(program, constants.length, wasmRenderer(detectFeatures())));
  const engine = timed(() => new WebAssembly.Module(compile.value.code));
  return { size, trace, compile, engine };
}

/** The cells of one program's column; `first` is how long it took to be ready the first time. */
function measure(options, first) {
  const rounds = Array.from({ length: 5 }, () => ({ ready: readyMs(options), ...parts(options) }));
  const best = (pick) => digits(Math.min(...rounds.map(pick)));
  const { size, compile } = rounds[0];
  return [
    size.toLocaleString("en"),
    first,
    best(({ ready }) => ready),
    best(({ trace }) => trace.ms),
    best(({ compile: { ms } }) => ms),
    best(({ engine }) => engine.ms),
    digits(compile.value.code.length / 1024),
    digits(compile.value.memoryBytes / 1024),
  ];
}

const labels = [
  "equations",
  "ready, JavaScript cold, ms",
  "ready, ms",
  "  tracing, ms",
  "  compiling, ms",
  "  WebAssembly.Module, ms",
  "code, KiB",
  "memory, KiB",
];
const columns = [measure({}, digits(readyMs({}))), measure({ hidden: new Array(15).fill(16) }, "–")];
console.log(row([26, 16, 16], ["PPO on CartPole", "2 layers of 64", "15 layers of 16"]));
labels.forEach((label, at) => console.log(row([26, 16, 16], [label, ...columns.map((cells) => cells[at])])));

// ---- how fast it runs then --------------------------------------------------------------------------------

const updates = 195;
const train = jit(trainPPO({ updates }));
const lengths = train(key).episodeLength.toArray();
const average = (list) => list.reduce((sum, value) => sum + value, 0) / list.length;
const [before, after] = [lengths.slice(0, 5), lengths.slice(-50)].map(average);
const learns = `episodes of ${before.toFixed(0)} steps become ${after.toFixed(0)}`;
if (!(after > 3 * before)) throw new Error(`the program does not learn: ${learns}`);

// limit.c draws with xoshiro unless told to draw with threefry, as we do.
const plain = buildLimit("limit.c");
const limits =
  plain === null
    ? []
    : [
        ["C→Wasm", plain],
        ["C→Wasm, threefry", buildLimit("limit.c", "-DTHREEFRY")],
      ];

function runner(module) {
  const c = instantiate(module);
  return () => {
    c.ppo_init(1);
    c.ppo(updates);
  };
}

const runners = [() => train(key), ...limits.map(([, module]) => runner(module))];
const [ours, ...theirs] = await compete(runners, { rounds: 3 });
const speed = (ms) => digits(((stepsPerUpdate * updates) / ms) * 1000);
const widths = [26, 16, 16];
console.log(`\n${row(widths, ["PPO on CartPole", "env steps/s", "ours to this"])}`);
console.log(`${row(widths, ["ours", speed(ours)])}${" ".repeat(17)}  (${learns})`);
limits.forEach(([name], at) =>
  console.log(row(widths, [name, speed(theirs[at]), (theirs[at] / ours).toFixed(2)])),
);

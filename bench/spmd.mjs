// Programs on several devices: what exchanges and runs cost, and whether memory that threads share is slower than
// memory of one's own: npm run bench -- spmd, or npm run bench -- spmd 4 for four devices.
// Exchanges are timed in a loop of many, less the same loop without them; everything takes turns in short runs, of
// which the best and the median are told: with other work on the machine, the median is mostly waiting for it.
import { arrayType, lax, np } from "../dist/array/index.js";
import { bindOne, traceProgram } from "../dist/array/core/trace.js";
import { psum } from "../dist/array/primitives/collectives.js";
import { compile, compileSpmd, pageBytes, wasmRenderer } from "../dist/compiler/index.js";
import { wasmBackend } from "../dist/device/wasm/backend.js";
import { detectFeatures } from "../dist/device/wasm/features.js";
import { digits, row, timeOf } from "./measure.mjs";

const devices = Number(process.argv[2] ?? 2);
const backend = wasmBackend();
const axesOf = (size) => [{ name: "data", size }];
const optionsOf = (size, donated) => ({ name: "bench", axes: axesOf(size), constants: [], donated });

/** A loop of `length` iterations on an array of `size`, on so many devices; its state stays on them. */
function loop(size, length, iteration, count = devices) {
  const { program } = traceProgram("bench", [arrayType([size], "float32")], ([x]) => [
    lax.scan((carry) => [iteration(carry), null], x, null, { length })[0],
  ]);
  const executable = backend.spmd(program, optionsOf(count, [true]));
  let [state] = executable.run([{ read: () => new Float32Array(size).fill(1) }]);
  return () => {
    [state] = executable.run([state]);
  };
}

/** Best and median times in milliseconds of things that take turns. */
function timesOf(runners, rounds) {
  const times = runners.map(() => []);
  // The engine optimises what runs often.
  const warm = rounds >> 2;
  for (let round = 0; round < rounds + warm; round++) {
    runners.forEach((run, at) => {
      const time = timeOf(run);
      if (round >= warm) times[at].push(time);
    });
  }
  return times.map((list) => {
    list.sort((a, b) => a - b);
    return { best: list[0], median: list[list.length >> 1] };
  });
}

const widths = [40, 10, 10];
const tell = (name, best, median) => console.log(row(widths, [name, digits(best), digits(median)]));
console.log(row(widths, [`${devices} devices, µs`, "best", "median"]));

const halve = (x) => x.mul(0.5);
const exchange = (x) => bindOne(psum, [x], { axes: ["data"] });
for (const [size, length] of [
  [100_000, 20],
  [10_000, 100],
  [500, 500],
  [1, 1000],
]) {
  const [without, together] = timesOf(
    [loop(size, length, halve), loop(size, length, (x) => halve(exchange(x)))],
    400,
  );
  const cost = (of) => Math.max(0, ((together[of] - without[of]) / length) * 1000);
  tell(`psum of ${size.toLocaleString("en")} float32`, cost("best"), cost("median"));
}

const counts = [...new Set([1, devices])];
timesOf(
  counts.map((count) => loop(1, 1, halve, count)),
  2000,
).forEach(({ best, median }, at) => tell(`a run on ${counts[at]}`, best * 1000, median * 1000));

/** Programs that give one number, so that fetching results costs nothing. */
const programs = {
  "products, tanh": {
    inputs: [np.ones([256, 256]), np.ones([256, 256]).mul(0.01)],
    iteration: (x, w) => np.tanh(x.matmul(w)),
  },
  "element by element": {
    inputs: [np.ones([400_000]), np.ones([400_000]).mul(0.01)],
    iteration: (x, y) => x.mul(0.999).add(y),
  },
};
const features = detectFeatures();

/** A run of a module in a memory, its inputs once written to addresses. */
function inMemory(bytes, memory, slots, inputs) {
  slots.forEach(({ address }, at) => new Float32Array(memory.buffer).set(inputs[at].elements, address / 4));
  const host = { memory, print: () => undefined };
  return new WebAssembly.Instance(new WebAssembly.Module(bytes), { host }).exports.run;
}

function inPlainMemory(program, inputs) {
  const { code: bytes, memoryBytes, inputs: slots } = compile(program, inputs.length, wasmRenderer(features));
  const memory = new WebAssembly.Memory({ initial: Math.ceil(memoryBytes / pageBytes) });
  return inMemory(bytes, memory, slots, inputs);
}

/** The first of two devices, which does not meet the other. */
function inSharedMemory(program, inputs) {
  const compiled = compileSpmd(program, inputs.length, axesOf(2), features, () => undefined);
  const pages = compiled.memoryBytes / pageBytes;
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
  const slots = compiled.inputs.map(({ address }) => ({ address: compiled.bases[0] + address }));
  return inMemory(compiled.modules[0], memory, slots, inputs);
}

console.log(`\n${row(widths, ["shared over plain memory, one device", "best", "median"])}`);
for (const [name, { inputs, iteration }] of Object.entries(programs)) {
  const { program } = traceProgram(
    name,
    inputs.map(({ type }) => type),
    ([x, y]) => [lax.scan((carry) => [iteration(carry, y), null], x, null, { length: 10 })[0].sum()],
  );
  const [own, together] = timesOf([inPlainMemory(program, inputs), inSharedMemory(program, inputs)], 60);
  tell(name, together.best / own.best, together.median / own.median);
}

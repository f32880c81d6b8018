// Programs on several devices: what an all-reduce, a meeting and a run cost, and whether memory that threads share is
// slower than memory of one's own. npm run bench -- spmd, or npm run bench -- spmd 4 for four devices.
// Medians of runs that take turns; costs of exchanges are those of a loop of many, less the same loop without them.
import { arrayType, lax, np } from "../dist/array/index.js";
import { bindOne, traceProgram } from "../dist/array/core/trace.js";
import { psum } from "../dist/array/primitives/collectives.js";
import { wasmBackend } from "../dist/device/wasm/backend.js";
import { digits, row, timeOf } from "./measure.mjs";

const devices = Number(process.argv[2] ?? 2);
const backend = wasmBackend();
const axesOf = (size) => [{ name: "data", size }];

const sum = (x) => bindOne(psum, [x], { axes: ["data"] });

/** A loop of `length` turns on an array of `size`, on so many devices. */
function loop(size, length, turn, count = devices) {
  const { program } = traceProgram("bench", [arrayType([size], "float32")], ([x]) => [
    lax.scan((carry) => [turn(carry), null], x, null, { length })[0],
  ]);
  const options = { name: "bench", axes: axesOf(count), constants: [], donated: [true] };
  const executable = backend.spmd(program, options);
  let [state] = executable.run([{ read: () => new Float32Array(size).fill(1) }]);
  return () => {
    [state] = executable.run([state]);
  };
}

/** Median times in milliseconds of things that take turns. */
function medians(runners, rounds = 21) {
  const times = runners.map(() => []);
  for (let round = 0; round < rounds + 5; round++) {
    runners.forEach((run, at) => {
      const time = timeOf(run);
      if (round >= 5) times[at].push(time);
    });
  }
  return times.map((list) => list.sort((a, b) => a - b)[list.length >> 1]);
}

const widths = [44, 12];
const tell = (name, value, unit) => console.log(row(widths, [name, `${digits(value)} ${unit}`]));

const keep = (x) => x.mul(0.5);
for (const [size, length] of [
  [100_000, 200],
  [10_000, 1000],
  [500, 4000],
  [1, 10_000],
]) {
  const [without, alone, small] = medians([
    loop(size, length, keep),
    loop(size, length, (x) => keep(sum(x))),
    loop(size, length, (x) => keep(keep(sum(x)))),
  ]);
  tell(`psum of ${size.toLocaleString("en")} float32`, ((alone - without) / length) * 1000, "µs");
  void small;
}

const nothing = (count) => loop(1, 1, keep, count);
const [launchOne, launchAll] = medians([nothing(1), nothing(devices)], 201);
tell("a run on one device", launchOne * 1000, "µs");
tell(`a run on ${devices} devices`, launchAll * 1000, "µs");

const { program: layers } = traceProgram(
  "layers",
  [arrayType([256, 256], "float32"), arrayType([256, 256], "float32")],
  ([x, w]) => [lax.scan((carry) => [np.tanh(carry.matmul(w)), null], x, null, { length: 20 })[0]],
);
const { program: streams } = traceProgram("streams", [arrayType([500_000], "float32")], ([x]) => [
  lax.scan((carry) => [carry.mul(0.999).add(0.001), null], x, null, { length: 20 })[0],
]);
for (const [name, program, inputs] of [
  ["products", layers, [np.ones([256, 256]), np.ones([256, 256]).mul(0.01)]],
  ["element by element", streams, [np.ones([500_000])]],
]) {
  const plain = backend.compile(program, { name, constants: [], donated: [] });
  const shared = backend.spmd(program, { name, axes: axesOf(1), constants: [], donated: [] });
  const shards = inputs.map((input) => ({ read: () => input.elements }));
  const [own, together] = medians([() => plain.run(inputs), () => shared.run(shards)]);
  tell(`${name}: shared memory over plain`, together / own, "×");
}

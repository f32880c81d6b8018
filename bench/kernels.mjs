// Our compiled kernels against hand-written C compiled to the same WebAssembly SIMD: npm run bench -- kernels, or
// npm run bench -- kernels softmax for some of them.
import { jit } from "vibe-rl/array";
import { compare, kernelsWith, programOf, speedOf, turnsOf } from "./kernelPrograms.mjs";
import { buildLimit, instantiate } from "./limit/build.mjs";
import { compete, digits, row } from "./measure.mjs";

const module = buildLimit("kernels.c");
const widths = [32, 10, 10, 7, 0];
console.log(row(widths, ["kernel", "ours", "C→Wasm", "ratio", ""]));
for (const kernel of kernelsWith(process.argv[2] ?? "")) {
  const { name, entry, inputs, unit } = kernel;
  const turns = turnsOf(kernel);
  const program = jit(programOf(kernel, turns));
  const c = module === null ? null : instantiate(module);
  const runners = [() => program(inputs)];
  if (c !== null) {
    const run = () => c[entry](turns);
    const view = (name, like) => new like.constructor(c.memory.buffer, c[name](), like.length);
    compare(kernel, program(inputs), run, view);
    runners.push(run);
  }
  const [ours, theirs] = await compete(runners);
  const speed = (ms) => digits(speedOf(kernel, turns, ms));
  const peer = c === null ? ["–", "–"] : [speed(theirs), (theirs / ours).toFixed(2)];
  console.log(row(widths, [name, speed(ours), ...peer, unit]));
}

// Whole training runs on one thread: native, as WebAssembly, and the same loops in C.
import { jit, random } from "vibe-rl/array";
import { trainingRuns } from "../agentPrograms.mjs";
import { buildNativeLimit } from "../limit/native.mjs";
import { compete, digits, processorTimeOf, row } from "../measure.mjs";

const key = random.key(0);
const widths = [16, 10, 10, 7, 10, 7, 12, 7];

/** A loop by hand, in the modes for denormals that it is made for. */
export const byHand =
  (c, name, count, seed = 1) =>
  () => {
    c.call("flush_denormals", 1);
    c.call(`${name}_init`, seed);
    c.call(name, count);
    c.call("flush_denormals", 0);
  };

/** Prints a row for each run with a word in its name, and returns them. */
export async function runs(word, print) {
  // limit.c draws with xoshiro unless told to draw with threefry, as we do.
  const limits = [[], ["-DTHREEFRY"]].map((defines) => buildNativeLimit("limit.c", ...defines));
  const rows = [];
  const heads = ["native", "wasm", "ratio", "C", "ratio", "C, threefry", "ratio"];
  print(row(widths, ["steps/s", ...heads]));
  for (const { name, task, make, count, steps, learned } of trainingRuns) {
    if (!`${name} ${task}`.includes(word)) continue;
    const native = jit(make(count), { device: "native", threads: 1 });
    const wasm = jit(make(count), { device: "wasm" });
    const runners = [
      () => native(key),
      () => wasm(key),
      ...limits.flatMap((c) => (c === null ? [] : [byHand(c, name, count)])),
    ];
    const times = await compete(runners, { warmMs: 1, rounds: 3, time: processorTimeOf });
    const [ours, ...others] = times.map((ms) => (steps / ms) * 1000);
    const [wasmSpeed, c = null, threefry = null] = others;
    rows.push({
      ...{ name, native: ours, wasm: wasmSpeed, c, cThreefry: threefry },
      ...{ toWasm: ours / wasmSpeed, toC: c && ours / c, toCThreefry: threefry && ours / threefry },
    });
    const cells = others.flatMap((speed) => [digits(speed), (ours / speed).toFixed(2)]);
    print(`${row(widths, [task, digits(ours), ...cells])}  (${learned(native(key))})`);
  }
  return rows;
}

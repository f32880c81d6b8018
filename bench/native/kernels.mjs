// Kernels as native programs against the same kernels in C, one thread each.
import { jit } from "vibe-rl/array";
import { compare, kernelsWith, programOf, speedOf, turnsOf } from "../kernelPrograms.mjs";
import { buildNativeLimit } from "../limit/native.mjs";
import { compete, digits, processorTimeOf, row } from "../measure.mjs";

const widths = [32, 10, 10, 7, 0];

/** Prints a row for each kernel with a word in its name, and returns them. */
export async function kernels(word, print) {
  const c = buildNativeLimit("kernels.c");
  const rows = [];
  print(row(widths, ["kernel, one thread", "native", "C", "ratio", ""]));
  for (const kernel of kernelsWith(word)) {
    const { name, entry, inputs, unit } = kernel;
    const turns = turnsOf(kernel, 2);
    const program = jit(programOf(kernel, turns), { device: "native", threads: 1 });
    const runners = [() => program(inputs)];
    if (c !== null) {
      const run = () => c.call(`run_${entry}`, turns);
      compare(kernel, program(inputs), run, c.view);
      runners.push(run);
    }
    const times = await compete(runners, { warmMs: 60, rounds: 25, time: processorTimeOf });
    const [ours, theirs = null] = times.map((ms) => speedOf(kernel, turns, ms));
    const ratio = theirs === null ? null : ours / theirs;
    rows.push({ name, unit, native: ours, c: theirs, ratio });
    const peer = theirs === null ? ["–", "–"] : [digits(theirs), ratio.toFixed(2)];
    print(row(widths, [name, digits(ours), ...peer, unit]));
  }
  return rows;
}

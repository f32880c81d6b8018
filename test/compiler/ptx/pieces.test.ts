// Rows in pieces on blocks of a GPU, emulated, give the interpreter's answers.
import { describe, it } from "vitest";
import { registerBackend, type Program } from "../../../src/array/index.js";
import { simplifyProgram } from "../../../src/compiler/simplify/simplify.js";
import { cutEverywhere } from "../../array/partition/cutEverywhere.js";
import { isWithoutNative } from "../../device/native.js";
import { rowCases } from "../rowPrograms.js";
import { expectTogether } from "../together.js";
import { emulatedPtx, target } from "./backend.js";
import { divideAtRandom } from "./divided.js";

const isWhole = process.env.VIBE_RL_PTX_TESTS === "all";
const rounds = isWhole ? 12 : 1;

/** Registers a device whose programs are divided over blocks at random, each of which takes its rows in pieces. */
function deviceInPieces(parts: number, seed: number): string {
  const name = `ptx in pieces ${parts} ${seed}`;
  const divide = (program: Program) => {
    const divided = divideAtRandom(simplifyProgram(program), parts, seed);
    return { ...divided, program: cutEverywhere(simplifyProgram(divided.program), 2 + (seed % 3)) };
  };
  const device = emulatedPtx(name, { ...target, multiprocessors: parts, threads: 128 }, { name, divide });
  registerBackend(device, { isDefault: false });
  return name;
}

describe.skipIf(isWithoutNative("test/compiler/ptx/pieces.test.ts"))(
  "random programs on batches, in pieces on each block",
  { timeout: 600_000 },
  () => {
    it.for([...Array(rounds).keys()])("give the interpreter's answers (%i)", (round) =>
      expectTogether(rowCases(isWhole ? 6 : 3, 50 + round), deviceInPieces([2, 4][round % 2], round)),
    );
  },
);

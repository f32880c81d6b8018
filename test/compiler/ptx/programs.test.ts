// Programs in PTX, emulated, give the interpreter's answers: a few cases of each batch. `npm run test:ptx` runs all cases.
import { afterEach, describe, it, vi } from "vitest";
import { isWithoutNative } from "../../device/native.js";
import { functionBatches } from "../functionBatches.js";
import { expectPrintsInOrder } from "../printing.js";
import { programBatches } from "../programBatches.js";
import { expectTogether, fewOf, named, type Batches } from "../together.js";
import "./backend.js";

afterEach(() => void vi.restoreAllMocks());

const device = "emulated ptx";
const isWhole = process.env.VIBE_RL_PTX_TESTS === "all";

/** All batches, or what there is time for as one. */
const batchesOf = (batches: Batches): Batches =>
  isWhole
    ? batches
    : {
        "give the interpreter's answers": () =>
          Object.entries(batches).flatMap(([fact, batch]) => named(fact, fewOf(batch(device), 3))),
      };

describe.skipIf(isWithoutNative("test/compiler/ptx/programs.test.ts"))(
  "programs in PTX",
  { timeout: 600_000 },
  () => {
    it.for(Object.entries(batchesOf(functionBatches)))("of functions %s", ([, batch]) =>
      expectTogether(batch(device), device),
    );

    it.for(Object.entries(batchesOf(programBatches)))("of many kinds %s", ([, batch]) =>
      expectTogether(batch(device), device),
    );

    it("print in order from loops and branches, and stop where printing fails", () =>
      expectPrintsInOrder(device));
  },
);

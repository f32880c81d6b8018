// Programs in C compute numbers as the interpreter does, many of them in one build: some of each batch. `npm run
// test:native` runs all of them, and all tests of this folder on C, with a build for each program.
import { afterEach, describe, it, vi } from "vitest";
import { isWithoutNative } from "../device/native.js";
import { functionBatches } from "./functionBatches.js";
import { expectPrintsInOrder } from "./printing.js";
import { expectTogether, partOf } from "./together.js";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

describe.skipIf(isWithoutNative("test/compiler/native.test.ts"))(
  "programs in C",
  { timeout: 600_000 },
  () => {
    it.for(Object.entries(functionBatches))("%s", ([, batch]) => {
      vi.stubEnv("VIBE_RL_SUBNORMALS", "keep");
      expectTogether(partOf(batch("native"), 4), "native");
    });

    it("print in order from loops and branches, and stop where printing fails", () =>
      expectPrintsInOrder("native"));
  },
);

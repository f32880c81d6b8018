// Programs that are cut into as many functions as can be, on a real GPU.
import { describe, it } from "vitest";
import { registerBackend } from "../../../src/array/index.js";
import { ptxRenderer } from "../../../src/compiler/index.js";
import { cudaBackend } from "../../../src/device/cuda/backend.js";
import { cudaProblem } from "../../../src/device/index.js";
import { functionBatches } from "../../compiler/functionBatches.js";
import { largePrograms } from "../../compiler/ptx/largePrograms.js";
import { expectTogether, named } from "../../compiler/together.js";

const device = "cut cuda";
const cut = cudaBackend((target) => ptxRenderer({ ...target, functionLines: 40 }));

describe.skipIf(cudaProblem() !== null)("programs cut into functions", () => {
  registerBackend({ ...cut, name: device }, { isDefault: false });

  it.for(Object.entries(functionBatches))("%s", ([fact, batch]) =>
    expectTogether(named(fact, batch(device)), device),
  );

  it("go on with what is around them, and meet in all of them", () =>
    expectTogether(largePrograms(), device));
});

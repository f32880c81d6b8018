// Programs in C give the interpreter's answers: products, reductions, sorts, updates, loops and branches, many of them in
// one build: some of each batch. `npm run test:native` runs all of them.
import { describe, it } from "vitest";
import { isWithoutNative } from "../device/native.js";
import { programBatches } from "./programBatches.js";
import { expectTogether, partOf } from "./together.js";

describe.skipIf(isWithoutNative("test/compiler/nativePrograms.test.ts"))(
  "programs in C",
  { timeout: 600_000 },
  () => {
    it.for(Object.entries(programBatches))("%s", ([, batch]) =>
      expectTogether(partOf(batch("native"), 4), "native"),
    );
  },
);

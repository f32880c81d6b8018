// Programs for eight devices as StableHLO with annotations for XLA's partitioner, and what they must compute: cases that
// are checked here, and written to files for run.py, which has XLA split and run them.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Layout, NamedAxis, Program } from "../../../src/array/index.js";
import type { Concrete } from "../../../src/array/core/array.js";
import { stablehlo } from "../../../src/compiler/index.js";
import { checkModule } from "./check.js";

export interface PartitionedCase {
  readonly name: string;
  readonly program: Program;
  readonly axes: readonly NamedAxis[];
  readonly inLayouts: readonly Layout[];
  readonly outLayouts: readonly Layout[];
  readonly inputs: readonly Concrete[];
  readonly outputs: readonly Concrete[];
  /** How far floats may be from what is expected. */
  readonly tolerance: number;
}

/** The folder that cases are written to, if somebody wants them. */
export const casesFolder = process.env.VIBE_RL_PARTITIONED_DIR ?? null;

let written = 0;

/** Checks the text of a case, and writes it to files if somebody wants them. */
export function checkPartitioned(one: PartitionedCase): void {
  const { name, program, axes, inLayouts, outLayouts } = one;
  const { text } = stablehlo(program, {
    name: "partitioned",
    donated: [],
    placement: { axes, inputs: inLayouts, outputs: outLayouts },
  });
  checkModule(text);
  if (casesFolder === null) return;
  mkdirSync(casesFolder, { recursive: true });
  const file = path.join(casesFolder, `case${written++}`);
  const parts: Uint8Array[] = [];
  const describe = (arrays: readonly Concrete[], layouts: readonly Layout[]) =>
    arrays.map(({ elements, dtype, shape }, at) => {
      parts.push(new Uint8Array(elements.buffer, elements.byteOffset, elements.byteLength));
      return { dtype, shape, layout: layouts[at] };
    });
  const inputs = describe(one.inputs, inLayouts);
  const outputs = describe(one.outputs, outLayouts);
  writeFileSync(`${file}.mlir`, text);
  writeFileSync(`${file}.json`, JSON.stringify({ name, axes, inputs, outputs, tolerance: one.tolerance }));
  writeFileSync(`${file}.bin`, Buffer.concat(parts));
}

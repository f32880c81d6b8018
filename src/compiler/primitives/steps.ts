// Primitives that become steps of their own: updates in place, products, sorting, control flow, what devices exchange.
import type { ScanParams, WhileParams } from "../../array/index.js";
import { addPrint, addSort } from "../fuse/apart.js";
import { addCond, addScan, addWhile } from "../fuse/control.js";
import {
  addAxisIndex,
  addExchange,
  gatheredBoxes,
  pairsGiven,
  scatteredBoxes,
  transposedBoxes,
} from "../fuse/exchange.js";
import { buildUpdate, buildWindowSum } from "../fuse/scattered.js";
import { entry, step, type PrimitiveEntry } from "./entry.js";

const collective = (build: ReturnType<typeof addExchange>): PrimitiveEntry =>
  step(build, { isCollective: true });

export const steps = {
  dot: entry({ needsMemory: () => true, form: { kind: "product" } }),
  dynamicUpdateSlice: step(buildUpdate, { isUpdate: true, needsMemory: () => false }),
  windowSum: step(buildWindowSum, { needsMemory: () => false }),
  sort: step(addSort),
  scan: step(addScan, {
    takes: ({ inputs, params }) => {
      const { constants, carries } = params as ScanParams;
      return inputs.slice(constants, constants + carries);
    },
  }),
  while: step(addWhile, {
    takes: ({ inputs, params }) => {
      const { testConstants, bodyConstants } = params as WhileParams;
      return inputs.slice(testConstants + bodyConstants);
    },
  }),
  cond: step(addCond),
  debugPrint: step(addPrint),
  psum: collective(addExchange({ combine: "add" })),
  pmax: collective(addExchange({ combine: "max" })),
  pmin: collective(addExchange({ combine: "min" })),
  allGather: collective(addExchange({ boxes: gatheredBoxes })),
  psumScatter: collective(addExchange({ combine: "add", boxes: scatteredBoxes })),
  ppermute: collective(addExchange({ pairs: pairsGiven })),
  allToAll: collective(addExchange({ boxes: transposedBoxes })),
  axisIndex: collective(addAxisIndex),
} satisfies Record<string, PrimitiveEntry>;

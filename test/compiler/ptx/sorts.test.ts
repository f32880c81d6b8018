// Which sorts by all blocks are turns of one loop.
import { expect, it } from "vitest";
import type { Buffer, Place, SortKernel, Step } from "../../../src/compiler/kernel.js";
import type { MemoryPlan } from "../../../src/compiler/plan/arena.js";
import { sortsFrom } from "../../../src/compiler/ptx/sharedSort/index.js";

let buffers = 0;
const place = (dtype: Buffer["dtype"]): Place => {
  const id = buffers++;
  return { buffer: { id, dtype, size: 3000, name: `b${id}` }, offset: 0, counters: [] };
};

/** A sort that moves positions ("p"), integers ("i") or floats ("f"). */
const sortOf = (what: string): SortKernel => {
  const dtype = what === "f" ? "float32" : "int32";
  const value = { from: what === "p" ? null : place(dtype), to: place(dtype) };
  const lanes = { lanes: 1, length: 3000, stride: 1, outer: 3000 };
  return { kind: "sort", name: "sort", ...lanes, keys: [place("uint32")], values: [value] };
};

/** How many of them go together, from the first on. */
function together(whats: string): number {
  const sorts = [...whats].map(sortOf);
  const steps = sorts.map((kernel): Step => ({ kind: "kernel", kernel }));
  const plan = {
    ...{ fast: new Set(), staged: new Map(), addresses: new Map(), scratch: new Map() },
    division: { common: new Set(), sorts: new Set(sorts) },
  };
  return sortsFrom(steps, 0, plan as unknown as MemoryPlan).length;
}

it.each([
  ["p", 1],
  ["pi", 2],
  ["pii", 3],
  ["ppp", 3],
  ["iii", 3],
  ["fff", 3],
  // Only the first one may be the only one to take the positions.
  ["pip", 2],
  ["ppi", 2],
  ["ip", 1],
  ["pf", 1],
  ["if", 1],
])("sorts of %s: %i", (whats, count) => expect(together(whats)).toBe(count));

// Products by hand, for what only depends on how large they are and how their operands lie.
import type { Buffer, DotKernel } from "../../../src/compiler/kernel.js";

let buffers = 0;
const place = (size: number): { buffer: Buffer; offset: number; counters: [] } => ({
  buffer: { id: buffers++, dtype: "float32", size, name: "operand" },
  offset: 0,
  counters: [],
});

/** A product of operands whose neighbours lie along the depth, or along their rows or columns. */
export const product = (
  [rows, columns, depth]: readonly [number, number, number],
  isLeftAlong: boolean,
  isRightAlong: boolean,
): DotKernel => ({
  kind: "dot",
  name: "product",
  batch: [],
  rows: [rows],
  columns: [columns],
  depth: [depth],
  left: {
    ...place(rows * depth),
    batch: [],
    free: [isLeftAlong ? depth : 1],
    depth: [isLeftAlong ? 1 : rows],
  },
  right: {
    ...place(columns * depth),
    batch: [],
    free: [isRightAlong ? depth : 1],
    depth: [isRightAlong ? 1 : columns],
  },
  stores: [
    {
      address: { ...place(rows * columns), strides: [columns, 1], computed: [] },
      value: { kind: "reduced", id: 0, dtype: "float32", reduction: 0 },
      combine: "set",
      guard: null,
    },
  ],
});

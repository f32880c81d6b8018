// What kernels do on a GPU, in words: how the threads of a block share their work, and where what they work on lies.
import { sizeOf } from "../../array/index.js";
import type { Buffer, Kernel, LoopKernel } from "../kernel.js";
import { accessesOf } from "../plan/accesses.js";
import type { MemoryPlan } from "../plan/arena.js";
import { planNest } from "../schedule/nest.js";
import type { Naming } from "../show/names.js";
import { rootsOf } from "../walk.js";
import { describeDot } from "./dot/describe.js";
import { describeExchange } from "./exchange/index.js";
import { describeReduction, extentsOf } from "./reduce.js";
import { describeSort } from "./sort.js";
import { lanesOfWarp } from "./types.js";
import { pointsAtOnce } from "./values.js";

/** How a kernel's work is shared. */
export function describeWork(kernel: Kernel, plan: MemoryPlan, threads: number): string {
  const { sorts, common, parts } = plan.division;
  const elements = (size: number, by: number) => `${countOf(size, "element")}, ${perThread(size, by)}`;
  switch (kernel.kind) {
    case "loop":
      return describeLoop(kernel, threads);
    case "dot":
      return describeDot(kernel, threads, ({ buffer }) => plan.fast.has(buffer));
    case "sort":
      return sorts.has(kernel)
        ? `sort of ${kernel.length} by all blocks, each the keys of its share of all numbers`
        : describeSort(kernel);
    case "copy":
      return common.has(kernel.to.buffer)
        ? `result, each block a share: ${elements(kernel.size, parts * threads)}`
        : `copy, ${elements(kernel.size, threads)}`;
    case "print":
      return `message ${kernel.message}`;
    case "exchange":
      return describeExchange(kernel, plan.division);
    case "axisIndex":
      return "the block's number";
  }
}

const countOf = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

const perThread = (count: number, threads: number): string =>
  count < threads ? `by ${countOf(count, "thread")}` : `${Math.ceil(count / threads)} per thread`;

function describeLoop(kernel: LoopKernel, threads: number): string {
  const nest = planNest(kernel, lanesOfWarp);
  const points = sizeOf(extentsOf(nest.loops));
  if (kernel.order !== "free")
    return kernel.reductions.length > 0
      ? `loop in order, ${points} points by one thread`
      : `loop in order, ${points} points, each element by the thread that it belongs to`;
  if (kernel.reductions.length > 0) return describeReduction(kernel, nest, threads);
  const many = pointsAtOnce(rootsOf(kernel.body), Math.floor(points / threads));
  return `loop, ${countOf(points, "point")}, ${perThread(points, threads)}${many > 1 ? `, ${many} at once` : ""}`;
}

/** What a kernel reads and writes, each with where it lies: s(hared), o(wn) or c(ommon) memory. */
export function describeBuffers(kernel: Kernel, plan: MemoryPlan, name: Naming): string {
  const { fast, division, scratch } = plan;
  const where = (buffer: Buffer) => (fast.has(buffer) ? "s" : division.common.has(buffer) ? "c" : "o");
  const accesses = accessesOf(kernel);
  const all = (kind: "read" | "write") => [
    ...new Set(accesses.filter((access) => access.kind === kind).map(({ buffer }) => buffer)),
  ];
  const list = (buffers: readonly Buffer[]) => buffers.map((buffer) => `${name(buffer)} (${where(buffer)})`);
  const room = scratch.get(kernel);
  return [
    { text: "reads", names: list(all("read")) },
    { text: "writes", names: list(all("write")) },
    { text: "works in", names: room === undefined ? [] : [`${4 * room.size} bytes (${where(room)})`] },
  ]
    .filter(({ names }) => names.length > 0)
    .map(({ text, names }) => `${text} ${names.join(", ")}`)
    .join("; ");
}

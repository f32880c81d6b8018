// What kernels touch on a GPU, in words: where what they read and write lies.
import type { Buffer, Kernel } from "../kernel.js";
import { accessesOf } from "../plan/accesses.js";
import type { MemoryPlan } from "../plan/arena.js";
import type { Naming } from "../show/names.js";

/** What a kernel reads and writes, each with where it lies: s(hared), o(wn) or c(ommon) memory, or that of e(x)changes. */
export function describeBuffers(kernel: Kernel, plan: MemoryPlan, name: Naming): string {
  const { fast, division, scratch, staged } = plan;
  const where = (buffer: Buffer) =>
    staged.has(buffer) ? "x" : fast.has(buffer) ? "s" : division.common.has(buffer) ? "c" : "o";
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

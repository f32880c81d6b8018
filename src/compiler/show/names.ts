// Names in listings: of buffers, axes, counters and places.
import type { Buffer, Counter, Place, Step } from "../kernel.js";
import { accessesOf } from "../plan/accesses.js";
import { kernelsIn } from "../walk.js";

export type Naming = (buffer: Buffer) => string;

/** Names for buffers: their own, with the buffer's number where several have the same or it has no number. */
export function nameBuffers(buffers: Iterable<Buffer>): Naming {
  const known = new Map<string, Buffer>();
  const shared = new Set<string>();
  for (const buffer of buffers) {
    const other = known.get(buffer.name);
    if (other !== undefined && other !== buffer) shared.add(buffer.name);
    known.set(buffer.name, buffer);
  }
  return ({ name, id }) => (shared.has(name) || !/\d$/.test(name) ? `${name}.${id}` : name);
}

const letters = "ijklmnpqrs";

/** i, j, k, … for the axes of a kernel. */
export const axisName = (axis: number): string => letters[axis] ?? `a${axis}`;

export const counterName = ({ id }: Counter): string => `t${id}`;

/** A part of an affine address: so many elements per step of something. */
export interface Term {
  readonly text: string;
  readonly stride: number;
}

/** 2 + 64*i - j */
export function showSum(offset: number, terms: readonly Term[]): string {
  const parts = [
    ...(offset !== 0 || terms.length === 0 ? [{ text: String(Math.abs(offset)), stride: offset }] : []),
    ...terms.map(({ text, stride }) => ({
      text: Math.abs(stride) === 1 ? text : `${Math.abs(stride)}*${text}`,
      stride,
    })),
  ];
  return parts
    .map(({ text, stride }, at) => (at === 0 ? (stride < 0 ? "-" : "") : stride < 0 ? " - " : " + ") + text)
    .join("");
}

/** Where an array begins: the name of its buffer, and how far in it if that is not its start. */
export function showPlace({ buffer, offset, counters }: Place, name: Naming): string {
  if (offset === 0 && counters.length === 0) return name(buffer);
  const terms = counters.map(({ counter, stride }) => ({ text: counterName(counter), stride }));
  return `${name(buffer)}[${showSum(offset, terms)}..]`;
}

/** All buffers that steps work on; some more than once. */
export const buffersIn = (steps: readonly Step[]): Buffer[] =>
  kernelsIn(steps).flatMap((kernel) => accessesOf(kernel).map(({ buffer }) => buffer));

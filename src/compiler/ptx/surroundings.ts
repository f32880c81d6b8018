// What the PTX of one kernel is written into, and what it can refer to: memory, loops around it, its threads.
import { itemSize, type DType } from "../../array/index.js";
import type { Address, Buffer, Counter, Kernel, Place } from "../kernel.js";
import type { Division, MemoryPlan } from "../plan/arena.js";
import type { Grid } from "./grid.js";
import { choose, divide } from "./indices.js";
import { quad } from "./quads.js";
import { isNumber, kindOf, literal, type PtxText } from "./text.js";
import { lanesOfWarp } from "./types.js";

/** An element's place, as an instruction has it. */
export interface Reference {
  readonly space: "global" | "shared";
  readonly text: string;
  /** Whether other blocks have written there, so that it is not worth a place in the nearest cache. */
  readonly isOfOthers?: boolean;
}

/** The space of an instruction that loads, and how it is cached. */
export const loadsFrom = ({ space, isOfOthers = false }: Reference): string =>
  isOfOthers ? `${space}.cg` : space;

/** A place that code goes on from: a register, and so many bytes behind it. */
export interface Pointer {
  readonly space: Reference["space"];
  readonly register: string;
  readonly bytes: number;
}

/** A product that is part of a place: a register or a number, times a factor. */
export interface Part {
  readonly operand: string;
  readonly factor: number;
}

/** How far an instruction may reach from what is in its register. */
const farthest = 2 ** 30;

/** The axis in front of a kernel's own along which the arrays change where kernels of one form are done as one. */
export const variantAxis = -1;

/** Kernels of one form that are done as one: the first of them, with places that depend on an index along one more axis. */
export interface Variants {
  /** From which index on it is each kernel's turn. */
  readonly from: readonly number[];
  /** The places of all kernels, by those of the first. */
  readonly places: ReadonlyMap<Place, readonly Place[]>;
  /** Where kernels have one axis, of different extents: which one it is, and how many of its points an index stands for. */
  readonly pieces: { readonly axis: number; readonly points: number } | null;
}

/** What is in registers wherever kernels are. */
export interface Surroundings {
  /** Where the memory begins that all blocks have in common, and that of this block's own. */
  readonly memory: string;
  readonly own: string;
  /** Where shared memory begins. */
  readonly shared: string;
  /** The number of the thread in its block. */
  readonly thread: string;
  /** Of several blocks, how they meet. */
  readonly grid: Pick<Grid, "side" | "tooMany"> | null;
  /** The counters of loops, by their numbers. */
  readonly counters: ReadonlyMap<number, string>;
}

export class KernelText {
  readonly memory: string;
  readonly own: string;
  readonly thread: string;

  constructor(
    readonly out: PtxText,
    readonly plan: MemoryPlan,
    /** Threads of the block that runs it. */
    readonly threads: number,
    private readonly surroundings: Surroundings,
    /** Kernels that it is for as well; null where it is for one alone. */
    readonly variants: Variants | null = null,
    /** Whether long formulas are functions that are called: each thread needs them once, and code comes from far. */
    readonly areCalled = false,
  ) {
    const { memory, own, thread } = surroundings;
    this.memory = memory;
    this.own = own;
    this.thread = thread;
  }

  /** The same for a kernel and others of its form, and with calls of long formulas. */
  of(variants: Variants | null, areCalled = false): KernelText {
    const { out, plan, threads, surroundings } = this;
    return new KernelText(out, plan, threads, surroundings, variants, areCalled);
  }

  /** The number of the thread's warp. */
  get warp(): string {
    const { out, thread, threads } = this;
    return out.asUniform(divide(out, thread, lanesOfWarp, threads).quotient);
  }

  /** Whether a thread is one of the first so many, which are whole warps; null where all are. */
  isBelow(busy: number): string | null {
    return busy === this.threads
      ? null
      : this.out.pure("setp.lt.u32", "pred", this.warp, String(busy / lanesOfWarp));
  }

  /** How blocks meet; there are several. */
  get grid(): Pick<Grid, "side" | "tooMany"> {
    const { grid } = this.surroundings;
    if (grid === null) throw new Error("one block alone exchanges nothing");
    return grid;
  }

  /** The counter of a loop around the kernel. */
  counter({ id }: Pick<Counter, "id">): string {
    return this.surroundings.counters.get(id) as string;
  }

  /** A sum of products and a number, in a register; null where the products are nothing. */
  sum(parts: readonly Part[]): { readonly register: string | null; readonly constant: number } {
    const { out } = this;
    let register: string | null = null;
    let constant = 0;
    for (const { operand: given, factor } of parts) {
      if (factor === 0) continue;
      const { base: operand, by } = out.shiftOf(given);
      constant += by * factor;
      if (isNumber(operand)) constant += Number(operand) * factor;
      else if (register === null)
        register = factor === 1 ? operand : out.pure("mul.lo.s32", "b32", operand, String(factor));
      else if (factor === 1) register = out.pure("add.s32", "b32", register, operand);
      else register = out.pure("mad.lo.s32", "b32", operand, String(factor), register);
    }
    return { register, constant };
  }

  /** The parts of a place that come from the loops around. */
  partsOf({ counters }: Pick<Address, "counters">): Part[] {
    return counters.map(({ counter, stride }) => ({ operand: this.counter(counter), factor: stride }));
  }

  /** Whether a buffer lies in shared memory. */
  isFast(buffer: Buffer): boolean {
    return this.plan.fast.has(buffer);
  }

  /** Where an element of a buffer is, so many elements from its beginning. */
  reference(buffer: Buffer, offset: number, parts: readonly Part[]): Reference {
    return this.at(this.pointer(buffer, offset, parts));
  }

  /** The same as a place to go on from. */
  pointer(buffer: Buffer, offset: number, parts: readonly Part[]): Pointer {
    const { plan } = this;
    const { register, constant } = this.sum(parts);
    const bytes = itemSize(buffer.dtype);
    const start = startOf(plan, buffer) + (offset + constant) * bytes;
    const base = this.baseOf(buffer);
    const isFar = base.space === "global" && Math.abs(start) > farthest;
    const from = isFar ? this.out.pure("add.s64", "b64", base.register, String(start)) : base.register;
    const first = { ...base, register: from, bytes: isFar ? 0 : start };
    return register === null ? first : this.moved(first, register, bytes);
  }

  /**
   * A place of a kernel to go on from; where there are variants of the kernel, the one of an index along their axis.
   */
  placeAt(place: Place, parts: readonly Part[], index: () => string): Pointer {
    const { out, plan, variants } = this;
    const places = variants?.places.get(place);
    if (variants === null || places === undefined) return this.pointer(place.buffer, place.offset, parts);
    const bytes = itemSize(place.buffer.dtype);
    const { register, constant } = this.sum(parts);
    const { pieces, from } = variants;
    const at = index();
    const step = pieces === null ? 0 : pieces.points * strideOf(place, pieces.axis) * bytes;
    const steps = places.map(({ buffer, offset }, which) => ({
      from: from[which],
      value: startOf(plan, buffer) + offset * bytes - from[which] * step,
    }));
    const base = { ...this.baseOf(place.buffer), bytes: constant * bytes };
    const chosen = this.moved(base, choose(out, at, steps), 1);
    const moved = step === 0 ? chosen : this.moved(chosen, at, step);
    return register === null ? moved : this.moved(moved, register, bytes);
  }

  /** Whether a place of a kernel is another one for its variants. */
  hasVariants(place: Place): boolean {
    const [first, ...others] = this.variants?.places.get(place) ?? [];
    return others.some(({ buffer, offset }) => buffer !== first.buffer || offset !== first.offset);
  }

  /** Where what this block hands to others by the next exchange begins, given how far it is to that of the next block. */
  private stagedBase(stride: number): string {
    const { out } = this;
    const block = out.pure("mov.u32", "b32", "%ctaid.x");
    return out.pure("mad.wide.u32", "b64", block, String(stride), sideOf(this));
  }

  /** Where the memory begins that a buffer lies in. */
  private baseOf(buffer: Buffer): Pointer {
    const { plan, memory, own } = this;
    const staged = plan.staged.get(buffer);
    if (staged !== undefined) return { space: "global", register: this.stagedBase(staged.stride), bytes: 0 };
    if (plan.fast.has(buffer)) return { space: "shared", register: this.surroundings.shared, bytes: 0 };
    return { space: "global", register: plan.division.common.has(buffer) ? memory : own, bytes: 0 };
  }

  /** A place that is a number of times so many bytes further. */
  moved({ space, register, bytes }: Pointer, by: string, factor: number): Pointer {
    const { out } = this;
    const { base, by: constant } = out.shiftOf(by);
    if (factor === 0) return { space, register, bytes };
    if (isNumber(base)) return { space, register, bytes: bytes + (Number(base) + constant) * factor };
    const [instruction, kind] =
      space === "shared" ? (["mad.lo.s32", "b32"] as const) : (["mad.wide.s32", "b64"] as const);
    const place = out.pure(instruction, kind, base, String(factor), register);
    return { space, register: place, bytes: bytes + constant * factor };
  }

  /** So many bytes behind a place. */
  at({ space, register, bytes }: Pointer, further = 0): Reference {
    return { space, text: `[${register}${signed(bytes + further)}]` };
  }

  /** The first element of a place. */
  first(place: Place): Reference {
    return this.reference(place.buffer, place.offset, this.partsOf(place));
  }

  /**
   * An element read, as a value of its dtype: 0 where a condition does not hold. Such loads and stores are single
   * instructions, not jumps, so that the assembler can move others across.
   */
  load(reference: Reference, dtype: DType, condition: string | null = null): string {
    const { out } = this;
    const { text } = reference;
    const kind = dtype === "float32" ? "f32" : "b32";
    const instruction = `ld.${loadsFrom(reference)}.${memoryType(dtype)}`;
    let word: string;
    if (condition === null) word = out.effect(instruction, kind, text);
    else {
      word = out.effect(`mov.${kind}`, kind, literal(0, dtype));
      out.line(`@${condition} ${instruction} ${word}, ${text};`);
    }
    return dtype === "bool" ? out.effect("setp.ne.u32", "pred", word, "0") : word;
  }

  /** Four neighbours read, likewise. */
  loadQuad(reference: Reference, dtype: DType, condition: string | null): string[] {
    const { out } = this;
    const kind = kindOf(dtype);
    const words = Array.from({ length: quad }, () =>
      condition === null ? out.register(kind) : out.effect(`mov.${kind}`, kind, literal(0, dtype)),
    );
    const guard = condition === null ? "" : `@${condition} `;
    const instruction = `ld.${loadsFrom(reference)}.v${quad}.${memoryType(dtype)}`;
    out.line(`${guard}${instruction} {${words.join(", ")}}, ${reference.text};`);
    return words;
  }

  /** Four neighbours stored. */
  storeQuad(
    { space, text }: Reference,
    dtype: DType,
    words: readonly string[],
    condition: string | null,
  ): void {
    const guard = condition === null ? "" : `@${condition} `;
    this.out.line(`${guard}st.${space}.v${quad}.${memoryType(dtype)} ${text}, {${words.join(", ")}};`);
  }

  /** Whether four words from an element on, which is the same for all variants, can be loaded at once. */
  isAlignedToQuads(address: Address): boolean {
    return !this.hasVariants(address) && this.beginsWithQuads(address);
  }

  /** Whether quads begin where a place does, that of each variant. */
  beginsWithQuads(place: Place): boolean {
    const places = this.variants?.places.get(place) ?? [place];
    return places.every(
      ({ buffer, offset }) =>
        (startOf(this.plan, buffer) + itemSize(buffer.dtype) * offset) % (4 * quad) === 0,
    );
  }

  /** Stores an element, where a condition holds if there is one. */
  store({ space, text }: Reference, dtype: DType, value: string, condition: string | null = null): void {
    const { out } = this;
    const word = dtype === "bool" ? out.effect("selp.u32", "b32", "1", "0", value) : value;
    const guard = condition === null ? "" : `@${condition} `;
    out.line(`${guard}st.${space}.${memoryType(dtype)} ${text}, ${word};`);
  }

  /** Whether all of some conditions hold; null where there is none. */
  all(conditions: readonly (string | null)[]): string | null {
    return conditions.reduce(
      (all, one) =>
        all === null || one === null ? (all ?? one) : this.out.pure("and.pred", "pred", all, one),
      null,
    );
  }

  /** The working memory of a kernel. */
  scratch(kernel: Kernel): Buffer {
    return this.plan.scratch.get(kernel) as Buffer;
  }

  /** All threads of the block wait for each other. */
  meet(): void {
    this.out.line("bar.sync 0;");
  }

  /** A value that changes, of a dtype. */
  variable(dtype: DType, value: string): string {
    const result = this.out.register(kindOf(dtype));
    this.assign(dtype, result, value);
    return result;
  }

  assign(dtype: DType, variable: string, value: string): void {
    const kind = kindOf(dtype);
    this.out.line(
      kind === "pred" && isNumber(value)
        ? `setp.ne.s32 ${variable}, ${value}, 0;`
        : `mov.${kind} ${variable}, ${value};`,
    );
  }
}

const strideOf = (place: Place, axis: number): number => (place as Partial<Address>).strides?.[axis] ?? 0;

/** Where a buffer begins, from where the memory begins that it lies in. */
const startOf = ({ addresses, staged }: MemoryPlan, buffer: Buffer): number =>
  staged.get(buffer)?.offset ?? addresses.get(buffer) ?? 0;

/** Where the side begins by which blocks exchange something next. */
export function sideOf({ out, memory, grid, plan: { division } }: KernelText): string {
  const first = out.pure("add.s64", "b64", memory, String(division.exchange));
  const side = out.pure("mul.wide.u32", "b64", grid.side, String(sideBytes(division)));
  return out.pure("add.s64", "b64", side, first);
}

/** Bytes of each of the two sides by which blocks exchange something. */
const sideBytes = ({ start, exchange }: Division): number => (start - exchange) / 2;

const signed = (offset: number): string => (offset === 0 ? "" : `+${offset}`);

/** The type of an element in memory. */
export const memoryType = (dtype: DType): string =>
  dtype === "float32" ? "f32" : dtype === "bool" || dtype === "uint8" ? "u8" : "u32";

// What a block gets from others as boxes of arrays: parts of rows, say. Where the rows are whole quads of words, they are
// read so, otherwise word by word, as many as can be under way at once.
import { itemSize, sizeOf } from "../../../array/index.js";
import type { ExchangeKernel, Pull } from "../../kernel.js";
import { choose, positionsOf } from "../indices.js";
import type { KernelText, Pointer } from "../surroundings.js";
import type { Group } from "./group.js";
import { startsOf, type Layout } from "./layout.js";
import { asOperand, type Totals, type Width } from "./totals.js";

const quadWords = 4;
/** Quads, or words, that a thread has on their way at once, at most. */
const mostUnits = 8;

/** A box of quads or words: how many along each axis, and how many bytes apart they lie on either side. */
interface Box {
  /** Words of a unit. */
  readonly width: Width;
  readonly extents: readonly number[];
  readonly from: readonly number[];
  readonly to: readonly number[];
  /** Bytes from the box of one member of a group to that of the next, in operands and in results. */
  readonly perReceiver: number;
  readonly perSender: number;
}

/** The box of a pull, in quads where it is made of them; null for what is no words. */
function boxOf({ from, to, extents, fromStrides, toStrides, perReceiver, perSender }: Pull): Box | null {
  if (itemSize(from.buffer.dtype) !== 4) return null;
  const axes = extents.flatMap((extent, axis) => (extent === 1 ? [] : [axis]));
  const last = axes.at(-1);
  const isOfQuads =
    last !== undefined &&
    fromStrides[last] === 1 &&
    toStrides[last] === 1 &&
    [
      extents[last],
      perReceiver,
      perSender,
      ...axes.slice(0, -1).flatMap((axis) => [fromStrides[axis], toStrides[axis]]),
      ...startsOf(to),
    ].every((count) => count % quadWords === 0);
  const width = isOfQuads ? quadWords : 1;
  const bytes = (strides: readonly number[]) =>
    axes.map((axis) => 4 * strides[axis] * (axis === last ? width : 1));
  return {
    width,
    extents: axes.map((axis) => extents[axis] / (axis === last ? width : 1)),
    from: bytes(fromStrides),
    to: bytes(toStrides),
    perReceiver: 4 * perReceiver,
    perSender: 4 * perSender,
  };
}

/** Whether all that a block gets are boxes of words, of one dtype. */
export const areBoxes = ({ pulls }: ExchangeKernel): boolean =>
  pulls.every((pull) => boxOf(pull) !== null && pull.from.buffer.dtype === pulls[0].from.buffer.dtype);

/** Pulls of equal boxes, done as one. */
interface Alike {
  readonly box: Box;
  /** Where each operand lies in what a member lays out, in bytes. */
  readonly operands: readonly number[];
  /** Where the results lie: in memory of one kind, so many bytes from where it begins. */
  readonly space: Pointer["space"];
  readonly register: string;
  readonly results: readonly number[];
}

function alikeIn(text: KernelText, { pulls }: ExchangeKernel, { operands }: Layout): readonly Alike[] {
  const groups = new Map<string, Alike>();
  pulls.forEach((pull, at) => {
    const box = boxOf(pull);
    if (box === null) throw new Error("an exchange of something else than words");
    const { to } = pull;
    const { space, register, bytes } = text.pointer(to.buffer, to.offset, text.partsOf(to));
    const key = `${space} ${register} ${JSON.stringify(box)}`;
    const known = groups.get(key);
    groups.set(key, {
      ...{ box, space, register },
      operands: [...(known?.operands ?? []), operands[at]],
      results: [...(known?.results ?? []), bytes],
    });
  });
  return [...groups.values()];
}

/** Where a block finds what others have laid out. */
export interface Staged {
  readonly text: KernelText;
  readonly kernel: ExchangeKernel;
  readonly layout: Layout;
  readonly group: Group;
  /** Where the first member's operands begin, and the block's own place in its group. */
  readonly base: string;
  readonly place: string;
}

const steps = (values: readonly number[]) => values.map((value, from) => ({ from, value }));

/** Adds up, for each result, the boxes of all members that are this block's. */
export function addBoxes({ text, kernel, layout, base, place }: Staged, totals: Totals): void {
  const { out } = text;
  for (const { box, operands, results, space, register } of alikeIn(text, kernel, layout)) {
    const extents = [operands.length, ...box.extents];
    totals.add(sizeOf(extents), box.width, (unit, isThere) => {
      const held = out.effect("selp.b32", "b32", unit, "0", isThere);
      const [which, ...positions] = positionsOf(out, held, extents);
      const along = (strides: readonly number[]) =>
        positions.map((operand, axis) => ({ operand, factor: strides[axis] }));
      const source = text.sum([
        ...along(box.from),
        { operand: choose(out, which, steps(operands)), factor: 1 },
        { operand: place, factor: box.perReceiver },
      ]);
      const target = text.sum([...along(box.to), { operand: choose(out, which, steps(results)), factor: 1 }]);
      return {
        source: behind(text, base, source),
        isThere,
        store: (words, condition) => {
          const { text: address } = text.at(placed(text, { space, register, bytes: 0 }, target));
          const { type, text: operand } = asOperand(words);
          out.line(`@${condition} st.${space}.${type} ${address}, ${operand};`);
        },
      };
    });
  }
}

/** Puts the boxes of all members side by side. */
export function gatherBoxes({ text, kernel, layout, group, base, place }: Staged): void {
  const { out, thread, threads } = text;
  for (const { box, operands, results, space, register } of alikeIn(text, kernel, layout)) {
    const extents = [operands.length, group.size, ...box.extents];
    const count = sizeOf(extents);
    const units = (first: string, many: number) => {
      const loaded = Array.from({ length: many }, (_, at) => {
        const index = out.plus(first, at * threads);
        const [which, sender, ...positions] = positionsOf(out, index, extents);
        const along = (strides: readonly number[]) =>
          positions.map((operand, axis) => ({ operand, factor: strides[axis] }));
        const source = text.sum([
          ...along(box.from),
          { operand: choose(out, which, steps(operands)), factor: 1 },
          { operand: place, factor: box.perReceiver },
          { operand: group.distance(out, sender), factor: layout.stride },
        ]);
        const target = text.sum([
          ...along(box.to),
          { operand: choose(out, which, steps(results)), factor: 1 },
          { operand: sender, factor: box.perSender },
        ]);
        const { type, text: operand } = asOperand(
          Array.from({ length: box.width }, () => out.register("b32")),
        );
        out.line(`ld.global.cg.${type} ${operand}, [${behind(text, base, source)}];`);
        return { type, operand, target };
      });
      for (const { type, operand, target } of loaded) {
        const { text: address } = text.at(placed(text, { space, register, bytes: 0 }, target));
        out.line(`st.${space}.${type} ${address}, ${operand};`);
      }
    };
    const many = Math.min(mostUnits, Math.max(1, Math.floor(count / threads)));
    const whole = Math.floor(count / (many * threads)) * many * threads;
    out.stride(thread, whole, many * threads, threads, (first) => units(first, many));
    out.stride(out.plus(thread, whole), count, threads, threads, (index) => units(index, 1));
  }
}

type Sum = ReturnType<KernelText["sum"]>;

/** An address so many bytes behind another. */
function behind({ out }: KernelText, base: string, { register, constant }: Sum): string {
  const from = constant === 0 ? base : out.pure("add.s64", "b64", base, String(constant));
  return register === null ? from : out.pure("mad.wide.s32", "b64", register, "1", from);
}

/** A place so many bytes behind another. */
const placed = (text: KernelText, from: Pointer, { register, constant }: Sum): Pointer => {
  const moved = register === null ? from : text.moved(from, register, 1);
  return { ...moved, bytes: moved.bytes + constant };
};

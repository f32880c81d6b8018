// Parts of an array that are computed elsewhere first, and then only copied to their place in it: they are stored there at once.
import type { Address, Buffer, DotKernel, Kernel, LoopKernel, Place, Step, Store } from "../kernel.js";
import { accessesOf } from "../plan/accesses.js";
import { insideOf, kernelsIn, loadsIn, mapInside, rootsOf } from "../walk.js";

/** A copy of a whole buffer to a part of another one, which begins so many elements further. */
interface Move {
  readonly from: Buffer;
  readonly to: Buffer;
  readonly distance: number;
}

/** The same steps, with what is copied to a part of an array stored there. Buffers that are seen from elsewhere stay. */
export function storeDirectly(steps: readonly Step[], seen: ReadonlySet<Buffer>): readonly Step[] {
  const uses = new Map<Buffer, number>();
  const use = ({ buffer }: Pick<Place, "buffer">) => uses.set(buffer, (uses.get(buffer) ?? 0) + 1);
  kernelsIn(steps).flatMap(accessesOf).forEach(use);
  lookedAt(steps).forEach(use);
  return inList(steps, seen, uses);
}

/** What decides where steps go on. */
const lookedAt = (steps: readonly Step[]): Place[] =>
  steps.flatMap((step) => {
    if (step.kind === "kernel") return [];
    const own = step.kind === "while" ? [step.predicate] : step.kind === "branch" ? [step.index] : [];
    return [...own, ...lookedAt(insideOf(step))];
  });

function inList(
  given: readonly Step[],
  seen: ReadonlySet<Buffer>,
  uses: ReadonlyMap<Buffer, number>,
): readonly Step[] {
  const steps: (Step | null)[] = given.map((step) => mapInside(step, (list) => inList(list, seen, uses)));
  steps.forEach((step, at) => {
    if (step?.kind !== "kernel" || step.kernel.kind !== "loop") return;
    const { kernel } = step;
    const kept = kernel.body.filter((store) => {
      const move = moveOf(kernel, store);
      if (move === null || seen.has(move.from) || isReadBeside(kernel, store, move)) return true;
      const maker = makerOf(steps, at, move, uses);
      if (maker === null) return true;
      steps[maker.at] = { kind: "kernel", kernel: movedTo(maker.kernel, move) };
      return false;
    });
    if (kept.length < kernel.body.length)
      steps[at] = kept.length === 0 ? null : { kind: "kernel", kernel: { ...kernel, body: kept } };
  });
  return steps.filter((step) => step !== null);
}

/** What a store of a kernel copies; null where it does something else. */
function moveOf(kernel: LoopKernel, { address, value, combine, guard }: Store): Move | null {
  const { order, reductions, after, extents } = kernel;
  if (order !== "free" || reductions.length > 0 || after.length > 0) return null;
  if (combine !== "set" || guard !== null || value.kind !== "load" || value.guard !== null) return null;
  const from = value.address;
  const isFixed = ({ computed, counters }: Address) => computed.length === 0 && counters.length === 0;
  if (!isFixed(from) || !isFixed(address) || from.buffer.dtype !== address.buffer.dtype) return null;
  const axes = extents.flatMap((extent, axis) => (extent === 1 ? [] : [axis]));
  const points = axes.reduce((product, axis) => product * extents[axis], 1);
  const isInStep = axes.every(
    (axis) => from.strides[axis] === address.strides[axis] && from.strides[axis] !== 0,
  );
  if (!isInStep || points !== from.buffer.size || from.buffer === address.buffer) return null;
  return { from: from.buffer, to: address.buffer, distance: address.offset - from.offset };
}

/** Whether other stores of a kernel need what one of them moves. */
const isReadBeside = ({ body }: LoopKernel, store: Store, { from }: Move): boolean =>
  loadsIn(rootsOf(body.filter((other) => other !== store))).some(({ buffer }) => buffer === from);

/** The kernel that computes what is moved, if nobody else has to do with it, and it may be stored where it is moved to. */
function makerOf(
  steps: readonly (Step | null)[],
  end: number,
  { from, to, distance }: Move,
  uses: ReadonlyMap<Buffer, number>,
): { readonly at: number; readonly kernel: LoopKernel | DotKernel } | null {
  // One that stores it, once, and the copy.
  if (uses.get(from) !== 2) return null;
  for (let at = end - 1; at >= 0; at--) {
    const step = steps[at];
    if (step === null) continue;
    if (step.kind !== "kernel") return null;
    const accesses = accessesOf(step.kernel);
    const isBetween = accesses.some(
      ({ buffer, range }) => buffer === to && range.start < distance + from.size && distance < range.end,
    );
    if (isBetween) return null;
    if (!accesses.some(({ buffer }) => buffer === from)) continue;
    const { kernel } = step;
    const isPlain = (kernel.kind === "loop" && kernel.order === "free") || kernel.kind === "dot";
    return isPlain &&
      storesOf(kernel).every(({ address }) => address.buffer !== from || address.counters.length === 0)
      ? { at, kernel }
      : null;
  }
  return null;
}

const storesOf = (kernel: LoopKernel | DotKernel): readonly Store[] =>
  kernel.kind === "dot" ? kernel.stores : [...kernel.body, ...kernel.after];

/** A kernel that stores something in another place. */
function movedTo<K extends Kernel>(kernel: K, { from, to, distance }: Move): K {
  const moved = (stores: readonly Store[]): Store[] =>
    stores.map((store) =>
      store.address.buffer === from
        ? { ...store, address: { ...store.address, buffer: to, offset: store.address.offset + distance } }
        : store,
    );
  if (kernel.kind === "dot") return { ...kernel, stores: moved(kernel.stores) };
  if (kernel.kind === "loop") return { ...kernel, body: moved(kernel.body), after: moved(kernel.after) };
  return kernel;
}

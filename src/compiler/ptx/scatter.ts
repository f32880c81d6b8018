// Loop kernels as PTX whose points may meet at an element: they combine there, or the last one counts.
import { sizeOf } from "../../array/index.js";
import type { Expression, LoopKernel, Store } from "../kernel.js";
import type { Loop, Nest } from "../schedule/nest.js";
import { expressionsBelow, rootsOf } from "../walk.js";
import { divide, positionsOf } from "./indices.js";
import { extentsOf, positionIn, Reducing } from "./reduce.js";
import type { KernelText } from "./surroundings.js";
import { Values } from "./values.js";

export function renderInOrder(text: KernelText, kernel: LoopKernel, { loops }: Nest): void {
  const { out, thread } = text;
  if (kernel.reductions.length > 0)
    out.when(out.effect("setp.eq.s32", "pred", thread, "0"), () =>
      new Reducing(text, kernel, { loops, vector: -1 }, true).render(),
    );
  else if (!areSeparate(kernel.body)) byOwners(text, kernel, loops);
  else if (kernel.order === "collides" && kernel.body.every(isAtomic)) atOnce(text, kernel, loops);
  else {
    const free = loops.filter((loop) => kernel.body.every((store) => isFree(loop, store, loops)));
    if (free.length > 0 && kernel.body.every((store) => areApart(free, store, loops)))
      byColumns(text, kernel, loops, free);
    else byOwners(text, kernel, loops);
  }
}

/** Whether no two stores can meet. */
const areSeparate = (stores: readonly Store[]): boolean =>
  new Set(stores.map(({ address }) => address.buffer)).size === stores.length;

const atomics = { add: "add", min: "min", max: "max" } as const;

/** Whether memory can combine values by itself, in any order with the same result. */
const isAtomic = ({ combine, address: { buffer } }: Store): boolean =>
  combine in atomics && (buffer.dtype === "int32" || buffer.dtype === "uint32");

/** All points at once. */
function atOnce(text: KernelText, kernel: LoopKernel, loops: readonly Loop[]): void {
  const { out, thread, threads } = text;
  const extents = extentsOf(loops);
  out.stride(thread, sizeOf(extents), threads, threads, (index) => {
    const values = new Values(text, positionIn(loops, positionsOf(out, index, extents)));
    values.compute(rootsOf(kernel.body));
    for (const { address, value, guard, combine } of kernel.body) {
      const { space, text: place } = values.reference(address);
      const type = address.buffer.dtype === "int32" ? "s32" : "u32";
      const condition = guard === null ? "" : `@${values.read(guard)} `;
      out.line(`${condition}red.${space}.${combine}.${type} ${place}, ${values.read(value)};`);
    }
  });
}

/** The axes that computed indices depend on. */
function axesOf(indices: readonly Expression[]): Set<number> {
  const axes = new Set<number>();
  for (const expression of expressionsBelow(indices)) {
    if (expression.kind === "axis") axes.add(expression.axis);
    else if (expression.kind === "load")
      expression.address.strides.forEach((stride, axis) => stride !== 0 && axes.add(axis));
  }
  return axes;
}

const indicesOf = ({ address }: Store): Expression[] => address.computed.map(({ index }) => index);

/** Whether a store goes along a loop by steps that are known. */
const isFree = ({ axis }: Loop, store: Store, loops: readonly Loop[]): boolean =>
  loops.length > 1 && store.address.strides[axis] > 0 && !axesOf(indicesOf(store)).has(axis);

const divisorOf = (x: number, y: number): number => (y === 0 ? Math.abs(x) : divisorOf(y, x % y));

/** Whether points of different positions along free loops never meet: what else moves a store leaps over all of them. */
function areApart(free: readonly Loop[], { address }: Store, loops: readonly Loop[]): boolean {
  const others = [
    ...address.computed.map(({ stride }) => stride),
    ...loops.filter((loop) => !free.includes(loop)).map(({ axis }) => address.strides[axis]),
  ];
  const leap = others.reduce(divisorOf, 0);
  let reach = 1;
  for (const { axis, extent } of free.toSorted((a, b) => address.strides[a.axis] - address.strides[b.axis])) {
    const stride = address.strides[axis];
    if (stride < reach) return false;
    reach = stride * (extent - 1) + reach;
  }
  return leap === 0 || leap >= reach;
}

/** Each position along free loops belongs to one thread, which goes through the other loops in their order. */
function byColumns(
  text: KernelText,
  kernel: LoopKernel,
  loops: readonly Loop[],
  free: readonly Loop[],
): void {
  const { out, thread, threads } = text;
  const others = loops.filter((loop) => !free.includes(loop));
  const [own, shared] = [extentsOf(free), extentsOf(others)];
  out.stride(thread, sizeOf(own), threads, threads, (column) => {
    const positions = positionsOf(out, column, own);
    out.loop("0", String(sizeOf(shared)), "1", (index) => {
      const all = [...positions, ...positionsOf(out, index, shared)];
      new Values(text, positionIn([...free, ...others], all)).store(kernel.body);
    });
  });
}

/** Points whose indices are computed together. */
const pointsTogether = 4;

/** Each element belongs to one thread, which goes through all points in their order and does those that are its own. */
function byOwners(text: KernelText, kernel: LoopKernel, loops: readonly Loop[]): void {
  const { out, thread, threads } = text;
  const extents = extentsOf(loops);
  const count = sizeOf(extents);
  const needed = kernel.body.flatMap((store) => [
    ...indicesOf(store),
    ...(store.guard === null ? [] : [store.guard]),
  ]);
  const points = (first: string, many: number) => {
    const values = Array.from({ length: many }, (_, at) => {
      const positions = positionsOf(out, out.plus(first, at), extents);
      return new Values(text, positionIn(loops, positions), undefined, String(at));
    });
    Values.computeAll(values, needed);
    for (const one of values)
      for (const store of kernel.body) {
        const owner = divide(out, one.element(store.address), threads, 2 ** 31).remainder;
        out.when(out.effect("setp.eq.s32", "pred", owner, thread), () => one.store([store]));
      }
  };
  const whole = Math.floor(count / pointsTogether) * pointsTogether;
  out.stride("0", whole, pointsTogether, 1, (first) => points(first, pointsTogether));
  out.stride(String(whole), count, 1, 1, (index) => points(index, 1));
}

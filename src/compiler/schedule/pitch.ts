// Arrays that products read, their rows a little further apart. Shared memory lies in 32 banks: rows of 64 elements all begin
// in the same one, where lanes that read a column at a time wait for each other. With 72 they do not: whoever reads eight
// columns of four rows, or pairs of four rows, finds all of them in different banks.
import type { Address, Buffer, DotKernel, Expression, Kernel, Place, Step, Store } from "../kernel.js";
import {
  expressionsBelow,
  extentsOf,
  kernelsIn,
  loadsOf,
  mapInside,
  placesOf,
  reductionRoots,
  rootsOf,
} from "../walk.js";

const banks = 32;
/** Rows begin so many banks behind the one before, or before it. */
const step = 8;
/** Fewer rows than this hardly ever keep lanes waiting. */
const leastRows = 32;

/** The distance of rows of so many elements that suits products; null where they have it. */
function pitchFor(length: number): number | null {
  const behind = length % banks;
  if (length % step !== 0 || behind === step || behind === banks - step) return null;
  return length + step;
}

/** An axis along which an array is walked. */
interface Walk {
  readonly extent: number;
  readonly stride: number;
}

const walksOf = (place: Place, extents: readonly number[], strides: readonly number[]): Walk[] => [
  ...strides.map((stride, axis) => ({ extent: extents[axis], stride })),
  ...place.counters.map(({ counter, stride }) => ({ extent: counter.length, stride })),
];

const isMoving = ({ extent, stride }: Walk): boolean => extent > 1 && stride !== 0;

/** How many elements a row has, of an array that a product reads: null where its elements do not come in rows. */
function rowLength(walks: readonly Walk[]): number | null {
  const strides = walks.filter(isMoving).map(({ stride }) => stride);
  const [first, second] = [...new Set(strides)].sort((a, b) => a - b);
  return first === 1 && second > 1 ? second : null;
}

/** Whether no walk goes from one row into the next, but from rows to rows. */
function staysInRows(offset: number, walks: readonly Walk[], length: number): boolean {
  let within = offset % length;
  for (const { extent, stride } of walks.filter(isMoving)) {
    if (stride < 0) return false;
    if (stride % length !== 0) within += stride * (extent - 1);
  }
  return offset >= 0 && within < length;
}

/** An array whose rows are to lie further apart. */
interface Padding {
  readonly length: number;
  readonly pitch: number;
  readonly buffer: Buffer;
}

const sidesOf = (kernel: DotKernel) =>
  (["left", "right"] as const).map((side) => {
    const { batch, depth } = kernel;
    const operand = kernel[side];
    const free = side === "left" ? kernel.rows : kernel.columns;
    const extents = [...batch, ...free, ...depth];
    return {
      operand,
      walks: walksOf(operand, extents, [...operand.batch, ...operand.free, ...operand.depth]),
    };
  });

/**
 * The same steps, with rows of arrays that products read a little further apart, where everything that uses such an array goes
 * by its rows. Those that are seen from elsewhere stay as they are.
 */
export function padRows(steps: readonly Step[], seen: ReadonlySet<Buffer>): readonly Step[] {
  const kernels = kernelsIn(steps);
  const lengths = new Map<Buffer, number | null>();
  for (const kernel of kernels) {
    if (kernel.kind !== "dot") continue;
    for (const { operand, walks } of sidesOf(kernel)) {
      const { buffer } = operand;
      const length = rowLength(walks);
      const known = lengths.get(buffer);
      if (length !== null) lengths.set(buffer, known === undefined || known === length ? length : null);
    }
  }
  const isKept = (buffer: Buffer, length: number | null) =>
    length === null ||
    pitchFor(length) === null ||
    seen.has(buffer) ||
    buffer.size % length !== 0 ||
    buffer.size / length < leastRows;
  for (const [buffer, length] of lengths) if (isKept(buffer, length)) lengths.delete(buffer);
  for (const kernel of kernels) for (const buffer of refusedBy(kernel, lengths)) lengths.delete(buffer);
  if (lengths.size === 0) return steps;
  const paddings = new Map<Buffer, Padding>();
  for (const [buffer, length] of lengths) {
    if (length === null) continue;
    const pitch = pitchFor(length) ?? length;
    paddings.set(buffer, { length, pitch, buffer: { ...buffer, size: (buffer.size / length) * pitch } });
  }
  return padded(steps, paddings);
}

/** Arrays that a kernel does not walk through by rows of their lengths. */
function refusedBy(kernel: Kernel, lengths: ReadonlyMap<Buffer, number | null>): Buffer[] {
  const refused: Buffer[] = [];
  const check = (place: Place, walks: readonly Walk[]) => {
    const length = lengths.get(place.buffer) ?? null;
    if (length !== null && !staysInRows(place.offset, walks, length)) refused.push(place.buffer);
  };
  if (kernel.kind !== "loop" && kernel.kind !== "dot") return placesOf(kernel).map(({ buffer }) => buffer);
  const stores = kernel.kind === "loop" ? [...kernel.body, ...kernel.after] : kernel.stores;
  for (const address of [...loadsOf(kernel).all, ...stores.map((store) => store.address)]) {
    if (address.computed.length > 0) refused.push(address.buffer);
    check(address, walksOf(address, extentsOf(kernel), address.strides));
  }
  if (kernel.kind === "dot") sidesOf(kernel).forEach(({ operand, walks }) => check(operand, walks));
  return refused;
}

/** The steps with other places for arrays. */
function padded(steps: readonly Step[], paddings: ReadonlyMap<Buffer, Padding>): readonly Step[] {
  return steps.map((one) =>
    one.kind === "kernel"
      ? { ...one, kernel: withPlaces(one.kernel, paddings) }
      : mapInside(one, (inside) => padded(inside, paddings)),
  );
}

/** A distance in an array, with its rows at another one. */
const apart = ({ length, pitch }: Padding, distance: number): number =>
  Math.floor(distance / length) * pitch + (distance % length);

/** A place in an array whose rows lie further apart, with the strides that are named. */
function moved<T extends Place>(
  place: T,
  paddings: ReadonlyMap<Buffer, Padding>,
  names: readonly (keyof T)[],
): T {
  const padding = paddings.get(place.buffer);
  if (padding === undefined) return place;
  const { buffer } = padding;
  const counters = place.counters.map((term) => ({ ...term, stride: apart(padding, term.stride) }));
  const strides = Object.fromEntries(
    names.map((name) => [name, (place[name] as readonly number[]).map((stride) => apart(padding, stride))]),
  ) as Partial<T>;
  return { ...place, buffer, counters, offset: apart(padding, place.offset), ...strides };
}

function withPlaces(kernel: Kernel, paddings: ReadonlyMap<Buffer, Padding>): Kernel {
  if (kernel.kind !== "loop" && kernel.kind !== "dot") return kernel;
  if (!placesOf(kernel).some(({ buffer }) => paddings.has(buffer))) return kernel;
  const found = new Map<Expression, Expression>();
  const of = (expression: Expression): Expression => found.get(expression) ?? expression;
  const address = (one: Address): Address => ({
    ...moved(one, paddings, ["strides"]),
    computed: one.computed.map(({ index, stride }) => ({ index: of(index), stride })),
  });
  const below = (roots: readonly Expression[]) => {
    for (const expression of expressionsBelow(roots)) {
      if (expression.kind === "operation")
        found.set(expression, { ...expression, inputs: expression.inputs.map(of) });
      else if (expression.kind === "load") {
        const { guard } = expression;
        const place = address(expression.address);
        found.set(expression, { ...expression, address: place, guard: guard === null ? null : of(guard) });
      }
    }
  };
  const stores = (list: readonly Store[]): Store[] =>
    list.map((store) => ({
      ...store,
      address: address(store.address),
      value: of(store.value),
      guard: store.guard === null ? null : of(store.guard),
    }));
  if (kernel.kind === "dot") {
    below(rootsOf(kernel.stores));
    const [left, right] = [kernel.left, kernel.right].map((operand) =>
      moved(operand, paddings, ["batch", "free", "depth"]),
    );
    return { ...kernel, left, right, stores: stores(kernel.stores) };
  }
  below([...rootsOf(kernel.body), ...reductionRoots(kernel), ...rootsOf(kernel.after)]);
  const reductions = kernel.reductions.map((one) => ({
    ...one,
    value: of(one.value),
    position: one.position === null ? null : of(one.position),
  }));
  return { ...kernel, reductions, body: stores(kernel.body), after: stores(kernel.after) };
}

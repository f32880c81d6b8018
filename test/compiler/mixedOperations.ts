// The instructions of random programs. Each takes what it needs from a Choice and gives an array; whatever it is
// given, it gives something.
import { lax, nn, np, random, vmap, type Array } from "vibe-rl/array";
import type { Choice, Value } from "./mixedPrograms.js";

type Operation = (choice: Choice) => Array;

/** Floats kept small, so that whole numbers stay exact and errors do not grow. */
export const bounded = (x: Array): Array => (x.dtype === "float32" ? x.clip(-9, 9) : x);

/** y cut so that it broadcasts with x. */
function fitting(x: Array, y: Array): Array {
  const clashes = y.shape.map((extent, axis) => {
    const other = x.shape[axis - y.ndim + x.ndim] ?? 1;
    return extent !== other && extent !== 1 && other !== 1;
  });
  if (!clashes.includes(true)) return y;
  if (y.size === 0) return np.ones([], { dtype: y.dtype });
  return y.slice(...clashes.map((clash) => (clash ? ":1" : ":")));
}

/** An index of one axis, the others whole. */
const along = (x: Array, axis: number, part: string | number) =>
  x.shape.map((_, other) => (other === axis ? part : ":"));

const asNumber = (x: Array): Array => (x.dtype === "bool" ? x.astype("int32") : x);

/** The largest element, or 1 of none. */
const largest = (x: Array): Array => (x.size === 0 ? np.ones([], { dtype: x.dtype }) : x.max());

const unary =
  (f: (x: Array) => Array): Operation =>
  (choice) =>
    f(choice.any());

const smooth =
  (f: (x: Array) => Array): Operation =>
  (choice) =>
    choice.inexact(f(choice.float()));

const pair =
  (take: (choice: Choice) => Array, f: (x: Array, y: Array) => Array): Operation =>
  (choice) => {
    const x = take(choice);
    return f(x, fitting(x, take(choice)));
  };

const binary = (f: (x: Array, y: Array) => Array) => pair((choice) => choice.any(), f);
const exactBinary = (f: (x: Array, y: Array) => Array) => pair((choice) => choice.exact(), f);
const integerBinary = (f: (x: Array, y: Array) => Array) => pair((choice) => choice.integer(), f);

// ---- loops and branches -------------------------------------------------------------------------------

const arraysOf = (values: readonly Value[]): Array[] => values.map(({ array }) => array);
const stateOf = (arrays: readonly Array[], model: readonly Value[]): Value[] =>
  arrays.map((array, at) => ({ array, isExact: model[at].isExact }));

const chooseState = (choice: Choice): Value[] =>
  globalThis.Array.from({ length: 1 + choice.number(3) }, () => choice.value());

/** A value of the type of another one: itself, or the other one changed by it. */
function like(value: Array, old: Array): Array {
  const isSame = value.ndim === old.ndim && value.shape.every((extent, axis) => extent === old.shape[axis]);
  if (isSame) return value.astype(old.dtype);
  const by = largest(value).astype(old.dtype);
  return bounded(old.dtype === "bool" ? old.xor(by) : old.add(by));
}

/** The state after a turn: of each part what the body computed, or another part. */
function nextState(choice: Choice, state: readonly Value[], further: readonly Value[], body = 0): Array[] {
  const values = choice.runBody(body, [...further, ...state]);
  return state.map((old, at) => {
    const neighbour = state[(at + 1) % state.length];
    const suitable = values.filter(({ isExact }) => isExact || !old.isExact);
    const isMoved = choice.number(4) === 0 && suitable.includes(neighbour);
    return like((isMoved ? neighbour : suitable[Math.max(0, suitable.length - 1 - at)]).array, old.array);
  });
}

function scan(choice: Choice): Array {
  const state = chooseState(choice);
  const xs = choice.withAxes();
  const { isExact } = choice;
  const [last, all] = lax.scan(
    (carry: Array[], x: Array) => {
      const next = nextState(choice, stateOf(carry, state), [{ array: x, isExact }]);
      return [next, next[0]];
    },
    arraysOf(state),
    xs,
    { reverse: choice.number(2) === 1 },
  );
  return choice.of([all, ...last]);
}

function whileLoop(choice: Choice): Array {
  const state = chooseState(choice);
  const turns = choice.number(4);
  const judge = state.findIndex(({ isExact }) => isExact);
  const { carry } = lax.whileLoop(
    ({ turn, carry: now }) => {
      const isSmall = judge < 0 ? np.bool(true) : largest(now[judge]).astype("float32").less(100);
      return turn.less(turns).and(isSmall);
    },
    ({ turn, carry: now }) => ({
      turn: turn.add(1),
      carry: nextState(choice, stateOf(now, state), [{ array: turn, isExact: true }]),
    }),
    { turn: np.int32(0), carry: arraysOf(state) },
  );
  return choice.of(carry);
}

function branches(choice: Choice): Array {
  const state = chooseState(choice);
  const branch = (body: number) => (now: Array[]) => nextState(choice, stateOf(now, state), [], body);
  const index = choice.position();
  return choice.of(lax.switch(index, [branch(0), branch(1), (now: Array[]) => now], arraysOf(state)));
}

function mapped(choice: Choice): Array {
  const xs = choice.withAxes();
  const { isExact } = choice;
  if (xs.shape[0] === 0) return xs;
  const result = vmap((x: Array) => {
    const last = choice.runBody(0, [{ array: x, isExact }]).at(-1) as Value;
    choice.isExact = last.isExact;
    return last.array;
  })(xs);
  return result.ndim > 3 ? result.reshape([result.shape[0], -1]) : result;
}

// ---- products -----------------------------------------------------------------------------------------

/** Any array as a matrix. */
function asMatrix(x: Array): Array {
  if (x.size === 0) return np.ones([2, 3], { dtype: asNumber(x).dtype });
  return asNumber(x).reshape([-1, x.ndim < 2 ? 1 : x.shape[x.ndim - 1]]);
}

function product(choice: Choice): Array {
  const [x, y] = [choice.any(), choice.any()].map(asMatrix);
  // Large integers next to floats would not have exact sums.
  const isFloat = [x, y].some(({ dtype }) => dtype === "float32");
  const [left, right] = [x, y].map((matrix) => {
    const operand = isFloat ? bounded(matrix.astype("float32")) : matrix;
    return choice.number(2) === 0 ? operand : operand.T;
  });
  const depth = Math.min(left.shape[1], right.shape[0]);
  const sum = left.slice(":", `:${depth}`).matmul(right.slice(`:${depth}`));
  return choice.isExact ? sum : sum.div(9 * depth);
}

// ---- reductions ---------------------------------------------------------------------------------------

function reduced(choice: Choice): Array {
  const x = choice.withAxes();
  const axis = choice.axis(x);
  const options = { keepdims: choice.number(2) === 1 };
  // Sums of what is not exact would lose digits.
  if (!choice.isExact) return x.shape[axis] === 0 ? x.sum(axis, options) : x.mean(axis, options);
  const isEmpty = x.shape[axis] === 0;
  return x[isEmpty ? "sum" : choice.of(["max", "min", "sum", "any", "all"] as const)](axis, options);
}

function total(choice: Choice): Array {
  const x = choice.any();
  if (!choice.isExact) return x.size === 0 ? x.sum() : x.mean();
  return x[x.size === 0 ? "sum" : choice.of(["sum", "max", "min"] as const)]();
}

function located(choice: Choice): Array {
  const x = choice.exact();
  if (x.size === 0) return np.int32(0);
  return choice.number(3) === 0 || x.ndim === 0 ? np.argmax(x) : np.argmin(x, choice.axis(x));
}

const alongAnAxis =
  (f: (x: Array, axis: number, option: boolean) => Array): Operation =>
  (choice) => {
    const x = choice.exact();
    return x.ndim === 0 ? x : f(x, choice.axis(x), choice.number(2) === 1);
  };

// ---- places -------------------------------------------------------------------------------------------

function moved(choice: Choice): Array {
  const x = choice.withAxes();
  const axis = choice.axis(x);
  return choice.of([x.T, np.flip(x, axis), np.roll(x, 2, axis), np.moveaxis(x, axis, 0)]);
}

function picked(choice: Choice): Array {
  const x = choice.withAxes();
  const axis = choice.axis(x);
  return x.size === 0 ? x : x.slice(...along(x, axis, choice.number(x.shape[axis])));
}

function joined(choice: Choice): Array {
  const x = choice.withAxes();
  const axis = choice.axis(x);
  const extents = x.shape.map((extent, at) => (at === axis ? 1 + choice.number(6) : extent));
  const other = np.broadcastTo(largest(choice.any()), extents);
  return np.concatenate(choice.number(2) === 0 ? [x, other, x] : [other, x], axis);
}

function stacked(choice: Choice): Array {
  const x = choice.any();
  const sum = x.add(fitting(x, choice.any()));
  return np.stack([sum, np.broadcastTo(x, sum.shape)], choice.number(sum.ndim + 1));
}

function gathered(choice: Choice): Array {
  const x = choice.withAxes();
  const places = choice.integer().astype("int32").mod(12).sub(3);
  return x.size === 0 ? x : x.slice(places.ndim > 1 ? places.reshape([places.size]) : places);
}

function taken(choice: Choice): Array {
  const x = choice.withAxes();
  if (x.size === 0) return x;
  const axis = choice.axis(x);
  const extents = x.shape.map((extent, at) => (at === axis ? 1 + choice.number(3) : extent));
  const places = lax.iota("int32", extents, choice.number(x.ndim)).mul(7).add(choice.position());
  return np.takeAlongAxis(x, places.mod(x.shape[axis] + 2), axis);
}

function scattered(choice: Choice): Array {
  const x = choice.withAxes();
  const integers = choice.integer();
  const places = integers.reshape([integers.size]).slice(":10").astype("int32").mod(9).sub(2);
  const update = choice.number(2) === 0 || x.shape[0] === 0 ? largest(x) : x.slice(":1");
  const target = x.at(places);
  return choice.of([target.set(update), target.add(update), target.max(update)]);
}

function block(choice: Choice): Array {
  const x = choice.withAxes();
  const sizes = x.shape.map((extent) => Math.min(extent, 1 + choice.number(4)));
  const starts = x.shape.map(() => choice.position());
  return lax.dynamicSlice(x, starts, sizes);
}

function overwritten(choice: Choice): Array {
  const x = choice.withAxes();
  const update = x.slice(...x.shape.map(() => "1::2"));
  const starts = x.shape.map(() => choice.position());
  return lax.dynamicUpdateSlice(x, update, starts);
}

const ranges = ["1:", ":-1", "::2", "::-1", "1::3", "::-2", ":3", "-2:", "1:2"];

const table = {
  negated: unary((x) => asNumber(x).neg()),
  absolute: unary((x) => np.abs(asNumber(x))),
  limited: unary((x) => nn.relu(asNumber(x).add(1))),
  tanh: smooth(np.tanh),
  sine: smooth(np.sin),
  exponential: smooth((x) => np.exp(x.abs().neg())),
  quotient: smooth((x) => x.div(x.mul(x).add(1))),
  added: binary((x, y) => x.add(y)),
  subtracted: binary((x, y) => asNumber(x).sub(y)),
  multiplied: binary((x, y) => x.mul(y.clip(0, 2))),
  larger: binary(np.maximum),
  smaller: binary(np.minimum),
  remainder: exactBinary((x, y) => asNumber(x).mod(asNumber(y).add(2))),
  compared: exactBinary((x, y) => x.less(y)),
  equated: exactBinary((x, y) => x.equal(y)),
  inverted: (choice) => choice.integer().not(),
  divided: integerBinary(lax.div),
  floored: integerBinary((x, y) => x.floorDivide(y)),
  shifted: integerBinary((x, y) => np.rightShift(np.leftShift(x, y.mod(40)), 3)),
  bits: integerBinary((x, y) => x.and(y).or(x.xor(7))),
  chosen: (choice) => {
    const [x, y] = [choice.any(), choice.any()];
    const other = fitting(x, y);
    const mask = choice.exact().greater(0);
    return np.where(fitting(x.add(other), mask), x, other);
  },
  converted: (choice) =>
    choice.exact().astype(choice.of(["int32", "uint32", "uint8", "bool", "float32"] as const)),
  reduced,
  total,
  located,
  accumulated: alongAnAxis((x, axis, reverse) => np.cumsum(x, axis, { reverse })),
  highest: alongAnAxis((x, axis, reverse) => np.cummax(x, axis, { reverse })),
  sorted: alongAnAxis((x, axis, isOrder) => (isOrder ? np.argsort(x, axis) : np.sort(x, axis))),
  sliced: (choice) => {
    const x = choice.withAxes();
    return x.slice(...along(x, choice.axis(x), choice.of(ranges)));
  },
  picked,
  moved,
  flattened: unary((x) => x.reshape([x.size])),
  folded: unary((x) => (x.size % 3 === 0 ? x.reshape([3, x.size / 3]) : x.reshape([x.size, 1]))),
  spread: (choice) => {
    const x = choice.any();
    return x.ndim === 3 ? x.slice(":1") : np.broadcastTo(x, [1 + choice.number(4), ...x.shape]);
  },
  padded: (choice) => {
    const x = choice.withAxes();
    const widths = x.shape.map(() => [choice.number(3), choice.number(3)] as const);
    return np.pad(x, widths, { constantValues: 1 });
  },
  joined,
  stacked,
  product,
  gathered,
  taken,
  scattered,
  block,
  overwritten,
  drawn: (choice) => {
    const key = random.foldIn(random.key(choice.number(9)), choice.position().add(4).astype("uint32"));
    return random.randint(key, [choice.number(6), 1 + choice.number(3)], -9, 9);
  },
  scan,
  while: whileLoop,
  branches,
  mapped,
} satisfies Record<string, Operation>;

export type OperationName = keyof typeof table;
export const operations: Record<OperationName, Operation> = table;

/** Those that run bodies. */
export const control: readonly OperationName[] = ["scan", "while", "branches", "mapped"];

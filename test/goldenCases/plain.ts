// Control flow, integer arithmetic, rounding and reductions of JAX.
import { lax, np, vmap, type Array } from "vibe-rl/array";
import { expectClose } from "../closeness.js";
import { readGolden, toArray, toTree, type GoldenArray } from "../golden.js";
import type { GoldenCase } from "./goldenCase.js";

const collatz = (start: Array): [Array, Array] =>
  lax.whileLoop(
    ([n]) => n.notEqual(1),
    ([n, steps]) => [np.where(n.mod(2).equal(0), n.floorDivide(2), n.mul(3).add(1)), steps.add(1)],
    [start, np.int32(0)],
  );

const functions: Record<string, (...args: Array[]) => unknown> = {
  while_collatz: collatz,
  vmap_while_collatz: (n) => vmap(collatz)(n),
  vmap_scan_cumsum: (x) =>
    vmap((v: Array) => lax.scan((c: Array, y: Array) => [c.add(y), c], np.float32(0), v))(x),
  vmap_cond: (x) =>
    vmap((v: Array) =>
      lax.cond(
        v.greater(0),
        (a: Array) => a.mul(2),
        (a: Array) => a.neg(),
        v,
      ),
    )(x),
  argmax_argsort_ties: (x) => [np.argmax(x), np.argmin(x), np.argsort(x), np.sort(x)],
  integer_arith: (a, b) => [
    a.floorDivide(b),
    a.mod(b),
    lax.rem(a, b),
    lax.div(a, b),
    a.and(b),
    a.or(b),
    a.xor(b),
    np.leftShift(a, 2),
    np.rightShift(a, 1),
  ],
  float_mod_round: (a) => [a.mod(2.5), np.round(a), np.trunc(a), np.floor(a), np.ceil(a), a.astype("int32")],
  reductions: (x) => [
    x.sum(0),
    x.mean([0, 2]),
    x.max(-1),
    x.min(),
    x.prod(1),
    np.any(x.greater(2)),
    np.all(x.greater(-5), 0),
    x.var(1),
    x.std(),
  ],
  scan_carry_tree: (x) =>
    lax.scan(
      (c: { a: Array; n: Array }, v: Array) => [{ a: c.a.add(v), n: c.n.add(1) }, { twice: v.mul(2) }],
      { a: np.float32(0), n: np.int32(0) },
      x,
    ),
};

interface PlainCase {
  readonly name: string;
  readonly inputs: readonly GoldenArray[];
  readonly out: unknown;
}

export const plainCases = readGolden<PlainCase>("plain.json").map(({ name, inputs, out }): GoldenCase => ({
  name,
  f: functions[name],
  args: inputs.map(toArray),
  check: (actual) => expectClose(actual, toTree(out), { rtol: 1e-5 }),
}));

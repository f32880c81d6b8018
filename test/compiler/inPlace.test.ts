// Loops that update an array work in place: what they write may be computed from the array itself.
import { describe, expect, it } from "vitest";
import { lax, np, type Array } from "vibe-rl/array";
import { expectSame } from "./compare.js";
import { compileWith, kernelsInLoops } from "./forms.js";

const compile = compileWith({ fma: false });

/** How many elements of arrays loops copy in each turn; counters may be copied. */
function copiedInLoops(f: (...args: Array[]) => unknown, ...args: Array[]): number {
  const { steps, plan } = compile(f, ...args);
  return kernelsInLoops(steps).reduce(
    (sum, kernel) =>
      sum + (kernel.kind === "copy" && kernel.size > 1 && !plan.isIdle(kernel) ? kernel.size : 0),
    0,
  );
}

type Update = (x: Array, at: Array) => Array;

const last = (x: Array) => x.shape[0] - 1;

const updates: Record<string, Update> = {
  "an element from itself": (x, at) => x.at(at, 0).set(x.slice(at, 0).add(1)),
  "an element by adding": (x, at) => x.at(at, 1).add(1),
  "a row from itself": (x, at) => x.at(at).set(np.tanh(x.slice(at)).mul(2).add(x.slice(at))),
  "a row from another": (x, at) => x.at(at).set(x.slice(at.mul(7).mod(5)).add(1)),
  "a row from its neighbours": (x, at) =>
    x.at(at).set(x.slice(np.maximum(at.sub(1), 0)).add(x.slice(np.minimum(at.add(1), last(x))))),
  "a row where something holds": (x, at) =>
    x.at(at).set(np.where(x.slice(at).greater(0), x.slice(at).neg(), 1)),
  "rows that overlap where they come from": (x, at) =>
    lax.dynamicUpdateSlice(x, lax.dynamicSlice(x, [at.add(1), 0], [4, 12]).mul(2), [at, 0]),
  "two rows exchanged": (x, at) => {
    const [a, b] = [x.slice(at), x.slice(at.add(1).mod(last(x)))];
    return x
      .at(at)
      .set(b)
      .at(at.add(1).mod(last(x)))
      .set(a);
  },
  "a row, then another from the old one": (x, at) =>
    x.at(at).set(x.slice(at).add(1)).at(at.add(1)).set(x.slice(at).mul(2)),
  "rows from rows, at places with repetitions": (x, at) => {
    const places = np.stack([at, at.add(1), at]);
    return x.at(places).set(x.slice(places).add(1));
  },
  "rows at places that it says itself": (x, at) =>
    x.at(x.slice(at, 0).astype("int32").mod(4)).set(x.slice(at).sub(3)),
  "a column from itself": (x, at) => x.at(":", at.mod(12)).set(x.slice(":", at.mod(12)).add(1)),
  "columns at places": (x, at) => x.at(":", np.stack([at, at.add(2)]).mod(12)).add(1),
  "a block at its start": (x) => x.at(":3").set(x.slice("1:4").mul(0.5)),
};

const table = np.arange(240).reshape([20, 12]).astype("float32");
const inTurn = (update: Update) => (x: Array) =>
  lax.scan((carry: Array, at: Array) => [update(carry, at), null], x, np.arange(6))[0];
const withOldValues = (update: Update) => (x: Array) =>
  lax.scan(
    (carry: Array, at: Array) => [update(carry, at), { row: carry.slice(at), sum: carry.sum() }],
    x,
    np.arange(6),
  );
const whileLess = (update: Update) => (x: Array) =>
  lax.whileLoop(
    ({ at }: { carry: Array; at: Array }) => at.less(6),
    ({ carry, at }) => ({ carry: update(carry, at), at: at.add(1) }),
    { carry: x, at: np.int32(0) },
  );

describe.each(Object.entries(updates))("%s", (_, update) => {
  it.each([
    ["a scan", inTurn(update)],
    ["a scan that returns what was there before", withOldValues(update)],
    ["a while loop", whileLess(update)],
  ] as const)("copies nothing and is right in %s", (_loop, f) => {
    expect(copiedInLoops(f, table)).toBe(0);
    expectSame(f, [table], { rtol: 1e-6 });
  });
});

it("an array that is read after its update is kept", () => {
  const f = (x: Array) =>
    lax.scan(
      (carry: Array, at: Array) => {
        const next = carry.at(at).set(0);
        return [next, carry.mul(next.slice(at.add(1), 0)).sum()];
      },
      x,
      np.arange(6),
    );
  expect(copiedInLoops(f, table)).toBeGreaterThan(0);
  expectSame(f, [table], { rtol: 1e-6 });
});

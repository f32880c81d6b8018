// Optimisers: steps by hand, the figures of optax, agreement with each other, and life inside programs.
import { describe, expect, expectTypeOf, it } from "vitest";
import { grad, jit, lax, np, random, tree, vmap, type Array } from "vibe-rl/array";
import {
  adam,
  adamw,
  addDecayedWeights,
  applyUpdates,
  chain,
  clip,
  clipByGlobalNorm,
  globalNorm,
  incrementalUpdate,
  linearSchedule,
  MLP,
  rmsprop,
  scale,
  scaleByAdam,
  scaleBySchedule,
  sgd,
  type AdamState,
  type CountState,
  type EmptyState,
  type MLPParams,
  type Optimizer,
  type OptState,
} from "vibe-rl/nn";
import { expectClose } from "../closeness.js";

const start = np.array([1, -2, 0.5]);

/** A gradient that depends on the parameters and on the count. */
const gradientAt = (params: Array, count: Array): Array =>
  np
    .array([0.5, -1.5, 2])
    .mul(params)
    .add(np.array([1, 0.2, -0.3]).mul(count.add(1)));

/** Where an optimiser gets in some steps from the same start. */
const descend = <S>(optimizer: Optimizer<S>, steps = 4): Array =>
  lax.foriLoop(
    0,
    steps,
    (count, { params, state }) => {
      const [updates, next] = optimizer.update(gradientAt(params, count), state, params);
      return { params: applyUpdates(params, updates), state: next };
    },
    { params: start, state: optimizer.init(start) },
  ).params;

const schedule = linearSchedule(0.1, 0.02, 3);

describe("the figures of optax", () => {
  // Four steps by optax 0.2.8 on the gradients above.
  const cases: Record<string, readonly [Optimizer, number[]]> = {
    adam: [adam(0.1), [0.60568845, -2.401161, 0.28840435]],
    "adam with other options": [
      adam(0.1, { b1: 0.8, b2: 0.95, eps: 1e-2 }),
      [0.60244823, -2.4013624, 0.31096309],
    ],
    "adam with a schedule": [adam(schedule), [0.76255506, -2.2403934, 0.31845981]],
    adamw: [adamw(0.1, { weightDecay: 0.3 }), [0.50831693, -2.1539934, 0.26070434]],
    sgd: [sgd(0.1), [-0.13673127, -3.7303298, 0.45056003]],
    "sgd with momentum": [sgd(0.1, { momentum: 0.9 }), [-1.1783687, -5.8168898, 0.29369003]],
    "sgd with Nesterov's momentum and a schedule": [
      sgd(schedule, { momentum: 0.9, nesterov: true }),
      [-0.37665561, -4.6415982, 0.3193267],
    ],
    rmsprop: [rmsprop(0.1, { eps: 1e-3 }), [-0.059387296, -2.9824986, 0.56495953]],
    "rmsprop with momentum": [
      rmsprop(0.1, { decay: 0.8, momentum: 0.5 }),
      [-0.19466895, -3.1234126, 0.49125808],
    ],
    "centred rmsprop with momentum and a schedule": [
      rmsprop(schedule, { decay: 0.8, momentum: 0.5, centered: true }),
      [0.0048092604, -2.9568751, 0.23020229],
    ],
    "a chain of clipping, decay, Adam and a schedule": [
      chain(
        clipByGlobalNorm(0.5),
        addDecayedWeights(0.1),
        scaleByAdam(),
        scaleBySchedule((count) => schedule(count).neg()),
      ),
      [0.75971228, -2.2366474, 0.2879363],
    ],
    "a chain of clip and scale": [chain(clip(0.7), scale(-0.1)), [0.72000003, -2.2799997, 0.45056003]],
  };
  for (const [name, [optimizer, expected]] of Object.entries(cases)) {
    it(`${name}, interpreted and compiled`, () => {
      // optax loses digits of 1 − b2^t to cancellation; we do not.
      expectClose(descend(optimizer), np.array(expected), { atol: 5e-6 });
      expectClose(jit(() => descend(optimizer))(), np.array(expected), { atol: 5e-6 });
    });
  }
});

describe("steps by hand", () => {
  const step = <S>(optimizer: Optimizer<S>, gradient: number[]) =>
    optimizer.update(np.array(gradient), optimizer.init(np.zerosLike(np.array(gradient))))[0];

  it("Adam's first step is lr against the gradient's sign, whatever its size", () => {
    expectClose(step(adam(0.5), [2, -1e-4, 300]), np.array([-0.5, 0.5, -0.5]), { rtol: 2e-4 });
  });

  it("clipByGlobalNorm shortens what is too long and leaves the rest alone, bit for bit", () => {
    expectClose(step(clipByGlobalNorm(1), [3, 4]), np.array([0.6, 0.8]), { rtol: 1e-6 });
    expectClose(step(clipByGlobalNorm(0.7), [0.3, 0.4]), np.array([0.3, 0.4]), {});
    expectClose(step(clipByGlobalNorm(0.5), [0, 0]), np.array([0, 0]), {});
  });

  it("globalNorm is the length of all leaves together", () => {
    expect(globalNorm({ a: np.array([3]), b: [np.array([[0, 4]]), np.float32(12)] }).item()).toBe(13);
    expect(globalNorm({}).item()).toBe(0);
  });

  it("incrementalUpdate moves the old tree by tau towards the new one", () => {
    const [fresh, old] = [{ w: np.array([1, 2]) }, { w: np.array([0, -2]) }];
    expectClose(incrementalUpdate(fresh, old, 0.25), { w: np.array([0.25, -1]) }, { rtol: 1e-6 });
    expectClose(incrementalUpdate(fresh, old, np.float32(1)), fresh, {});
    expectClose(incrementalUpdate(fresh, old, 0), old, {});
  });
});

it.each([
  ["adam", adam(0.1)],
  ["adam with a schedule", adam(schedule)],
  ["rmsprop", rmsprop(0.1)],
  ["sgd", sgd(0.1)],
  ["scaleBySchedule", scaleBySchedule(schedule)],
] as [string, Optimizer<CountState>][])("%s goes on beyond 2^31 updates", (_, optimizer) => {
  const before = { ...optimizer.init(start), count: np.int32(2 ** 31 - 2) };
  const [, last] = optimizer.update(start, before);
  const [updates, after] = optimizer.update(start, last);
  expect([last.count.item(), after.count.item()]).toEqual([2 ** 31 - 1, 2 ** 31 - 1]);
  expect(np.isfinite(updates).all().item()).toBe(true);
  expect(np.sign(updates).toArray()).toEqual(
    np.sign(optimizer.update(start, optimizer.init(start))[0]).toArray(),
  );
});

describe("agreement", () => {
  it("adamw without decay is adam", () => {
    expectClose(descend(adamw(0.1, { weightDecay: 0 })), descend(adam(0.1)), {});
  });
  it("adam is scaleByAdam times -lr", () => {
    expectClose(descend(chain(scaleByAdam({ eps: 1e-3 }), scale(-0.1))), descend(adam(0.1, { eps: 1e-3 })), {
      atol: 1e-6,
    });
  });
  it("adamw is a chain of scaleByAdam, addDecayedWeights and scale", () => {
    const links = chain(scaleByAdam(), addDecayedWeights(0.3), scale(-0.1));
    expectClose(descend(links), descend(adamw(0.1, { weightDecay: 0.3 })), { atol: 1e-6 });
  });
  it("sgd is scale(-lr), and Adam without memory nearly so for signs", () => {
    expectClose(descend(sgd(0.1)), descend(scale(-0.1)), {});
    expectClose(
      descend(adam(0.1, { b1: 0, b2: 0 }), 1),
      start.sub(np.sign(gradientAt(start, np.int32(0))).mul(0.1)),
      {
        atol: 1e-6,
      },
    );
  });
  it("a learning rate may be an array, so that vmap sweeps over it", () => {
    const rates = np.array([0.1, 0.01]);
    const ends = jit(vmap((lr: Array) => descend(adam(lr))))(rates);
    expectClose(ends.slice(0), descend(adam(0.1)), { atol: 1e-6 });
    expectClose(ends.slice(1), descend(adam(0.01)), { atol: 1e-6 });
  });
});

describe("inside programs", () => {
  const optimizer = chain(clipByGlobalNorm(1), adam(linearSchedule(3e-2, 1e-3, 200)));
  const x = np.linspace(-1, 1, 32).reshape([32, 1]);
  const loss = (params: MLPParams) => np.square(MLP.apply(params, x).sub(np.sin(x.mul(3)))).mean();

  const train = (key: Array): Array => {
    const params = MLP.init(key, [1, 16, 1]);
    const [, losses] = lax.scan(
      ({ params, state }) => {
        const [updates, next] = optimizer.update(grad(loss)(params), state);
        return [{ params: applyUpdates(params, updates), state: next }, loss(params)];
      },
      { params, state: optimizer.init(params) },
      null,
      { length: 200 },
    );
    return losses;
  };

  it("a network learns a sine, compiled whole and for several seeds at once", () => {
    const losses = jit(vmap(train))(random.split(random.key(0), 3));
    expect(losses.slice(":", -1).max().item()).toBeLessThan(0.02);
    const alone = jit(train)(random.split(random.key(0), 3).slice(1));
    expectClose(losses.slice(1, ":20"), alone.slice(":20"), { rtol: 1e-3 });
  });

  it("gradients go through optimiser steps", () => {
    const after = (lr: Array) => np.square(descend(adam(lr), 3)).sum();
    const [lr, eps] = [0.1, 1e-2];
    const slope = (after(np.float32(lr + eps)).item() - after(np.float32(lr - eps)).item()) / (2 * eps);
    expect(grad(after)(np.float32(lr)).item()).toBeCloseTo(slope, 2);
  });

  it("states are plain trees with int32 counts", () => {
    const params = { w: np.ones([2, 2]), b: [np.ones([2])] };
    const states = [
      adam(1),
      adamw(1),
      sgd(1, { momentum: 0.5 }),
      rmsprop(1, { momentum: 0.5, centered: true }),
    ];
    for (const optimizer of states as Optimizer<{ count: Array }>[]) {
      const state = optimizer.init(params);
      expect(state.count.dtype).toBe("int32");
      const [updates, next] = optimizer.update(params, state, params);
      expect(tree.structure(updates)).toEqual(tree.structure(params));
      expect(tree.structure(next)).toEqual(tree.structure(state));
      expect(next.count.item()).toBe(1);
    }
  });

  it("types carry", () => {
    const both = chain(clipByGlobalNorm(1), adam(1e-3));
    expectTypeOf(both).toEqualTypeOf<Optimizer<[EmptyState, AdamState]>>();
    expectTypeOf<OptState<typeof both>>().toEqualTypeOf<[EmptyState, AdamState]>();
    expectTypeOf(both).toExtend<Optimizer>();
    const params = { w: np.ones([2]) };
    const [updates] = both.update(params, both.init(params));
    expectTypeOf(updates).toEqualTypeOf<{ w: Array }>();
    expectTypeOf(applyUpdates(params, updates)).toEqualTypeOf<{ w: Array }>();
  });
});

describe("wrong arguments are refused by name", () => {
  it("options", () => {
    expect(() => adam(-1)).toThrow(/adam: lr must be a number of at least 0, got -1/);
    expect(() => adam(NaN)).toThrow(/lr must be a number of at least 0, got NaN/);
    expect(() => adam(np.ones([2]))).toThrow(/or a scalar array, got float32\[2\] .*; use vmap/);
    expect(() => adam(1, { beta1: 0.9 } as object)).toThrow(
      /there is no option `beta1`.* The options are b1, b2, eps/,
    );
    expect(() => adam(1, { b1: 1 })).toThrow(/b1 must be a number of at least 0 and below 1, got 1/);
    expect(() => adamw(1, { weightDecay: -1 })).toThrow(/adamw: weightDecay must be/);
    expect(() => adamw(1, { weight_decay: 1 } as object)).toThrow(/did you mean `weightDecay`\?/);
    expect(() => sgd(1, { momentum: 2 })).toThrow(/sgd: momentum must be/);
    expect(() => rmsprop(1, { decay: "0.9" } as object)).toThrow(/rmsprop: decay must be .*, got "0.9"/);
    expect(() => clipByGlobalNorm(0)).toThrow(/clipByGlobalNorm: max must be a number greater than 0, got 0/);
    expect(() => incrementalUpdate({}, {}, 2)).toThrow(
      /incrementalUpdate: tau must be a number from 0 to 1, got 2/,
    );
    expect(() => chain(adam(1), {} as Optimizer)).toThrow(/chain: argument 1 must be an optimiser/);
    expect(() => scaleBySchedule(3 as never)).toThrow(/schedule must be a function, got 3/);
  });

  it("trees", () => {
    const optimizer = adam(1);
    const state = optimizer.init({ w: np.ones([2]) });
    expect(() => optimizer.update({ w: np.ones([3]) }, state)).toThrow(
      /adam: grads and state differ in shape at .*w: float32\[3\].* and float32\[2\]/,
    );
    expect(() => optimizer.update({ v: np.ones([2]) }, state)).toThrow(/adam: grads, state: /);
    expect(() => optimizer.init({ w: "weights" })).toThrow(
      /adam: params must hold arrays only, got "weights" at .*w/,
    );
    expect(() => adamw(1).update({ w: np.ones([2]) }, state)).toThrow(
      /adamw: weight decay needs the parameters/,
    );
    expect(() => applyUpdates({ w: np.ones([2]) }, { w: np.ones([1]) })).toThrow(
      /applyUpdates: params and updates differ in shape/,
    );
    expect(() => adam(() => np.ones([2])).update(state.mu, state)).toThrow(
      /the schedule must return a scalar array/,
    );
  });
});

it("adam's running means come to rest at zero, long before they lose precision", () => {
  const optimizer = adam(1e-3);
  const zeros = { w: np.zeros([2]) };
  const first = optimizer.update({ w: np.array([1, -1]) }, optimizer.init(zeros))[1];
  const meansAfter = (updates: number): number[] => {
    const { mu } = lax.foriLoop(0, updates, (_, state) => optimizer.update(zeros, state)[1], first);
    return (mu as typeof zeros).w.toArray() as number[];
  };
  const [up, down] = meansAfter(600);
  expect(up / (0.1 * 0.9 ** 600)).toBeCloseTo(1, 3);
  expect(down).toBe(-up);
  expect(meansAfter(700)).toEqual([0, 0]);
});

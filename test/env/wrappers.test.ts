// Wrappers alone and around each other: interpreted, compiled, in loops and in batches.
import { describe, expect, expectTypeOf, it } from "vitest";
import { jit, makeProgram, np, random, tree, vmap, type Array } from "vibe-rl/array";
import {
  AutoResetWrapper,
  Box,
  checkEnv,
  ClipAction,
  Discrete,
  EpisodeStatsWrapper,
  FrameStackWrapper,
  GrayscaleWrapper,
  Image,
  ImageNormWrapper,
  ImageResizeWrapper,
  make,
  render,
  RescaleAction,
  RewardScaleWrapper,
  TimeLimit,
  type CartPoleParams,
  type CartPoleState,
  type Environment,
  type EpisodeInfo,
  type Info,
  type ResetInfo,
  type EpisodeStatsState,
  type TimeLimitState,
} from "vibe-rl/env";
import { differences } from "../closeness.js";
import { errorOf, rollout, type Steps } from "./rollout.js";

const key = random.key(1);
const [cartPole, cartPoleParams] = make("CartPole-v1");
const [pendulum, pendulumParams] = make("Pendulum-v1");
const [pixels, pixelParams] = make("PixelGridWorld-v0");

interface CounterState {
  readonly count: Array;
  readonly start: Array;
}

/** Counts up from a random start; terminates after five steps, with reward 1 a step. */
const counter: Environment<CounterState, { readonly length: Array }> = {
  name: "Counter",
  defaultParams: () => ({ length: np.int32(5) }),
  observationSpace: () => Box({ shape: [2] }),
  actionSpace: () => Discrete(2),
  reset(resetKey) {
    const state = { count: np.int32(0), start: random.uniform(resetKey) };
    return [np.stack([state.start, 0]), state];
  },
  step(_key, { count, start }, _action, { length }) {
    const next = { count: count.add(1), start };
    const terminated = next.count.greaterEqual(length);
    const obs = np.stack([start, next.count.astype("float32")]);
    return [obs, next, np.float32(1), terminated, { terminated, truncated: np.bool(false) }];
  },
  render: ({ count }) => `<svg>${count.item()}</svg>`,
};
const counterParams = counter.defaultParams();

const run = <S, P>(env: Environment<S, P>, length: number, params: P, seed = key) =>
  jit(rollout(env, length))(seed, params);
const column = (x: Array, at: number) => x.slice(":", at).toArray() as number[];
const terminalObs = ({ info }: Steps) => info.terminalObs as Array;

describe("AutoResetWrapper", () => {
  const env = AutoResetWrapper(counter);

  it("begins a new episode from a new key on done, and keeps the last observation in info", () => {
    const { steps, first } = run(env, 15, counterParams);
    expect(column(steps.obs, 1)).toEqual([1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0]);
    expect(column(terminalObs(steps), 1)).toEqual([1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5]);
    const starts = column(steps.obs, 0);
    expect(new Set([first.slice(0).item(), starts[4], starts[9], starts[14]]).size).toBe(4);
    expect(new Set(starts).size).toBe(4);
    expect(steps.info.terminated.toArray()).toEqual(steps.done.toArray());
  });

  it("computes a reset only where one happens, unless batched", () => {
    const step = (stepKey: Array, state: CounterState) =>
      env.step(stepKey, state, np.int32(0), counterParams)[1];
    const [, state] = counter.reset(key, counterParams);
    const program = String(makeProgram(step)(key, state));
    // All random numbers are drawn inside the branch.
    const outside = program
      .split("\n")
      .filter((text) => /^ {2}\S/.test(text))
      .join("\n");
    expect(program).toContain("threefry");
    expect(outside).not.toContain("bitcast");
    expect(outside).toContain("cond");
  });

  it("gives the same interpreted, compiled, and in a batch", () => {
    const f = rollout(env, 7);
    const plain = f(key, counterParams);
    expect(differences(jit(f)(key, counterParams), plain)).toEqual([]);
    const keys = np.stack([random.key(9), key]);
    const batch = jit(vmap(f, [0, null]))(keys, counterParams);
    expect(
      differences(
        tree.map((x) => (x as Array).slice(1), batch),
        plain,
      ),
    ).toEqual([]);
  });
});

describe("TimeLimit", () => {
  it("truncates what has not terminated", () => {
    const { steps } = run(AutoResetWrapper(TimeLimit(counter, 3)), 7, counterParams);
    expect(steps.done.toArray()).toEqual([false, false, true, false, false, true, false]);
    expect(steps.info.truncated.toArray()).toEqual(steps.done.toArray());
    expect(steps.info.terminated.any().item<boolean>()).toBe(false);
  });

  it("leaves an episode terminated that ends on the last step", () => {
    const { steps } = run(TimeLimit(counter, 5), 5, counterParams);
    expect(steps.info.terminated.toArray()).toEqual([false, false, false, false, true]);
    expect(steps.info.truncated.any().item<boolean>()).toBe(false);
  });

  it("refuses to go around AutoResetWrapper, and limits that are none", () => {
    const wrong = TimeLimit(AutoResetWrapper(counter), 3);
    expect(errorOf(() => run(wrong, 2, counterParams))).toContain(
      "write AutoResetWrapper(TimeLimit(env, 3))",
    );
    expect(errorOf(() => TimeLimit(counter, 0))).toContain(
      "maxSteps must be a whole number of at least 1, got 0",
    );
  });
});

describe("RewardScaleWrapper", () => {
  it("multiplies rewards", () => {
    expect(run(RewardScaleWrapper(counter, 0.5), 3, counterParams).steps.reward.toArray()).toEqual([
      0.5, 0.5, 0.5,
    ]);
    expect(errorOf(() => RewardScaleWrapper(counter, NaN))).toContain(
      "scale must be a finite number, got NaN",
    );
  });
});

describe("EpisodeStatsWrapper", () => {
  const expected = [0, 0, 3, 3, 3, 3, 3, 3, 3];

  it("has the return and length of the last finished episode in info", () => {
    const env = EpisodeStatsWrapper(AutoResetWrapper(TimeLimit(RewardScaleWrapper(counter, 2), 3)));
    const { steps } = run(env, 9, counterParams);
    expect((steps.info.episodeLength as Array).toArray()).toEqual(expected);
    expect((steps.info.episodeReturn as Array).toArray()).toEqual(expected.map((length) => 2 * length));
    expect((steps.info.episodeLength as Array).dtype).toBe("int32");
  });

  it("says the same inside AutoResetWrapper", () => {
    const env = AutoResetWrapper(EpisodeStatsWrapper(TimeLimit(counter, 3)));
    const { steps } = run(env, 9, counterParams);
    expect((steps.info.episodeLength as Array).toArray()).toEqual(expected);
  });
});

describe("actions", () => {
  const torque = (env: typeof pendulum, action: number): number => {
    const still = { angle: np.float32(0), angularVelocity: np.float32(0), time: np.int32(0) };
    const [, next] = env.step(key, still, np.array([action]), pendulumParams);
    return next.angularVelocity.item() / 0.15;
  };
  /** Pendulum without a limit of its own, so that the wrapper's shows. */
  const eager: typeof pendulum = {
    ...pendulum,
    step: (k, s, a, params) => pendulum.step(k, s, a, { ...params, maxTorque: np.float32(100) }),
  };

  it("ClipAction keeps actions within the space", () => {
    expect(torque(eager, 5)).toBeCloseTo(5);
    expect(torque(ClipAction(eager), 5)).toBeCloseTo(2);
    expect(torque(ClipAction(eager), -1.5)).toBeCloseTo(-1.5);
  });

  it("RescaleAction stretches [-1, 1], or what it is told, to the space", () => {
    const env = RescaleAction(eager);
    expect([-1, 0, 0.5, 1].map((action) => torque(env, action).toFixed(4))).toEqual([
      "-2.0000",
      "0.0000",
      "1.0000",
      "2.0000",
    ]);
    expect(torque(RescaleAction(eager, { low: 0, high: 10 }), 5)).toBeCloseTo(0);
    expect(env.actionSpace(pendulumParams).toString()).toBe("Box(float32[1] from -1 to 1)");
    expect(run(env, 3, pendulumParams).steps.reward.shape).toEqual([3]);
  });

  it("need numbers between bounds", () => {
    expect(errorOf(() => ClipAction(cartPole))).toContain("CartPole-v1 has Discrete(2)");
    const unbounded = { ...pendulum, actionSpace: () => Box({ shape: [1] }) };
    expect(errorOf(() => RescaleAction(unbounded))).toContain("needs finite bounds to stretch to");
    expect(errorOf(() => RescaleAction(pendulum, { low: 1, high: 0 }))).toContain(
      "low below high, got 1 and 0",
    );
  });
});

/** An environment whose only observation is a given image. */
const showing = (image: Array): Environment<{ readonly t: Array }, Record<string, never>> => ({
  name: "Still",
  defaultParams: () => ({}),
  observationSpace: () =>
    Image({
      height: image.shape[0],
      width: image.shape[1],
      channels: image.shape[2],
      dtype: image.dtype as "uint8",
    }),
  actionSpace: () => Discrete(2),
  reset: () => [image, { t: np.int32(0) }],
  step: (_key, state) => {
    const no = np.bool(false);
    return [image, state, np.float32(0), no, { terminated: no, truncated: no }];
  },
});
const seen = <S, P>(env: Environment<S, P>): Array => env.reset(key, env.defaultParams())[0];

describe("images", () => {
  const rgb = np.uint8([255, 255, 255, 255, 0, 0, 0, 255, 0, 0, 0, 255]).reshape([2, 2, 3]);

  it("GrayscaleWrapper weighs red, green and blue", () => {
    const env = GrayscaleWrapper(showing(rgb));
    expect(seen(env).toArray()).toEqual([
      [[255], [76]],
      [[150], [29]],
    ]);
    expect(env.observationSpace({}).toString()).toBe("Image(uint8[2,2,1])");
    expect(errorOf(() => GrayscaleWrapper(env))).toContain("needs images with 3 channels");
    expect(errorOf(() => GrayscaleWrapper(cartPole))).toContain(
      "needs an environment with Image observations",
    );
  });

  it("ImageNormWrapper maps 0 … 255 to -1 … 1", () => {
    const env = ImageNormWrapper(showing(rgb));
    expect(seen(env).slice(0, 1).toArray()).toEqual([1, -1, -1]);
    expect(env.observationSpace({}).toString()).toBe("Image(float32[2,2,3] from -1 to 1)");
    expect(errorOf(() => ImageNormWrapper(env))).toContain("needs uint8 images");
  });

  it("ImageResizeWrapper keeps the aspect, interpolates, and pads with zeros", () => {
    const image = np.uint8([0, 100, 200, 100]).reshape([1, 4, 1]);
    // Half the size: every new pixel is a weighted mean of its surroundings; rows of zeros above and below.
    const small = seen(ImageResizeWrapper(showing(image), { height: 3, width: 2 }));
    expect(small.squeeze(2).toArray()).toEqual([
      [0, 0],
      [71, 143],
      [0, 0],
    ]);
    const large = seen(ImageResizeWrapper(showing(image), { height: 2, width: 8 }));
    expect(large.squeeze(2).toArray()).toEqual([
      [0, 25, 75, 125, 175, 175, 125, 100],
      [0, 25, 75, 125, 175, 175, 125, 100],
    ]);
    const same = seen(ImageResizeWrapper(showing(image), { height: 1, width: 4 }));
    expect(same.toArray()).toEqual(image.toArray());
  });

  it("compose, pass checkEnv, and see terminal observations as well", () => {
    const env = ImageNormWrapper(
      GrayscaleWrapper(ImageResizeWrapper(AutoResetWrapper(pixels), { height: 24, width: 20 })),
    );
    expect(env.observationSpace(pixelParams).toString()).toBe("Image(float32[24,20,1] from -1 to 1)");
    checkEnv(env, { steps: 2 });
    const { steps } = run(env, 4, pixelParams);
    expect(steps.obs.shape).toEqual([4, 24, 20, 1]);
    expect(terminalObs(steps).shape).toEqual([4, 24, 20, 1]);
  });
});

describe("FrameStackWrapper", () => {
  it("puts the last observations side by side, oldest first, and starts with the first repeated", () => {
    const { first, steps } = run(FrameStackWrapper(counter, 3), 4, counterParams);
    const counts = (row: Array) => row.slice("1::2").toArray();
    expect(counts(first)).toEqual([0, 0, 0]);
    expect([...steps.obs].map(counts)).toEqual([
      [0, 0, 1],
      [0, 1, 2],
      [1, 2, 3],
      [2, 3, 4],
    ]);
  });

  it("starts anew with every episode, around AutoResetWrapper as inside it", () => {
    const around = run(FrameStackWrapper(AutoResetWrapper(counter), 2), 6, counterParams).steps;
    const inside = run(AutoResetWrapper(FrameStackWrapper(counter, 2)), 6, counterParams).steps;
    for (const { obs, info } of [around, inside]) {
      const counts = [...obs].map((row) => row.slice("1::2").toArray());
      expect(counts.slice(3)).toEqual([
        [3, 4],
        [0, 0],
        [0, 1],
      ]);
      expect((info.terminalObs as Array).slice(4, "1::2").toArray()).toEqual([4, 5]);
    }
    expect(differences(around, inside)).toEqual([]);
  });

  it("stacks images by their channels and keeps bounds", () => {
    const env = FrameStackWrapper(GrayscaleWrapper(pixels), 4);
    expect(env.observationSpace(pixelParams).shape).toEqual([40, 40, 4]);
    checkEnv(env, { steps: 2 });
    const space = FrameStackWrapper(cartPole, 2).observationSpace(cartPoleParams);
    expect(space.kind === "Box" && space.high.slice(4).item()).toBeCloseTo(4.8);
    const discrete = { ...counter, observationSpace: () => Discrete(3) };
    expect(errorOf(() => FrameStackWrapper(discrete))).toContain("make them a one-hot Box first");
  });
});

describe("wrappers around each other", () => {
  const stack = EpisodeStatsWrapper(
    FrameStackWrapper(AutoResetWrapper(TimeLimit(RewardScaleWrapper(cartPole, 0.1), 20)), 2),
  );

  it("have nothing that checkEnv finds wrong", () => {
    checkEnv(stack, { steps: 3 });
    checkEnv(AutoResetWrapper(stack), { steps: 3 });
  });

  it("work under jit, scan and vmap, each environment as it would alone", () => {
    const f = rollout(stack, 40);
    const keys = random.split(key, 8);
    const together = jit(vmap(f, [0, null]))(keys, cartPoleParams);
    const alone = jit(f)(keys.slice(5), cartPoleParams);
    const picked = tree.map((x) => (x as Array).slice(5), together);
    expect(differences(picked, alone, { rtol: 1e-4, atol: 1e-4 })).toEqual([]);
    const { done, info } = alone.steps;
    const lengths = (info.episodeLength as Array).toArray() as number[];
    const ends = done.toArray() as boolean[];
    expect(ends.some((end) => end)).toBe(true);
    ends.forEach((end, turn) => {
      const length = turn - ends.lastIndexOf(true, turn - 1);
      if (end && turn > 0) expect(lengths[turn]).toBe(ends.slice(0, turn).includes(true) ? length : turn + 1);
    });
  });

  it("keep the types of states and parameters", () => {
    expectTypeOf(EpisodeStatsWrapper(AutoResetWrapper(TimeLimit(cartPole, 9)))).toEqualTypeOf<
      Environment<
        EpisodeStatsState<TimeLimitState<CartPoleState>>,
        CartPoleParams,
        Info & ResetInfo & EpisodeInfo
      >
    >();
  });

  it("name what they wrap, and draw what is inside", () => {
    expect(stack.name).toBe(
      "EpisodeStatsWrapper(FrameStackWrapper(AutoResetWrapper(TimeLimit(RewardScaleWrapper(CartPole-v1)))))",
    );
    const env = TimeLimit(EpisodeStatsWrapper(FrameStackWrapper(counter)), 9);
    const [, state] = env.reset(key, counterParams);
    expect(render(env, state)).toBe("<svg>0</svg>");
  });

  it("take environments that are classes", () => {
    class Game implements Environment<CounterState, typeof counterParams> {
      readonly name = "Game";
      readonly #length = 5;
      defaultParams() {
        return { length: np.int32(this.#length) };
      }
      observationSpace() {
        return Box({ shape: [2] });
      }
      actionSpace() {
        return Discrete(this.#length);
      }
      reset(k: Array, params: typeof counterParams) {
        return counter.reset(k, params);
      }
      step(k: Array, state: CounterState, action: Array, params: typeof counterParams) {
        return counter.step(k, state, action.add(this.#length), params);
      }
    }
    const { steps } = run(EpisodeStatsWrapper(AutoResetWrapper(new Game())), 6, counterParams);
    expect((steps.info.episodeLength as Array).toArray()).toEqual([0, 0, 0, 0, 5, 5]);
  });
});

// What compilers know of runs and of what environments tell.
import { describe, expectTypeOf, it } from "vitest";
import { random, type Array } from "vibe-rl/array";
import {
  AutoResetWrapper,
  cartPole,
  EpisodeStatsWrapper,
  RewardScaleWrapper,
  TimeLimit,
  type CartPoleState,
  type EpisodeStatsState,
} from "vibe-rl/env";
import type { MetricsLogger, TensorBoardBackend, WandbBackend } from "vibe-rl/metrics";
import { trainDQN, trainPPO, trainSAC, type RunOptions, type TrainPPOOptions } from "vibe-rl/runner";

const raw = cartPole();
const params = raw.defaultParams();

describe("the types of", () => {
  it("what wrappers tell: arrays, through other wrappers too", () => {
    const env = EpisodeStatsWrapper(RewardScaleWrapper(AutoResetWrapper(TimeLimit(raw, 9)), 2));
    const [, state] = env.reset(random.key(0), params);
    const [, , , , info] = env.step(
      random.key(0),
      state,
      env.actionSpace(params).sample(random.key(1)),
      params,
    );
    expectTypeOf(info.episodeReturn).toEqualTypeOf<Array>();
    expectTypeOf(info.episodeLength).toEqualTypeOf<Array>();
    expectTypeOf(info.terminalObs).toEqualTypeOf<Array>();
    expectTypeOf(info.terminated).toEqualTypeOf<Array>();
    expectTypeOf(info.mine).toEqualTypeOf<unknown>();
  });

  it("loggers: a MetricsLogger, its backends, a function of one's own", () => {
    type Logger = NonNullable<RunOptions<object>["logger"]>;
    expectTypeOf<ReturnType<typeof MetricsLogger>>().toExtend<Logger>();
    expectTypeOf<ReturnType<typeof TensorBoardBackend>>().toExtend<Logger>();
    expectTypeOf<Awaited<ReturnType<typeof WandbBackend>>>().toExtend<Logger>();
    const logger: Logger = { log: ({ step, eval_return }) => [step, eval_return] satisfies number[] };
    expectTypeOf(logger).toExtend<Logger>();
  });

  it("training: environments of several kinds in one list", () => {
    const train = (options: TrainPPOOptions) =>
      [raw, EpisodeStatsWrapper(raw)].map(async (env) => (await trainPPO(env, params, options))[0].envState);
    expectTypeOf(train).returns.items.resolves.toEqualTypeOf<
      CartPoleState | EpisodeStatsState<CartPoleState>
    >();
    const [one] = [(options: TrainPPOOptions) => trainPPO(AutoResetWrapper(raw), params, options)];
    expectTypeOf(one)
      .returns.resolves.toHaveProperty(0)
      .toHaveProperty("envState")
      .toEqualTypeOf<CartPoleState>();
    for (const other of [trainDQN, trainSAC]) expectTypeOf(other).parameter(0).toHaveProperty("reset");
    // @ts-expect-error parameters of another environment
    const wrong = (options: TrainPPOOptions) => trainPPO(raw, { gravity: 1 }, options);
    expectTypeOf(wrong).toBeFunction();
  });
});

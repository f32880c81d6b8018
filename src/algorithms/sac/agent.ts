// SAC as a namespace of pure functions.
import {
  checkedConfig,
  clippedAdam,
  continuousActions,
  type ContinuousActions,
  type NetworkParams,
  type Transition,
} from "../../agent/index.js";
import { fail, jit, np, random, valueAndGrad, type Array, type Shape } from "../../array/index.js";
import type { Space } from "../../env/index.js";
import { applyUpdates, incrementalUpdate } from "../../nn/index.js";
import { SACConfig } from "./config.js";
import { sacActorLoss, sacAlphaLoss, sacCriticLoss, sacTarget } from "./loss.js";
import { initActor, initCritics, policyOf } from "./network.js";
import type { SACMetrics, SACState, TwinParams } from "./types.js";

interface Options {
  readonly config: SACConfig;
}

interface ActOptions extends Options {
  /** Whether to sample (the default) or to take the middle of the policy. */
  readonly explore?: boolean;
}

const optimizers = ({ actorLr, criticLr, alphaLr, maxGradNorm }: SACConfig) => ({
  actor: clippedAdam(actorLr, maxGradNorm),
  critic: clippedAdam(criticLr, maxGradNorm),
  alpha: clippedAdam(alphaLr, maxGradNorm),
});

/** The state of a fresh agent. `actions` is the number of an action's components, or a Box space. */
function init(rng: Array, obsShape: Shape, actions: number | Space, given: SACConfig): SACState {
  const config = checkedConfig("SAC.init", "config", SACConfig, given);
  const found = continuousActions("SAC.init", actions);
  checkBounds(found, config);
  const [actorKey, criticKey, stateKey] = random.split(rng, 3);
  const actorParams = initActor(actorKey, obsShape, found.size, config);
  const criticParams = initCritics(criticKey, obsShape, found.size, config);
  const logAlpha = np.float32(Math.log(config.initAlpha));
  const { actor, critic, alpha } = optimizers(config);
  return {
    actorParams,
    criticParams,
    targetCriticParams: criticParams,
    actorOptState: actor.init(actorParams),
    criticOptState: critic.init(criticParams),
    logAlpha,
    alphaOptState: alpha.init(logAlpha),
    step: np.int32(0),
    rng: stateKey,
  };
}

/** Refuses bounds that are not the action space's: the policy could not reach all actions, or would leave them. */
function checkBounds({ size, space }: ContinuousActions, { actionLow, actionHigh }: SACConfig): void {
  const [low, high] = Object.entries({ actionLow, actionHigh }).map(([name, given]) => {
    if (typeof given === "number") return range(size).map(() => given);
    if (given.length === size) return given;
    fail("SAC.init", `config.${name} has ${given.length} components, actions have ${size}`);
  }) as [readonly number[], readonly number[]];
  // Without a space, or with bounds that are being traced, there is nothing to compare with.
  if (space?.low.tracer !== null || space.high.tracer !== null) return;
  const [least, most] = [[...space.low.data()], [...space.high.data()]];
  if ([...least, ...most].some((limit) => !Number.isFinite(limit))) {
    fail("SAC.init", `needs an action space with finite bounds, got ${String(space)}`);
  }
  const differs = range(size).some(
    (at) => Math.fround(low[at]) !== least[at] || Math.fround(high[at]) !== most[at],
  );
  if (differs) {
    const show = (bounds: readonly number[]) =>
      new Set(bounds).size === 1 ? String(bounds[0]) : `[${bounds.join(", ")}]`;
    fail(
      "SAC.init",
      `the actions of ${String(space)} go from ${show(least)} to ${show(most)}, but the config's from ` +
        `${show(low)} to ${show(high)}; set SACConfig({ actionLow: ${show(least)}, actionHigh: ${show(most)} })`,
    );
  }
}

const range = (count: number): number[] => globalThis.Array.from({ length: count }, (_, at) => at);

/** Actions for a batch of observations, (B, actionDim). */
function actBatch(state: SACState, obs: Array, { config, explore = true }: ActOptions): [Array, SACState] {
  const [rng, key] = random.split(state.rng);
  const policy = policyOf(state.actorParams, obs, config);
  return [explore ? policy.sample(key) : policy.mode(), { ...state, rng }];
}

/** An action for one observation, (actionDim,). */
function act(state: SACState, obs: Array, options: ActOptions): [action: Array, state: SACState] {
  const [action, next] = actBatch(state, obs.slice(null), options);
  return [action.slice(0), next];
}

/** One gradient step each of the critics, the actor and the temperature; the target critics follow. */
function update(state: SACState, batch: Transition, { config }: Options): [SACState, SACMetrics] {
  const [rng, nextKey, nowKey] = random.split(state.rng, 3);
  const noiseShape = batch.action.shape;
  const { actor, critic, alpha } = optimizers(config);

  const target = sacTarget(state, batch, random.normal(nextKey, noiseShape), { config });
  const [[criticLoss, qMean], criticGradients] = valueAndGrad(
    (params: TwinParams) => sacCriticLoss(params, batch, target),
    { hasAux: true },
  )(state.criticParams);
  const [criticSteps, criticOptState] = critic.update(criticGradients, state.criticOptState);
  const criticParams = applyUpdates(state.criticParams, criticSteps);
  const targetCriticParams = incrementalUpdate(criticParams, state.targetCriticParams, config.tau);

  const noise = random.normal(nowKey, noiseShape);
  const { logAlpha } = state;
  const [[actorLoss, logProb], actorGradients] = valueAndGrad(
    (params: NetworkParams) => sacActorLoss(params, { criticParams, logAlpha }, batch.obs, noise, { config }),
    { hasAux: true },
  )(state.actorParams);
  const [actorSteps, actorOptState] = actor.update(actorGradients, state.actorOptState);
  const actorParams = applyUpdates(state.actorParams, actorSteps);

  const targetEntropy = -config.targetEntropyScale * noiseShape[1];
  const [alphaLoss, alphaGradient] = valueAndGrad(sacAlphaLoss)(logAlpha, logProb, targetEntropy);
  const [alphaStep, alphaOptState] = alpha.update(alphaGradient, state.alphaOptState);
  const temperature = config.autotuneAlpha
    ? { logAlpha: applyUpdates(logAlpha, alphaStep), alphaOptState }
    : { logAlpha, alphaOptState: state.alphaOptState };

  return [
    {
      ...{ actorParams, criticParams, targetCriticParams, actorOptState, criticOptState },
      ...temperature,
      step: state.step.add(1),
      rng,
    },
    {
      ...{ actorLoss, criticLoss, qMean },
      alphaLoss: config.autotuneAlpha ? alphaLoss : np.float32(0),
      alpha: np.exp(temperature.logAlpha),
      entropy: logProb.mean().neg(),
    },
  ];
}

/**
 * Soft actor-critic. Called by themselves these functions are compiled, once for each config and shape; in a
 * function that is being traced they become part of it.
 */
export const SAC = {
  init,
  act: jit(act, { staticArgnums: 2 }),
  actBatch: jit(actBatch, { staticArgnums: 2 }),
  update: jit(update, { staticArgnums: 2 }),
} as const;

// What the algorithms compute equals the golden figures from JAX, interpreted and compiled.
import { describe, it } from "vitest";
import { grad, jit, np, valueAndGrad, type Array } from "vibe-rl/array";
import { clippedAdam, type NetworkParams, type Transition } from "vibe-rl/agent";
import { dqnLoss, DQNConfig } from "vibe-rl/algorithms/dqn";
import { computeGae, ppoLoss, PPOConfig, type PPOBatch, type PPOParams } from "vibe-rl/algorithms/ppo";
import {
  sacActorLoss,
  sacAlphaLoss,
  sacCriticLoss,
  SACConfig,
  sacTarget,
  type TwinParams,
} from "vibe-rl/algorithms/sac";
import { applyUpdates, globalNorm } from "vibe-rl/nn";
import { expectClose, numbersOf, readGolden, toTree, type GoldenArray } from "../golden.js";

interface Case {
  readonly name: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly out: unknown;
}

const cases = new Map(readGolden<Case>("rl.json").map((one) => [one.name, one]));

function golden(name: string) {
  const found = cases.get(name);
  if (found === undefined) throw new Error(`no golden case ${name}`);
  const inputs = toTree(found.inputs) as Record<string, never>;
  const number = (key: string): number => numbersOf(found.inputs[key] as GoldenArray)[0];
  return { inputs, number, out: toTree(found.out) as Record<string, never> };
}

/** A fact that holds interpreted and compiled. */
function both<A extends unknown[]>(fact: string, f: (...args: A) => unknown, args: A, expected: unknown) {
  const tolerance = { rtol: 3e-5, atol: 2e-6 };
  it(`${fact}, interpreted`, () => expectClose(f(...args), expected, tolerance));
  it(`${fact}, compiled`, () => expectClose(jit(f)(...args), expected, tolerance));
}

describe("computeGae", () => {
  for (const [name, fact] of [
    ["gae", "of several environments"],
    ["gae_single", "of one environment"],
  ]) {
    const { inputs, number, out } = golden(name);
    const gae = (rewards: Array, values: Array, dones: Array, last: Array) =>
      computeGae(rewards, values, dones, last, number("gamma"), number("gae_lambda"));
    both(fact, gae, [inputs.rewards, inputs.values, inputs.dones, inputs.last_value], out);
  }
});

describe("ppoLoss", () => {
  const { inputs, number, out } = golden("ppo_loss");
  const config = PPOConfig({
    clipEps: number("clip_eps"),
    vfCoef: number("vf_coef"),
    entCoef: number("ent_coef"),
  });
  const { log_prob: logProb, return: returns, ...rest } = inputs.batch as Record<string, never>;
  const batch: PPOBatch = { ...(rest as object as Omit<PPOBatch, "logProb" | "returns">), logProb, returns };
  const params = inputs.params as PPOParams;

  const measure = (p: PPOParams, b: PPOBatch) => {
    const [[totalLoss, { actorLoss, criticLoss, entropy, approxKl }], grads] = valueAndGrad(
      (q: PPOParams) => ppoLoss(q, b, { config }),
      { hasAux: true },
    )(p);
    return {
      total_loss: totalLoss,
      actor_loss: actorLoss,
      critic_loss: criticLoss,
      entropy,
      approx_kl: approxKl,
      grads,
    };
  };
  both("its parts and its gradient", measure, [params, batch], out);

  const steps = golden("ppo_three_adam_steps");
  const optimizer = clippedAdam(steps.number("lr"), steps.number("max_grad_norm"));
  const descend = (start: PPOParams, b: PPOBatch) => {
    let [current, optState] = [start, optimizer.init(start)];
    const norms: Array[] = [];
    for (let step = 0; step < 3; step++) {
      const grads = grad((p: PPOParams) => ppoLoss(p, b, { config })[0])(current);
      const [updates, next] = optimizer.update(grads, optState);
      norms.push(globalNorm(grads));
      [current, optState] = [applyUpdates(current, updates), next];
    }
    return { params: current, grad_norms: np.stack(norms) };
  };
  both("three steps of Adam on it", descend, [params, batch], steps.out);
});

/** A batch with the names it has here. */
function transitions(batch: Record<string, never>): Transition {
  const { next_obs: nextObs, ...rest } = batch;
  return { ...(rest as object as Omit<Transition, "nextObs">), nextObs };
}

describe("dqnLoss", () => {
  const { inputs, number, out } = golden("dqn_loss");
  const config = DQNConfig({ gamma: number("gamma") });
  const measure = (params: NetworkParams, target: NetworkParams, batch: Transition) => {
    const [[loss, qMean], grads] = valueAndGrad((p: NetworkParams) => dqnLoss(p, target, batch, { config }), {
      hasAux: true,
    })(params);
    return { loss, q_mean: qMean, grads };
  };
  const args = [inputs.params, inputs.target_params, transitions(inputs.batch)] as const;
  both("its value and its gradient", measure, [...args], out);
});

describe("SAC's losses", () => {
  const { inputs, number, out } = golden("sac_losses");
  const config = SACConfig({ gamma: number("gamma") });
  const batch = transitions(inputs.batch);
  const state = {
    actorParams: inputs.actor as NetworkParams,
    criticParams: inputs.critic as TwinParams,
    targetCriticParams: inputs.target_critic as TwinParams,
    logAlpha: inputs.log_alpha as Array,
    actionLow: np.float32(number("action_low")),
    actionHigh: np.float32(number("action_high")),
  };
  const measure = (s: typeof state, b: Transition, noiseNext: Array, noiseNow: Array) => {
    const target = sacTarget(s, b, noiseNext, { config });
    const [[criticLoss], criticGrads] = valueAndGrad((c: TwinParams) => sacCriticLoss(c, b, target), {
      hasAux: true,
    })(s.criticParams);
    const [[actorLoss, logProb], actorGrads] = valueAndGrad(
      (a: NetworkParams) => sacActorLoss(a, s, b.obs, noiseNow, { config }),
      { hasAux: true },
    )(s.actorParams);
    const [alphaLoss, alphaGrad] = valueAndGrad((l: Array) =>
      sacAlphaLoss(l, logProb, number("target_entropy")),
    )(s.logAlpha);
    return {
      target_q: target,
      critic_loss: criticLoss,
      critic_grads: criticGrads,
      actor_loss: actorLoss,
      actor_grads: actorGrads,
      alpha_loss: alphaLoss,
      alpha_grad: alphaGrad,
    };
  };
  const { next_action: _action, next_log_prob: _logProb, ...expected } = out;
  both(
    "their values and their gradients",
    measure,
    [state, batch, inputs.noise_next, inputs.noise_now],
    expected,
  );
});

// Networks, distributions and optimisers reproduce the golden figures from JAX, interpreted and compiled.
import { describe, it } from "vitest";
import { grad, jit, lax, nn, np, type Array } from "vibe-rl/array";
import {
  adam,
  applyUpdates,
  Categorical,
  chain,
  clipByGlobalNorm,
  globalNorm,
  MLP,
  TanhNormal,
  type MLPParams,
} from "vibe-rl/nn";
import { expectClose, readGolden, toTree } from "../golden.js";

interface Case<Inputs, Out> {
  readonly inputs: Inputs;
  readonly out: Out;
}

const cases = readGolden<Case<unknown, unknown> & { readonly name: string }>("rl.json");

function golden<Inputs, Out>(name: string): Case<Inputs, Out> {
  const found = cases.find((of) => of.name === name);
  return { inputs: toTree(found?.inputs) as Inputs, out: toTree(found?.out) as Out };
}

/** Runs a function as it is and compiled. */
const bothWays = <A extends unknown[], R>(
  name: string,
  f: (...args: A) => R,
  args: A,
  check: (r: R) => void,
) => {
  it(`${name}, interpreted`, () => check(f(...args)));
  it(`${name}, compiled`, () => check(jit(f)(...args)));
};

interface Params {
  readonly actor: MLPParams;
  readonly critic: MLPParams;
}
type Batch = Readonly<Record<"obs" | "action" | "log_prob" | "value" | "advantage" | "return", Array>>;

/** PPO's loss with clipped values, as the golden file defines it. */
function loss(params: Params, batch: Batch): Array {
  const policy = Categorical(MLP.apply(params.actor, batch.obs));
  const values = MLP.apply(params.critic, batch.obs).slice(":", 0);
  const advantage = batch.advantage.sub(batch.advantage.mean()).div(batch.advantage.std().add(1e-8));
  const ratio = np.exp(policy.logProb(batch.action).sub(batch.log_prob));
  const actor = np.minimum(ratio.mul(advantage), ratio.clip(0.8, 1.2).mul(advantage)).mean().neg();
  const clipped = values.sub(batch.value).clip(-0.2, 0.2).add(batch.value);
  const errors = np.maximum(np.square(values.sub(batch.return)), np.square(clipped.sub(batch.return)));
  return actor.add(errors.mean().mul(0.5 * 0.5)).sub(policy.entropy().mean().mul(0.01));
}

describe("ppo_loss", () => {
  const { inputs, out } = golden<{ params: Params; batch: Batch }, { total_loss: Array; grads: Params }>(
    "ppo_loss",
  );
  const run = (params: Params, batch: Batch) => ({
    loss: loss(params, batch),
    grads: grad(loss)(params, batch),
  });
  bothWays("loss and gradients", run, [inputs.params, inputs.batch], (result) => {
    expectClose(result, { loss: out.total_loss, grads: out.grads }, { rtol: 1e-4, atol: 1e-5 });
  });
});

describe("ppo_three_adam_steps", () => {
  const { inputs, out } = golden<
    { params: Params; batch: Batch; lr: Array; max_grad_norm: Array; eps: Array },
    { params: Params; grad_norms: Array }
  >("ppo_three_adam_steps");
  const optimizer = chain(
    clipByGlobalNorm(inputs.max_grad_norm.item()),
    adam(inputs.lr.item(), { eps: inputs.eps.item() }),
  );
  const threeSteps = (start: Params, batch: Batch) => {
    const [{ params }, norms] = lax.scan(
      ({ params, state }) => {
        const grads = grad(loss)(params, batch);
        const [updates, next] = optimizer.update(grads, state, params);
        return [{ params: applyUpdates(params, updates), state: next }, globalNorm(grads)];
      },
      { params: start, state: optimizer.init(start) },
      null,
      { length: 3 },
    );
    return { params, grad_norms: norms };
  };
  bothWays("parameters and norms", threeSteps, [inputs.params, inputs.batch], (result) => {
    expectClose(result, out, { rtol: 1e-5, atol: 1e-5 });
  });
});

describe("sac_losses", () => {
  const { inputs, out } = golden<
    {
      actor: MLPParams;
      batch: Readonly<Record<"next_obs", Array>>;
      noise_next: Array;
      action_low: Array;
      action_high: Array;
    },
    { next_action: Array; next_log_prob: Array }
  >("sac_losses");
  const bounds = { low: inputs.action_low.item(), high: inputs.action_high.item() };
  const act = (params: MLPParams, obs: Array, noise: Array) => {
    const [mean, logStd] = np.split(MLP.apply(params, obs, { activation: nn.relu }), 2, -1);
    return TanhNormal(mean, logStd.clip(-20, 2), bounds).fromNoise(noise);
  };
  const { actor, batch, noise_next: noise } = inputs;
  bothWays("squashed actions", act, [actor, batch.next_obs, noise], ([action, logProb]) => {
    expectClose(
      { action, logProb },
      { action: out.next_action, logProb: out.next_log_prob },
      {
        rtol: 1e-5,
        atol: 1e-5,
      },
    );
  });
});

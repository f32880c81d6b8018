// An agent of one's own, advantage actor-critic (A2C), trained as PPO is: one compiled loop, logs, evaluation.
import { lax, np, random, valueAndGrad, type Array, type Shape } from "vibe-rl/array";
import { AgentState, clippedAdam, discreteActions, mlp } from "vibe-rl/agent";
import type { Agent, OptState, SequelTransition } from "vibe-rl/agent";
import { make, type Space } from "vibe-rl/env";
import { applyUpdates, Categorical, type MLPParams } from "vibe-rl/nn";
import { trainAgent } from "vibe-rl/runner";

const config = { lr: 1e-3, gamma: 0.99, entropyWeight: 0.01, numEnvs: 16, nSteps: 16 };
type Config = typeof config;

const [actor, critic] = [mlp(), mlp()];
const valueOf = (params: MLPParams, obs: Array): Array => critic.apply(params, obs).slice(":", 0);
const optimizer = clippedAdam(config.lr, 0.5);

interface Params {
  readonly actor: MLPParams;
  readonly critic: MLPParams;
}
type State = AgentState<Params, OptState>;

const A2C = {
  name: "A2C",
  learnsFrom: "rollouts",

  init(rng: Array, obsShape: Shape, actions: number | Space): State {
    const [actorKey, criticKey, stateKey] = random.split(rng, 3);
    const params = {
      actor: actor.init(actorKey, obsShape, discreteActions("A2C.init", actions)),
      critic: critic.init(criticKey, obsShape, 1),
    };
    return AgentState.initial(params, optimizer.init(params), stateKey);
  },

  act(state: State, obs: Array, { explore = true }: { explore?: boolean } = {}): [Array, State] {
    const [rng, key] = random.split(state.rng);
    const policy = Categorical(actor.apply(state.params.actor, obs.slice(null)));
    return [(explore ? policy.sample(key) : policy.mode()).slice(0), { ...state, rng }];
  },

  /** One gradient step on a rollout (T, N, …): `done` is where nothing follows, `ended` where episodes ended. */
  update(state: State, rollout: SequelTransition) {
    const { obs, action, reward, nextObs, done, ended } = rollout;
    const [steps, environments] = reward.shape;
    const rows = (x: Array): Array => x.reshape([steps * environments, ...x.shape.slice(2)]);
    const following = np.where(done, 0, valueOf(state.params.critic, rows(nextObs)).reshape(reward.shape));
    // Rewards up to the end of the episode or of the rollout, and from there on what the critic says.
    const [, returns] = lax.scan(
      (later: Array, now: { reward: Array; following: Array; ended: Array }) => {
        const sum = now.reward.add(np.where(now.ended, now.following, later).mul(config.gamma));
        return [sum, sum];
      },
      following.slice(-1),
      { reward, following, ended },
      { reverse: true },
    );
    const loss = (params: Params): [Array, { entropy: Array; valueLoss: Array }] => {
      const policy = Categorical(actor.apply(params.actor, rows(obs)));
      const error = rows(returns).sub(valueOf(params.critic, rows(obs)));
      const entropy = policy.entropy().mean();
      const valueLoss = np.square(error).mean();
      const gain = policy.logProb(rows(action)).mul(lax.stopGradient(error)).mean();
      return [valueLoss.mul(0.5).sub(gain).sub(entropy.mul(config.entropyWeight)), { entropy, valueLoss }];
    };
    const [[value, measured], gradients] = valueAndGrad(loss, { hasAux: true })(state.params);
    const [updates, optState] = optimizer.update(gradients, state.optState);
    const params = applyUpdates(state.params, updates);
    return [
      { ...state, params, optState, step: state.step.add(1) },
      { loss: value, ...measured },
    ] as const;
  },
} satisfies Agent<State, Config, SequelTransition>;

const [env, params] = make("CartPole-v1");
const { evalLog } = await trainAgent(A2C, env, params, {
  config,
  runnerConfig: { totalTimesteps: 100_000, evalEvery: 20_000, evalEpisodes: 20 },
});
for (const { step, eval_return } of evalLog) console.log(`step ${step}: ${eval_return.toFixed(1)}`);

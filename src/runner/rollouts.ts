// Agents that learn from rollouts of their present policy, as their loop sees them.
import { lax, random, vmap, type Array } from "../array/index.js";
import type { SequelTransition } from "../agent/index.js";
import type { Environment } from "../env/index.js";
import { learnerOf, type AgentOptions, type Learner, type RunnableAgent } from "./learners.js";

/** Where the environments are, one behind the other. */
export interface Playing<S> {
  readonly envObs: Array;
  readonly envState: S;
  readonly rng: Array;
}

/** What a rollout leaves. */
export interface Collected<A, S> {
  readonly agentState: A;
  /** What `update` takes. */
  readonly batch: unknown;
  readonly playing: Playing<S>;
  /** For the log: (T, N). */
  readonly reward: Array;
  /** Whether an episode ended, for whatever reason, (T, N). */
  readonly done: Array;
}

/** An agent that learns from rollouts. */
export interface RolloutLearner<A> extends Learner<A> {
  readonly collect: <S, P>(
    env: Environment<S, P>,
    params: P,
    agentState: A,
    playing: Playing<S>,
  ) => Collected<A, S>;
  readonly update: (state: A, batch: unknown) => readonly [state: A, metrics: object];
}

/** What the runner reads of the config of such an agent. */
export interface RolloutConfig {
  readonly numEnvs: number;
  readonly nSteps: number;
  readonly hiddenSizes?: readonly number[];
}

/** An agent that acts, and learns from what came of it. `config` is what the loop reads. */
export function rolloutLearnerOf<A extends object>(
  operation: string,
  agent: RunnableAgent<A>,
  config: RolloutConfig,
  options: AgentOptions,
): RolloutLearner<A> {
  const learner = learnerOf(operation, agent, options);
  return {
    ...learner,
    collect: (env, params, agentState, playing) => collect(learner, config, env, params, agentState, playing),
    update: (state, batch) => agent.update(state, batch, options),
  };
}

/** A rollout as transitions (T, N, …), with where episodes ended in `ended`. */
function collect<A, S, P>(
  { act }: Learner<A>,
  { nSteps, numEnvs }: RolloutConfig,
  env: Environment<S, P>,
  params: P,
  agent: A,
  { envObs, envState, rng }: Playing<S>,
): Collected<A, S> {
  const steps = vmap((key: Array, state: S, action: Array) => env.step(key, state, action, params));
  const [last, batch] = lax.scan(
    (now) => {
      const [next, key] = random.split(now.rng);
      const [action, acted] = act(now.agent, now.obs, true);
      const [obs, state, reward, , info] = steps(random.split(key, numEnvs), now.state, action);
      const { terminalObs, terminated, truncated } = info as unknown as Record<string, Array>;
      const transition: SequelTransition = {
        ...{ obs: now.obs, action, reward: reward.astype("float32"), nextObs: terminalObs },
        ...{ done: terminated, ended: terminated.or(truncated) },
      };
      return [{ agent: acted, obs, state, rng: next }, transition];
    },
    { agent, obs: envObs, state: envState, rng },
    null,
    { length: nSteps },
  );
  return {
    agentState: last.agent,
    batch,
    playing: { envObs: last.obs, envState: last.state, rng: last.rng },
    reward: batch.reward,
    done: batch.ended,
  };
}

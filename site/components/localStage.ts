// A stage in this thread: the environment's step as a compiled program, and a policy that chooses, or chance.
import { jit, np, precompile, random, type Array } from "vibe-rl/array";
import type { Environment } from "vibe-rl/env";
import type { Policy } from "vibe-rl/policy";
import type { Stage, StageFrame } from "./stage.js";

export interface LocalStage extends Stage {
  /** Who acts from the next step on; null is chance. Refuses a policy for other observations or actions. */
  setPolicy(policy: Policy | null): void;
  /** Compiles what the first step needs, so that it does not hold up anything. */
  prepare(): Promise<void>;
}

export function localStage(env: Environment, params: unknown): LocalStage {
  const actionSpace = env.actionSpace(params);
  const actionCount = actionSpace.kind === "Discrete" ? actionSpace.n : null;

  const begin = jit((key: Array) => {
    const [next, own] = random.split(key);
    return [next, ...env.reset(own, params)] as const;
  });
  const move = jit((key: Array, state: unknown, action: Array) => {
    const [next, own] = random.split(key);
    const [obs, after, reward, done] = env.step(own, state, action, params);
    return [next, obs, after, reward, done] as const;
  });
  const guess = jit((key: Array) => {
    const [next, own] = random.split(key);
    return [next, actionSpace.sample(own)] as const;
  });

  let policy: Policy | null = null;
  let [key, obs, state] = [random.key(0), np.zeros([]), null as unknown];
  let episode = { steps: 0, return: 0, number: 0, isOver: true };

  const frame = (): StageFrame => ({
    svg: env.render === undefined ? null : env.render(state, params),
    seen: String(obs),
    ...episode,
  });

  function start(): void {
    [key, obs, state] = begin(key);
    episode = { steps: 0, return: 0, number: episode.number + 1, isOver: false };
  }

  function choose(action: number | null): Array {
    if (action !== null) return np.array(action, { dtype: actionSpace.dtype });
    if (policy !== null) return policy.act(obs);
    let chosen: Array;
    [key, chosen] = guess(key);
    return chosen;
  }

  function step(action: number | null): void {
    const [next, seen, after, reward, done] = move(key, state, choose(action));
    [key, obs, state] = [next, seen, after];
    episode = {
      steps: episode.steps + 1,
      return: episode.return + reward.item(),
      number: episode.number,
      isOver: Boolean(done.item()),
    };
  }

  return {
    info: { name: env.name, actionCount },
    setPolicy(given) {
      if (given !== null) checkFit(env, params, given);
      policy = given;
    },
    async prepare() {
      const [, , first] = await Promise.resolve(begin(random.key(0)));
      await precompile(move, random.key(0), first, actionSpace.sample(random.key(0)));
    },
    reset(seed) {
      key = random.key(seed);
      episode = { ...episode, number: 0 };
      start();
      return Promise.resolve(frame());
    },
    advance(steps, action) {
      for (let taken = 0; taken < steps; taken++) {
        if (episode.isOver) start();
        step(action);
        if (episode.isOver) break;
      }
      return Promise.resolve(frame());
    },
    close: () => undefined,
  };
}

/** Why a policy cannot play an environment, or null. */
export function misfit(
  policy: Pick<Policy, "kind" | "actionSize" | "obsShape">,
  env: Environment,
  params: unknown,
): string | null {
  const { shape } = env.observationSpace(params);
  const actions = env.actionSpace(params);
  const count = actions.kind === "Discrete" ? actions.n : actions.shape.reduce((a, b) => a * b, 1);
  const kind = actions.kind === "Discrete" ? "discrete" : "continuous";
  const [sees, wants] = [policy.obsShape, shape].map((one) => `[${one.join()}]`);
  if (sees !== wants) return `it sees observations ${sees}, those of ${env.name} are ${wants}`;
  if (policy.kind !== kind || policy.actionSize !== count) {
    return `it chooses ${policy.kind} actions (${policy.actionSize}), those of ${env.name} are ${kind} (${count})`;
  }
  return null;
}

function checkFit(env: Environment, params: unknown, policy: Policy): void {
  const reason = misfit(policy, env, params);
  if (reason !== null) throw new Error(`the policy is not for ${env.name}: ${reason}`);
}

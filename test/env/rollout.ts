// Episodes with random actions, as agents collect them.
import { lax, random, type Array } from "vibe-rl/array";
import type { Environment, Info } from "vibe-rl/env";

export interface Steps {
  readonly obs: Array;
  readonly action: Array;
  readonly reward: Array;
  readonly done: Array;
  readonly info: Info;
}

/** `length` steps of random actions in one environment, as a traceable function: the last state and all steps. */
export const rollout =
  <S, P>(env: Environment<S, P>, length: number) =>
  (key: Array, params: P): { readonly state: S; readonly first: Array; readonly steps: Steps } => {
    const [resetKey, runKey] = random.split(key);
    const [first, start] = env.reset(resetKey, params);
    const [state, steps] = lax.scan(
      (before: S, stepKey: Array) => {
        const [actionKey, envKey] = random.split(stepKey);
        const action = env.actionSpace(params).sample(actionKey);
        const [obs, next, reward, done, info] = env.step(envKey, before, action, params);
        return [next, { obs, action, reward, done, info }];
      },
      start,
      random.split(runKey, length),
    );
    return { state, first, steps };
  };

/** What a function throws, as text. */
export function errorOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    return String(error);
  }
  return "nothing was thrown";
}

// What is known about a policy as texts, for files that hold texts beside their numbers.
import type { ActionKind } from "../algorithms/index.js";
import { spaceToData } from "../env/index.js";
import { policySpaces, type StoredPolicy } from "./stored.js";

/** Names and values, with the names that files of runs have; what nobody knows is left out. */
export function factsOf(stored: StoredPolicy, actions: ActionKind): Readonly<Record<string, string>> {
  const { metadata } = stored;
  const { action, observation } = policySpaces(stored, actions);
  const all: Readonly<Record<string, string | number | null>> = {
    algorithm: metadata.algorithm,
    environment: metadata.environment,
    step: metadata.step,
    seed: metadata.seed,
    eval_return: metadata.evalReturn,
    vibe_rl_version: metadata.version,
    frame_stack: (stored.frameStack ?? 1) > 1 ? (stored.frameStack ?? 1) : null,
    action_space: JSON.stringify(spaceToData(action)),
    observation_space: JSON.stringify(spaceToData(observation)),
  };
  const known = Object.entries(all).filter(([, value]) => value !== null);
  return Object.fromEntries(known.map(([name, value]) => [name, String(value)]));
}

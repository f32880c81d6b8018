// The algorithms by the names that configs, checkpoints and the command line give them. A new one is a folder, and a line
// here; the types of configs and policies follow.
import type { AlgorithmDefinition } from "./definition.js";
import { dqn } from "./dqn/definition.js";
import { ppo } from "./ppo/definition.js";
import { sac } from "./sac/definition.js";

export const algorithms = { ppo, dqn, sac } as const;

export type AlgorithmName = keyof typeof algorithms;

/** What is known of an algorithm whose name is not. */
export type AnyAlgorithm = AlgorithmDefinition<object, object>;

/** The config, the state and the kinds of actions of an algorithm. */
export type ConfigOf<K extends AlgorithmName> = (typeof algorithms)[K]["config"]["defaults"];
export type StateOf<K extends AlgorithmName> = Parameters<
  (typeof algorithms)[K]["acting"]["firstNetwork"]
>[0];
export type ActionsOf<K extends AlgorithmName> = (typeof algorithms)[K]["actions"][number];

export const algorithmNames = Object.keys(algorithms) as AlgorithmName[];

export const isAlgorithm = (name: unknown): name is AlgorithmName =>
  algorithmNames.some((known) => known === name);

/** An algorithm by its name. */
export const algorithmOf = (name: AlgorithmName): AnyAlgorithm => algorithms[name] as unknown as AnyAlgorithm;

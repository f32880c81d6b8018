// The Agent protocol: what generic code may expect of any agent, and a check that says what is missing.
import { describe, fail, type Array, type Shape } from "../array/index.js";
import type { Space } from "../env/index.js";
import type { Metrics, Transition } from "./types.js";

/** Whether an agent tries things out (samples, epsilon-greedy) or takes what it thinks best. */
export interface ActOptions {
  /** Default true. */
  readonly explore?: boolean;
}

/** What an agent's updates are made of. */
export const experiences = ["replay", "rollouts"] as const;
export type Experience = (typeof experiences)[number];

/** What happened in a step of all environments, (N, …). */
export interface Seen {
  /** What was acted on. */
  readonly obs: Array;
  readonly reward: Array;
  /** Whether the episode ended, for whatever reason. */
  readonly ended: Array;
}

/**
 * A namespace of pure functions: state in, state out. It is never instantiated, and everything in it can be
 * traced, so that whole training loops compile. `trainAgent` gives `{ explore, config }` or `{ config }` as options.
 */
export interface Agent<
  State = unknown,
  Config = unknown,
  Batch = Transition,
  M extends object = Metrics,
  Options extends ActOptions = ActOptions,
> {
  /** What checkpoints and messages call it. Default "Agent". */
  readonly name?: string;
  /**
   * Whether `update` takes batches drawn from a replay buffer, (B, …), or rollouts of the present policy, (T, N, …),
   * which say in `ended` where episodes ended. Default "replay".
   */
  readonly learnsFrom?: Experience;
  /** The kinds of action spaces that it takes. Default: all. */
  readonly actionSpaces?: readonly Space["kind"][];
  /** The state of a fresh agent. `actions` is the number of actions, or the action space. */
  init(
    rng: Array,
    obsShape: Shape,
    actions: number | Space,
    config: Config,
    options?: { readonly numEnvs?: number },
  ): State;
  /** An action for one observation, and the state with its random key moved on. */
  act(state: State, obs: Array, options?: Options): readonly [action: Array, state: State];
  /** One update from transitions with leading axes. */
  update(state: State, batch: Batch): readonly [state: State, metrics: M];
  /** Actions for a batch of observations. Default: `act` for each, with keys split from `state.rng`. */
  actBatch?(state: State, obs: Array, options?: Options): readonly [actions: Array, state: State];
  /** The state that has seen a step of all environments, which replay does not show in order. Default: as before. */
  observe?(state: State, seen: Seen): State;
  /** What must stay finite, and is looked at in training. Default: `state.params`, or else the whole state. */
  paramsOf?(state: State): object;
}

const methods = ["init", "act", "update"] as const;
const optionalMethods = ["actBatch", "observe", "paramsOf"] as const;

/** What keeps a value from being an agent, in words; nothing if it is one. */
function problemsOf(candidate: unknown): string[] {
  const isObject = (typeof candidate === "object" && candidate !== null) || typeof candidate === "function";
  if (!isObject) return [`it is ${candidate === null ? "null" : `a ${typeof candidate}`}, not an object`];
  const members = candidate as Record<string, unknown>;
  const { prototype } = members as { prototype?: Record<string, unknown> };
  const missing = methods.flatMap((method) => {
    const member = members[method];
    if (typeof member === "function") return [];
    if (typeof prototype?.[method] === "function") {
      return [`\`${method}\` belongs to its instances; agents are not instantiated, so make it static`];
    }
    return [
      member === undefined
        ? `\`${method}\` is missing`
        : `\`${method}\` is a ${typeof member}, not a function`,
    ];
  });
  const odd = optionalMethods.flatMap((method) => {
    const member = members[method];
    if (member === undefined || typeof member === "function") return [];
    return [`\`${method}\` is a ${typeof member}, not a function`];
  });
  const { learnsFrom } = members;
  if (learnsFrom === undefined || experiences.some((one) => one === learnsFrom)) return [...missing, ...odd];
  const choices = experiences.map((one) => JSON.stringify(one)).join(" or ");
  return [...missing, ...odd, `\`learnsFrom\` must be ${choices}, got ${describe(learnsFrom)}`];
}

/** Whether a value has what an agent needs. `report` hears of everything that is missing or wrong. */
export function isAgent(candidate: unknown, report?: (problem: string) => void): candidate is Agent {
  const problems = problemsOf(candidate);
  if (report !== undefined) problems.forEach(report);
  return problems.length === 0;
}

/** Refuses what is not an agent, and says everything that it lacks. */
export function assertAgent(candidate: unknown, operation = "assertAgent"): asserts candidate is Agent {
  const problems = problemsOf(candidate);
  if (problems.length > 0) {
    fail(operation, `not an agent: ${problems.join("; ")}. An agent has init, act and update`);
  }
}

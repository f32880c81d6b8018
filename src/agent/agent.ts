// The Agent protocol: what generic code may expect of any agent, and a check that says what is missing.
import { fail, type Array, type Shape } from "../array/index.js";
import type { Space } from "../env/index.js";
import type { Metrics, Transition } from "./types.js";

/** Whether an agent tries things out (samples, epsilon-greedy) or takes what it thinks best. */
export interface ActOptions {
  /** Default true. */
  readonly explore?: boolean;
}

/**
 * A namespace of pure functions: state in, state out. It is never instantiated, and everything in it can be
 * traced, so that whole training loops compile.
 */
export interface Agent<
  State = unknown,
  Config = unknown,
  Batch = Transition,
  M extends object = Metrics,
  Options extends ActOptions = ActOptions,
> {
  /** The state of a fresh agent. `actions` is the number of actions, or the action space. */
  init(rng: Array, obsShape: Shape, actions: number | Space, config: Config): State;
  /** An action for one observation, and the state with its random key moved on. */
  act(state: State, obs: Array, options?: Options): readonly [action: Array, state: State];
  /** One gradient step on a batch of transitions with a leading axis. */
  update(state: State, batch: Batch): readonly [state: State, metrics: M];
}

const methods = ["init", "act", "update"] as const;

/** What keeps a value from being an agent, in words; nothing if it is one. */
function problemsOf(candidate: unknown): string[] {
  const isObject = (typeof candidate === "object" && candidate !== null) || typeof candidate === "function";
  if (!isObject) return [`it is ${candidate === null ? "null" : `a ${typeof candidate}`}, not an object`];
  const members = candidate as Record<string, unknown>;
  const { prototype } = members as { prototype?: Record<string, unknown> };
  return methods.flatMap((method) => {
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
}

/** Whether a value has what an agent needs. `report` hears of everything that is missing or wrong. */
export function isAgent(candidate: unknown, report?: (problem: string) => void): candidate is Agent {
  const problems = problemsOf(candidate);
  if (report !== undefined) problems.forEach(report);
  return problems.length === 0;
}

/** Refuses what is not an agent, and says everything that it lacks. */
export function assertAgent(candidate: unknown): asserts candidate is Agent {
  const problems = problemsOf(candidate);
  if (problems.length > 0) {
    fail("assertAgent", `not an agent: ${problems.join("; ")}. An agent has init, act and update`);
  }
}

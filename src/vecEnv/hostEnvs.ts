// Environments as their factories make them: that each is one, and that all of them are alike.
import { describe, fail } from "../array/index.js";
import type { Space } from "../env/index.js";
import { classOf, messageOf, VecEnvError } from "./errors.js";
import type { HostEnv } from "./types.js";

const spaceKinds = ["Box", "Discrete", "MultiBinary", "Image"];

/** Whether a value is a space, of this copy of the package or of another. */
export const isSpace = (value: unknown): value is Space =>
  typeof value === "object" &&
  value !== null &&
  spaceKinds.includes((value as Partial<Space>).kind ?? "") &&
  Array.isArray((value as Partial<Space>).shape);

/** What an object lacks to be an environment; `null` if it is one. */
export function hostEnvProblem(value: unknown): string | null {
  if (typeof value !== "object" || value === null) return `must be an object, got ${describe(value)}`;
  if (typeof (value as { then?: unknown }).then === "function") {
    return "is a promise; await what is to be loaded first, and make the environment from it";
  }
  const env = value as Partial<Record<keyof HostEnv, unknown>>;
  for (const name of ["observationSpace", "actionSpace"] as const) {
    if (!isSpace(env[name]))
      return `must have ${name}, such as Box({ shape: [4] }), got ${describe(env[name])}`;
  }
  for (const name of ["reset", "step"] as const) {
    if (typeof env[name] !== "function") return `must have a method ${name}, got ${describe(env[name])}`;
  }
  for (const name of ["render", "getState", "setState", "close"] as const) {
    if (env[name] !== undefined && typeof env[name] !== "function") {
      return `${name} must be a method or missing, got ${describe(env[name])}`;
    }
  }
  if ((env.getState === undefined) !== (env.setState === undefined)) {
    const [has, lacks] = env.setState === undefined ? ["getState", "setState"] : ["setState", "getState"];
    return `has ${has} without ${lacks}; a state is of use only with both`;
  }
  return null;
}

/** An environment, if it is one. */
export function checkedEnv(operation: string, index: number, value: unknown): HostEnv {
  const reason = hostEnvProblem(value);
  if (reason === null) return value as HostEnv;
  const environment = typeof value === "object" && value !== null ? classOf(value) : "";
  throw new VecEnvError(operation, { index, environment, reason });
}

/** The environments that factories make. */
export function makeEnvs(operation: string, factories: readonly (() => HostEnv)[]): HostEnv[] {
  if (!Array.isArray(factories) || factories.length === 0) {
    fail(
      operation,
      `takes a list of functions that make an environment each, [() => new Game(), …], got ${describe(factories)}`,
    );
  }
  const envs = factories.map((factory: () => HostEnv, index) => {
    if (typeof factory !== "function") {
      fail(
        operation,
        `element ${index} must be a function that makes an environment, () => new Game(), got ${describe(factory)}`,
      );
    }
    let env: unknown;
    try {
      env = factory();
    } catch (cause) {
      throw new VecEnvError(operation, {
        index,
        environment: "",
        reason: `its factory threw: ${messageOf(cause)}`,
        cause,
      });
    }
    return checkedEnv(operation, index, env);
  });
  const same = new Map<HostEnv, number>();
  for (const [index, env] of envs.entries()) {
    const other = same.get(env);
    if (other !== undefined) {
      fail(operation, `environments ${other} and ${index} are one object; each factory must make a new one`);
    }
    same.set(env, index);
  }
  checkAlike(operation, envs.map(describeEnv));
  return envs;
}

/** What environments side by side must have in common. */
export interface EnvDescription {
  readonly environment: string;
  readonly observationSpace: string;
  readonly actionSpace: string;
}

export const describeEnv = (env: HostEnv): EnvDescription => ({
  environment: classOf(env),
  observationSpace: String(env.observationSpace),
  actionSpace: String(env.actionSpace),
});

export function checkAlike(operation: string, descriptions: readonly EnvDescription[]): void {
  for (const [index, own] of descriptions.entries()) {
    for (const name of ["observationSpace", "actionSpace"] as const) {
      if (own[name] === descriptions[0][name]) continue;
      throw new VecEnvError(operation, {
        index,
        environment: own.environment,
        reason: `its ${name} is ${own[name]}, that of environment 0 is ${descriptions[0][name]}; all must be the same`,
      });
    }
  }
}

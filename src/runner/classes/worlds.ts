// What a class runner plays: environments that are objects, or a functional environment so many times side by side.
import { fail, type DType, type Shape } from "../../array/index.js";
import { lookAtEnv, type Environment, type Space } from "../../env/index.js";
import type { VecEnv } from "../../vecEnv/index.js";

/** What every world has. */
interface Traits {
  readonly numEnvs: number;
  readonly obsShape: Shape;
  readonly obsDtype: DType;
  readonly actions: Space;
  /** What it is called in checkpoints. */
  readonly name: string;
}

/** Environments that are objects. */
export interface HostWorld extends Traits {
  readonly kind: "host";
  readonly vec: VecEnv;
}

/** A functional environment, which is compiled. */
export interface FunctionalWorld extends Traits {
  readonly kind: "functional";
  readonly env: Environment;
  readonly params: unknown;
}

export type World = HostWorld | FunctionalWorld;

/** What runners and agents are given to play. */
export interface WorldOptions {
  /** Environments side by side, or a functional environment. */
  readonly env: VecEnv | Environment;
  /** The parameters of a functional environment. Default: its own. */
  readonly envParams?: unknown;
  /** How many of a functional environment run side by side. Default: what `cfg` says, or 1. */
  readonly numEnvs?: number | undefined;
}

/** A vector that is made of a functional environment: it is played in compiled programs. */
interface OfFunctional extends VecEnv {
  readonly env: Environment;
  readonly params: unknown;
}

const isFunctional = (env: unknown): env is Environment =>
  typeof env === "object" && env !== null && "reset" in env && "defaultParams" in env;

const isVector = (env: unknown): env is VecEnv =>
  typeof env === "object" &&
  env !== null &&
  ["numEnvs", "reset", "step", "actionSpace"].every((name) => name in env);

const isOfFunctional = (vec: VecEnv): vec is OfFunctional =>
  "env" in vec && "params" in vec && isFunctional(vec.env);

/** Looks at what is to be played; refuses what is neither. */
export function worldOf(operation: string, { env, envParams, numEnvs }: WorldOptions, usual = 1): World {
  if (isFunctional(env)) {
    return functionalWorld(operation, env, envParams ?? env.defaultParams(), numEnvs ?? usual);
  }
  if (!isVector(env)) {
    const isSingle = typeof env === "object" && env !== null && "reset" in env && "step" in env;
    const advice = isSingle ? "; put it into a vector: new SyncVecEnv([() => env])" : "";
    fail(operation, `env must be a vector of environments (VecEnv) or a functional environment${advice}`);
  }
  if (envParams !== undefined) fail(operation, "envParams are for functional environments; env is a VecEnv");
  if (numEnvs !== undefined && numEnvs !== env.numEnvs) {
    fail(operation, `numEnvs is ${numEnvs}, env has ${env.numEnvs}; leave it out`);
  }
  if (isOfFunctional(env)) return functionalWorld(operation, env.env, env.params, env.numEnvs);
  const { observationSpace, actionSpace } = env;
  return {
    ...{ kind: "host", vec: env, name: env.constructor.name, numEnvs: env.numEnvs },
    ...{ obsShape: observationSpace.shape, obsDtype: observationSpace.dtype, actions: actionSpace },
  };
}

function functionalWorld(
  operation: string,
  env: Environment,
  params: unknown,
  numEnvs: number,
): FunctionalWorld {
  lookAtEnv(operation, env, params);
  const { shape, dtype } = env.observationSpace(params);
  return {
    ...{ kind: "functional", env, params, name: env.name, numEnvs },
    ...{ obsShape: shape, obsDtype: dtype, actions: env.actionSpace(params) },
  };
}

/** What an agent is made for. */
export interface Purpose {
  readonly numEnvs: number;
  readonly observations: string;
  readonly actions: string;
}

export const purposeOf = ({ numEnvs, obsShape, obsDtype, actions }: World): Purpose => ({
  numEnvs,
  observations: `${obsDtype}[${obsShape.join()}]`,
  actions: String(actions),
});

/** Refuses environments that an agent was not made for. */
export function checkPurpose(operation: string, made: Purpose, world: World): void {
  const given = purposeOf(world);
  const tell = ({ numEnvs, observations, actions }: Purpose) =>
    `${numEnvs} environments with observations ${observations} and actions ${actions}`;
  if (tell(made) === tell(given)) return;
  fail(operation, `the agent was made for ${tell(made)}, env has ${tell(given)}`);
}

/** Refuses environments for evaluations that are not like those of training. */
export function checkEvalEnv(operation: string, world: World, evalEnv: unknown): void {
  if (evalEnv === null) return;
  if (world.kind === "functional")
    fail(operation, "evalEnv is for environments that are objects; leave it out");
  if (!isVector(evalEnv)) fail(operation, "evalEnv must be a vector of environments (VecEnv), or null");
  const tell = ({ observationSpace, actionSpace }: VecEnv) =>
    `observations ${String(observationSpace)} and actions ${String(actionSpace)}`;
  if (tell(evalEnv) === tell(world.vec)) return;
  fail(operation, `evalEnv has ${tell(evalEnv)}, env has ${tell(world.vec)}`);
}

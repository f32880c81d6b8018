// checkEnv: finds what a custom environment got wrong, before a training run does.
import { fail, random } from "../../array/index.js";
import type { Environment } from "../environment.js";
import { Examination, Stop } from "./examination.js";

export interface CheckEnvOptions<P> {
  /** Default: the environment's own. */
  readonly params?: P;
  /** Seed of the keys that it is tried with. Default 0. */
  readonly seed?: number;
  /** Steps with random actions that it is tried with. Default 20. */
  readonly steps?: number;
}

/** Refuses an environment that has problems, and says all of them in words. */
export function checkEnv<S, P>(env: Environment<S, P>, options: CheckEnvOptions<P> = {}): void {
  refuse(env, "checkEnv", envProblems(env, options));
}

/** Refuses an environment whose structures, shapes or dtypes are wrong. It is traced once, not run. */
export function lookAtEnv<S, P>(operation: string, env: Environment<S, P>, params: P): void {
  refuse(
    env,
    operation,
    problemsOf(env, (examination) => examination.look(params)),
  );
}

function refuse({ name }: { readonly name: unknown }, operation: string, problems: readonly string[]): void {
  if (problems.length === 0) return;
  const count = problems.length === 1 ? "a problem" : `${problems.length} problems`;
  const called = typeof name === "string" && name !== "" ? name : "the environment";
  fail(operation, `${called} has ${count}:\n${problems.map((text) => `- ${text}`).join("\n")}\n`);
}

/** What is wrong with an environment, in words; nothing if all is well. */
export function envProblems<S, P>(
  env: Environment<S, P>,
  { params, seed = 0, steps = 20 }: CheckEnvOptions<P> = {},
): string[] {
  return problemsOf(env, (examination) => examination.all(params, random.key(seed), steps));
}

function problemsOf(env: Environment, examine: (examination: Examination) => void): string[] {
  const examination = new Examination(env);
  try {
    examine(examination);
  } catch (error) {
    // What is needed for the rest failed, and was noted.
    if (!(error instanceof Stop)) throw error;
  }
  return [...examination.problems];
}

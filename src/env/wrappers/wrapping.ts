// What every wrapper does: it hands on what it does not change, whatever kind of object is inside.
import { Array } from "../../array/index.js";
import type { Environment, Info } from "../environment.js";

/** The state of a wrapper around the state of what it wraps. */
export interface Wrapped<S> {
  readonly inner: S;
}

type Handed<W, P> = Pick<
  Environment<W, P>,
  "name" | "defaultParams" | "observationSpace" | "actionSpace" | "render"
>;

/** The parts of an environment that a wrapper leaves alone; `unwrap` finds the inner state. */
export function handOn<S, P, W>(
  wrapper: string,
  env: Environment<S, P>,
  unwrap: (state: W) => S,
): Handed<W, P> {
  const handed: Handed<W, P> = {
    name: `${wrapper}(${env.name})`,
    defaultParams: () => env.defaultParams(),
    observationSpace: (params) => env.observationSpace(params),
    actionSpace: (params) => env.actionSpace(params),
  };
  if (env.render === undefined) return handed;
  return { ...handed, render: (state, params) => env.render?.(unwrap(state), params) ?? "" };
}

/** All of an environment, as a plain object: for wrappers without a state of their own. */
export function handOnAll<S, P, I extends Info>(
  wrapper: string,
  env: Environment<S, P, I>,
): Environment<S, P, I> {
  const all: Environment<S, P, I> = {
    ...handOn<S, P, S>(wrapper, env, (state) => state),
    reset: (key, params) => env.reset(key, params),
    step: (key, state, action, params) => env.step(key, state, action, params),
  };
  if (env.restart === undefined) return all;
  return {
    ...all,
    restart: (key, state, params) => env.restart?.(key, state, params) ?? env.reset(key, params),
  };
}

/** Whether the environment inside resets itself; then `obs` is the next episode's and this the last one's. */
export const terminalObsOf = (info: Info): Array | null =>
  info.terminalObs instanceof Array ? info.terminalObs : null;

/** Info with the terminal observation seen as the wrapper sees observations, where there is one. */
export const withTerminalObs = <I extends Info>(info: I, see: (obs: Array) => Array): I => {
  const terminalObs = terminalObsOf(info);
  return terminalObs === null ? info : { ...info, terminalObs: see(terminalObs) };
};

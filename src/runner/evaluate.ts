// Evaluation: a greedy policy plays many episodes side by side, in one compiled loop.
import {
  blockUntilReady,
  check,
  checkOptions,
  jit,
  lax,
  np,
  precompile,
  random,
  rules,
  tree,
  vmap,
  type Array,
} from "../array/index.js";
import type { Environment } from "../env/index.js";
import type { Where } from "./where.js";

export interface EvalMetrics {
  readonly meanReturn: Array;
  readonly stdReturn: Array;
  readonly meanLength: Array;
}

export interface EvaluateOptions {
  /** Episodes, played side by side. */
  readonly nEpisodes: number;
  /** Episodes longer than this count as far as they went. */
  readonly maxSteps: number;
  readonly rng: Array;
}

/** The action for one observation; it must not change the agent. */
export type ActFn<A> = (agentState: A, obs: Array) => Array;

/** Plays `nEpisodes` episodes from fresh starts. */
export function evaluate<A, S, P>(
  actFn: ActFn<A>,
  agentState: A,
  env: Environment<S, P>,
  envParams: P,
  options: EvaluateOptions,
): EvalMetrics {
  checkEvaluation("evaluate", options);
  const { total, length } = episodeTotals(actFn, agentState, env, envParams, options);
  return { meanReturn: total.mean(), stdReturn: total.std(), meanLength: length.mean() };
}

/** The return and the length of each of `nEpisodes` episodes from fresh starts. */
export function episodeTotals<A, S, P>(
  actFn: ActFn<A>,
  agentState: A,
  env: Environment<S, P>,
  envParams: P,
  { nEpisodes, maxSteps, rng }: EvaluateOptions,
): { readonly total: Array; readonly length: Array } {
  const [resetKey, playKey] = random.split(rng);
  const [obs, envState] = vmap((key: Array) => env.reset(key, envParams))(random.split(resetKey, nEpisodes));
  const start = {
    ...{ obs, envState, key: playKey, iteration: np.int32(0) },
    isOver: np.zeros([nEpisodes], { dtype: "bool" }),
    total: np.zeros([nEpisodes]),
    length: np.zeros([nEpisodes]),
  };
  const end = lax.whileLoop(
    ({ isOver, iteration }) => iteration.less(maxSteps).and(isOver.all().not()),
    (now) => {
      const [key, stepKey] = random.split(now.key);
      const action = vmap((one: Array) => actFn(agentState, one))(now.obs);
      const step = vmap((k: Array, state: S, a: Array) => env.step(k, state, a, envParams));
      const [nextObs, nextState, reward, done] = step(random.split(stepKey, nEpisodes), now.envState, action);
      return {
        ...{ obs: nextObs, envState: nextState, key, iteration: now.iteration.add(1) },
        isOver: now.isOver.or(done),
        // What comes after the end may be anything, even NaN.
        total: now.total.add(np.where(now.isOver, 0, reward)),
        length: now.length.add(np.where(now.isOver, 0, 1)),
      };
    },
    start,
  );
  return { total: end.total, length: end.length };
}

function checkEvaluation(operation: string, options: EvaluateOptions): void {
  checkOptions(operation, options, ["nEpisodes", "maxSteps", "rng"]);
  for (const name of ["nEpisodes", "maxSteps"] as const)
    check(operation, name, options[name], rules.whole(1));
}

/** The same, compiled once for each policy, environment and number of episodes. */
export function jitEvaluate<A, S, P>(
  actFn: ActFn<A>,
  agentState: A,
  env: Environment<S, P>,
  envParams: P,
  options: EvaluateOptions,
): EvalMetrics {
  checkEvaluation("jitEvaluate", options);
  const { nEpisodes, maxSteps, rng } = options;
  return compiled(actFn, agentState, env, envParams, nEpisodes, maxSteps, rng) as EvalMetrics;
}

const compiled = jit(
  (
    actFn: ActFn<unknown>,
    agentState: unknown,
    env: Environment,
    envParams: unknown,
    nEpisodes: number,
    maxSteps: number,
    rng: Array,
  ) => evaluate(actFn, agentState, env, envParams, { nEpisodes, maxSteps, rng }),
  { staticArgnums: [0, 2, 4, 5] },
) as (...args: unknown[]) => unknown;

/** Another key for every evaluation of a run, apart from those of training. */
export const evalKeys =
  (seed: number) =>
  (unit: number): Array =>
    random.foldIn(random.foldIn(random.key(seed), 0x6576616c), unit);

export type EvalNumbers = Readonly<Record<keyof EvalMetrics, number>>;

/** Eval metrics as plain numbers. */
const plainMetrics = (metrics: EvalMetrics): EvalNumbers =>
  tree.map((x) => x.item(), metrics) as unknown as EvalNumbers;

/** The evaluation of a run, with a program of its own that goes when the run goes. */
export function evaluator<A, S, P>(
  actFn: ActFn<A>,
  env: Environment<S, P>,
  envParams: P,
  { device, threads, matmulPrecision, ...options }: Omit<EvaluateOptions, "rng"> & Where,
): {
  readonly prepare: (agentState: A) => Promise<void>;
  readonly play: (agentState: A, rng: Array) => Promise<EvalNumbers>;
} {
  const evaluation = (agentState: A, rng: Array): EvalMetrics =>
    evaluate(actFn, agentState, env, envParams, { ...options, rng });
  const program = jit(evaluation, { device, threads, matmulPrecision });
  return {
    prepare: (agentState) => precompile(program, agentState, random.key(0)),
    play: async (agentState, rng) => plainMetrics(await blockUntilReady(program(agentState, rng))),
  };
}

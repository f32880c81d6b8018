// What is the same wherever a runner plays environments that are objects: their start, evaluation, and checkpoints.
import {
  arrayType,
  concrete,
  fail,
  itemSize,
  np,
  viewBytes,
  type Array,
  type ResidentProgram,
  type TypedArray,
} from "../../array/index.js";
import type { HostArray, MaybePromise, VecEnv } from "../../vecEnv/index.js";
import type { BookState, EpisodeBook } from "./episodeBook.js";
import { playEpisodes } from "./hostEvaluation.js";
import { HostEnvs } from "./hostEnvs.js";
import type { EpisodeResults, EvalOptions, Player, Whereabouts } from "./rollouts.js";
import type { HostWorld } from "./worlds.js";

export interface HostPlayerOptions {
  readonly operation: string;
  readonly world: HostWorld;
  readonly seed: number;
  /** Environments to evaluate on. Default: those that are trained on. */
  readonly evalEnv: VecEnv | null;
  readonly device: string | undefined;
}

/** Where fresh episodes of an evaluation, or after one, get their seeds from: far from those of training. */
const [evalSeeds, laterSeeds] = [1_000_003, 2_000_003];

export abstract class HostPlayer<State, P> implements Player<State, P> {
  protected readonly envs: HostEnvs;
  protected readonly device: string | undefined;
  /** What the environments show, (N, …). */
  protected readonly obs: TypedArray;
  private isStarted = false;
  /** By the number of environments: those of evaluations may be another one. */
  private readonly greedyPrograms = new Map<number, ResidentProgram>();

  constructor(
    private readonly options: HostPlayerOptions,
    private readonly episodes: EpisodeBook,
  ) {
    const { world, operation, device } = options;
    this.envs = new HostEnvs(operation, world.vec);
    this.device = device;
    const size = world.numEnvs * this.envs.obsSize;
    this.obs = viewBytes(world.obsDtype, new ArrayBuffer(size * itemSize(world.obsDtype)), 0, size);
  }

  abstract play(state: State): Promise<P>;

  /** The part of a state that acting needs. */
  protected abstract acting(state: State): object;
  /** A program from that, a random key and observations to the agent's best actions. */
  protected abstract greedyProgram(state: State, obs: Array): ResidentProgram;

  async start(): Promise<void> {
    if (this.isStarted) return;
    await this.restart(this.options.seed);
  }

  private async restart(seed: number): Promise<void> {
    this.obs.set(await this.envs.reset(seed));
    this.episodes.forgetRunning();
    this.isStarted = true;
  }

  protected batchOf(elements: TypedArray): Array {
    const { numEnvs, obsShape, obsDtype } = this.options.world;
    return concrete(arrayType([numEnvs, ...obsShape], obsDtype), elements);
  }

  async evaluate(state: State, { numEpisodes, maxSteps, round }: EvalOptions): Promise<EpisodeResults> {
    const { operation, evalEnv, seed, world } = this.options;
    const own = evalEnv === null;
    const seeds = { first: seed + evalSeeds * (round + 1), after: seed + laterSeeds * (round + 1) };
    const envs = own ? this.envs : new HostEnvs(`${operation}.eval`, evalEnv);
    const before = own && this.isStarted ? await world.vec.getState?.() : undefined;
    const act = this.greedy(state, envs.numEnvs);
    const results = await playEpisodes(envs, act, world.actions, {
      numEpisodes,
      maxSteps,
      seed: seeds.first,
    });
    if (!own || !this.isStarted) return results;
    if (before === undefined || world.vec.setState === undefined) await this.restart(seeds.after);
    else await world.vec.setState(before);
    return results;
  }

  /** The agent's best actions for observations of so many environments. */
  private greedy(state: State, numEnvs: number): (obs: HostArray) => TypedArray {
    const { obsShape, obsDtype } = this.options.world;
    const example = np.zeros([numEnvs, ...obsShape], { dtype: obsDtype });
    const program = this.greedyPrograms.get(numEnvs) ?? this.greedyProgram(state, example);
    this.greedyPrograms.set(numEnvs, program);
    program.set(0, this.acting(state));
    return (obs) => {
      program.inputs[2][0].set(obs);
      program.run();
      return program.outputs[0];
    };
  }

  async save(): Promise<Whereabouts | null> {
    if (!this.isStarted) return null;
    const { vec } = this.options.world;
    const hasStates = vec.getState !== undefined && vec.setState !== undefined;
    return {
      obs: this.batchOf(this.obs.slice()),
      episodes: this.episodes.getState(),
      envState: hasStates ? { states: await vec.getState?.() } : null,
    };
  }

  async load({ obs, episodes, envState }: Readonly<Record<string, unknown>>): Promise<string | null> {
    const { seed, world, operation } = this.options;
    const saved = (obs as Array).data();
    if (saved.length !== this.obs.length) {
      fail(
        `${operation}.loadCheckpoint`,
        `the checkpoint has observations [${(obs as Array).shape.join()}], the environments have ` +
          `[${[world.numEnvs, ...world.obsShape].join()}]`,
      );
    }
    this.episodes.setState(episodes as BookState);
    const isRestored = envState !== null && envState !== undefined && world.vec.setState !== undefined;
    if (!isRestored) {
      await this.restart(seed + laterSeeds);
      return (
        "the environments have no getState and setState, so they begin new episodes; from here on the run is not " +
        "the one that was saved, bit for bit"
      );
    }
    // Some environments take a state only once they have begun.
    if (!this.isStarted) await this.envs.reset(seed);
    await world.vec.setState?.((envState as { readonly states: unknown }).states);
    this.obs.set(saved);
    this.isStarted = true;
    return null;
  }

  close(): MaybePromise<void> {
    return this.options.world.vec.close();
  }
}

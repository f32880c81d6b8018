// Rollouts of a functional environment: played by one compiled program, as `trainPPO` does.
import { jit, random, vmap, type Array } from "../../array/index.js";
import type { PPORollout } from "../../agent/index.js";
import { PPO } from "../../algorithms/index.js";
import { playedOn } from "../episodes.js";
import { episodeTotals, evalKeys } from "../evaluate.js";
import { addUp, endedIn, noneRunning, type RunningEpisodes, type StepTotals } from "../rolloutEpisodes.js";
import type { BookState, EpisodeBook } from "./episodeBook.js";
import { meanOf } from "./episodeBook.js";
import type {
  EpisodeResults,
  EvalOptions,
  Played,
  Player,
  PPOAgentState,
  PPOBrain,
  Whereabouts,
} from "./rollouts.js";
import type { FunctionalWorld } from "./worlds.js";

interface Environments {
  readonly obs: Array;
  readonly envState: unknown;
  readonly running: RunningEpisodes;
}

interface Options {
  readonly world: FunctionalWorld;
  readonly seed: number;
  readonly device: string | undefined;
}

export class CompiledRollouts implements Player<PPOAgentState, Played> {
  private now: Environments | null = null;
  private readonly collect: (
    state: PPOAgentState,
    now: Environments,
  ) => readonly [PPOAgentState, PPORollout, Array, Environments, StepTotals];

  constructor(
    private readonly options: Options,
    private readonly brain: PPOBrain,
    private readonly book: EpisodeBook,
  ) {
    const { world, device } = options;
    const env = playedOn(world.env, world.params);
    const step: typeof env.step = (...args) => env.step(...args);
    this.collect = jit(
      (state: PPOAgentState, { obs, envState, running }: Environments) => {
        const [played, rollout, nextObs, next, lastValue] = PPO.collectRolloutBatch(
          ...([state, obs, envState, step, world.params, brain] as const),
        );
        const [after, totals] = addUp(running, rollout);
        return [
          played,
          rollout,
          lastValue,
          { obs: nextObs, envState: next, running: after },
          oneRollout(totals),
        ] as const;
      },
      device === undefined ? {} : { device },
    );
  }

  start(): void {
    if (this.now !== null) return;
    const { world, seed } = this.options;
    // As `trainPPO` does: the middle key is the agent's.
    const [, , resetKey] = random.split(random.key(seed), 3);
    const keys = random.split(resetKey, world.numEnvs);
    const [obs, envState] = vmap((key: Array) => world.env.reset(key, world.params))(keys);
    this.now = { obs, envState, running: noneRunning(world.numEnvs) };
  }

  private get environments(): Environments {
    this.start();
    return this.now as Environments;
  }

  play(state: PPOAgentState): Played {
    const [played, rollout, lastValue, next, totals] = this.collect(state, this.environments);
    this.now = next;
    const { returns, lengths } = endedIn(totals, 1);
    returns.forEach((reward, at) => this.book.addEnded({ reward, length: lengths[at], components: {} }));
    return {
      ...{ state: played, rollout, lastValue },
      stats: {
        "rollout/mean_reward": meanOf(rollout.reward.data()),
        "rollout/mean_value": meanOf(rollout.value.data()),
        ...this.book.stats(),
      },
    };
  }

  evaluate(state: PPOAgentState, { numEpisodes, maxSteps, round }: EvalOptions): EpisodeResults {
    const { world, seed, device } = this.options;
    const act = (own: PPOAgentState, obs: Array) => PPO.act(own, obs, { ...this.brain, explore: false })[0];
    const play = jit(
      (own: PPOAgentState, rng: Array) =>
        episodeTotals(act, own, world.env, world.params, { nEpisodes: numEpisodes, maxSteps, rng }),
      device === undefined ? {} : { device },
    );
    const { total, length } = play(state, evalKeys(seed)(round));
    return { rewards: [...total.data()], lengths: [...length.data()] };
  }

  save(): Whereabouts | null {
    if (this.now === null) return null;
    const { obs, envState, running } = this.now;
    return { obs, envState, running, episodes: this.book.getState() };
  }

  load({ obs, envState, running, episodes }: Readonly<Record<string, unknown>>): null {
    this.now = { obs, envState, running } as Environments;
    this.book.setState(episodes as BookState);
    return null;
  }

  close(): void {
    // There is nothing outside memory.
  }
}

/** The totals of one rollout as a record of several has them; compiled, that costs nothing. */
const oneRollout = ({ done, returns, lengths }: StepTotals): StepTotals => ({
  done: done.slice(null),
  returns: returns.slice(null),
  lengths: lengths.slice(null),
});

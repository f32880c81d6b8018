// What the episodes of a class runner have brought: those under way, and the last hundred that have ended.
import type { VecStep } from "../../vecEnv/index.js";
import type { Stats } from "./callbacks.js";
import type { Told } from "./told.js";

/** Figures of episodes are means over so many, the last that have ended. */
const remembered = 100;

/** An episode that has ended. */
interface Ended {
  readonly reward: number;
  readonly length: number;
  /** The sums of the reward's components by name. */
  readonly components: Readonly<Record<string, number>>;
}

/** What a compiled program has played, step by step and on each one environment by environment. */
export interface PlayedSteps {
  /** Not 0 where an episode has ended. */
  readonly ended: ArrayLike<number>;
  /** What it had brought by then. */
  readonly returns: ArrayLike<number>;
  readonly lengths: ArrayLike<number>;
  readonly told: Told<ArrayLike<number>>;
}

/** The book as plain data, for checkpoints. */
export interface BookState {
  readonly rewards: readonly number[];
  readonly lengths: readonly number[];
  readonly components: Readonly<Record<string, readonly number[]>>;
  readonly ended: readonly Ended[];
  readonly count: number;
}

export class EpisodeBook {
  private readonly rewards: Float64Array;
  private readonly lengths: Float64Array;
  private components = new Map<string, Float64Array>();
  private ended: Ended[] = [];
  /** Episodes that have ended in all. */
  count = 0;
  /** The environments' own figures since they were last taken: sums and how often each was told. */
  private logged = new Map<string, { sum: number; times: number }>();

  constructor(
    private readonly numEnvs: number,
    private readonly withComponents: boolean,
  ) {
    this.rewards = new Float64Array(numEnvs);
    this.lengths = new Float64Array(numEnvs);
  }

  /** Takes in a step of all environments. */
  add({ rewards, dones, extras }: VecStep): void {
    const { rewardComponents, log } = extras;
    if (this.withComponents && rewardComponents !== undefined) this.addComponents(rewardComponents);
    if (log !== undefined) this.addLog(log);
    for (let at = 0; at < this.numEnvs; at++) {
      this.rewards[at] += rewards[at];
      this.lengths[at]++;
      if (dones[at] !== 0) this.end(at);
    }
  }

  /** Takes in the steps of a compiled program, which adds up rewards itself. */
  addPlayed({ ended, returns, lengths, told: { rewardComponents, log } }: PlayedSteps): void {
    const { numEnvs } = this;
    const tellsComponents = this.withComponents && Object.keys(rewardComponents).length > 0;
    const figures = Object.entries(log);
    for (let first = 0; first < ended.length; first += numEnvs) {
      if (tellsComponents) this.addComponents(rewardComponents, first);
      if (figures.length > 0) {
        this.addLog(Object.fromEntries(figures.map(([name, all]) => [name, meanFrom(all, first, numEnvs)])));
      }
      for (let at = first; at < first + numEnvs; at++) {
        if (ended[at] === 0) continue;
        const components = this.takeComponents(at - first);
        this.addEnded({ reward: returns[at], length: lengths[at], components });
      }
    }
  }

  /** Adds the parts of a step, whose first environment is at that place. */
  private addComponents(parts: Readonly<Record<string, ArrayLike<number>>>, first = 0): void {
    for (const name in parts) {
      let sums = this.components.get(name);
      if (sums === undefined) this.components.set(name, (sums = new Float64Array(this.numEnvs)));
      const values = parts[name];
      for (let at = 0; at < this.numEnvs; at++) sums[at] += values[first + at];
    }
  }

  private addLog(log: Readonly<Record<string, number>>): void {
    for (const name in log) {
      const known = this.logged.get(name);
      if (known === undefined) this.logged.set(name, { sum: log[name], times: 1 });
      else {
        known.sum += log[name];
        known.times++;
      }
    }
  }

  private end(at: number): void {
    const components = this.takeComponents(at);
    this.addEnded({ reward: this.rewards[at], length: this.lengths[at], components });
    this.rewards[at] = 0;
    this.lengths[at] = 0;
  }

  /** The sums of an environment's episode, which is over. */
  private takeComponents(env: number): Readonly<Record<string, number>> {
    const components: Record<string, number> = {};
    for (const [name, sums] of this.components) {
      components[name] = sums[env];
      sums[env] = 0;
    }
    return components;
  }

  private addEnded(episode: Ended): void {
    this.count++;
    this.ended.push(episode);
    if (this.ended.length > remembered) this.ended.shift();
  }

  /** Forgets the episodes under way: their environments have begun anew. */
  forgetRunning(): void {
    this.rewards.fill(0);
    this.lengths.fill(0);
    for (const sums of this.components.values()) sums.fill(0);
  }

  /** Means over the last episodes; nothing before the first has ended. */
  stats(): Stats {
    const { ended } = this;
    if (ended.length === 0) return {};
    const stats: Stats = {
      "episode/mean_reward": meanOf(ended.map(({ reward }) => reward)),
      "episode/mean_length": meanOf(ended.map(({ length }) => length)),
    };
    for (const name of this.components.keys()) {
      const told = ended.filter(({ components }) => name in components);
      if (told.length > 0) stats[`reward/${name}`] = meanOf(told.map(({ components }) => components[name]));
    }
    return stats;
  }

  /** Means of the environments' own figures since the last call. */
  takeLogged(): Stats {
    const entries = [...this.logged].map(([name, { sum, times }]) => [name, sum / times] as const);
    this.logged = new Map();
    return Object.fromEntries(entries);
  }

  getState(): BookState {
    const components = [...this.components].map(([name, sums]) => [name, [...sums]] as const);
    return {
      rewards: [...this.rewards],
      lengths: [...this.lengths],
      components: Object.fromEntries(components),
      ended: [...this.ended],
      count: this.count,
    };
  }

  setState({ rewards, lengths, components, ended, count }: BookState): void {
    this.rewards.set(rewards);
    this.lengths.set(lengths);
    this.components = new Map(
      Object.entries(components).map(([name, sums]) => [name, Float64Array.from(sums)]),
    );
    this.ended = [...ended];
    this.count = count;
    this.logged = new Map();
  }
}

export const meanOf = (values: Iterable<number> & { readonly length: number }): number => {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
};

/** The mean of so many values from a place on. */
function meanFrom(values: ArrayLike<number>, first: number, count: number): number {
  let sum = 0;
  for (let at = first; at < first + count; at++) sum += values[at];
  return sum / count;
}

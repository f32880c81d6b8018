// Playing and learning from replay as the off-policy runner drives it, whatever the environments are.
import type { SequelTransition } from "../../agent/index.js";
import { isSetting } from "../gathered.js";
import type { Stats } from "./callbacks.js";
import type { ReplayAgent, ReplayState } from "./offPolicyAgents.js";
import type { Player } from "./rollouts.js";

/** When learning from replay begins, and how often it happens. */
export interface ReplaySettings {
  readonly bufferSize: number;
  /** Environment steps with random actions, before the first update. */
  readonly learningStarts: number;
  /** Steps of all environments in an iteration. */
  readonly rounds: number;
}

/** What an engine tells while it works. */
export interface Hooks {
  readonly preRollout: () => Promise<void>;
  /** Environments have made so many steps. */
  readonly postRollout: (transitions: SequelTransition, steps: number) => Promise<void>;
  readonly preUpdate: () => Promise<void>;
  readonly postUpdate: (stats: Stats) => Promise<void>;
}

export interface ReplayEngine extends Player<ReplayState, unknown> {
  /** Compiles for a run of so many updates. */
  readonly prepare: (updates: number) => void;
  /** One iteration. */
  readonly iterate: (hooks: Hooks) => Promise<Stats>;
  /** What a checkpoint has to hold besides the agent and the environments. */
  readonly extraState: () => Readonly<Record<string, unknown>>;
  readonly restore: (extra: Readonly<Record<string, unknown>>) => void;
}

/** The figures of the updates of an iteration: means, or the last value of what is a setting. */
export class UpdateFigures {
  private sums: Record<string, number> = {};
  private times = 0;

  add(metrics: Readonly<Record<string, number>>): void {
    this.times++;
    for (const [name, value] of Object.entries(metrics)) {
      this.sums[name] = isSetting(name) ? value : (this.sums[name] ?? 0) + value;
    }
  }

  /** Before the first update nothing but what DQN does then. */
  stats(agent: ReplayAgent<ReplayState>): Stats {
    const { sums, times } = this;
    if (times === 0) return "epsilonStart" in agent.config ? randomOnly : {};
    const means = Object.entries(sums).map(([name, sum]) => [name, isSetting(name) ? sum : sum / times]);
    return agent.stats(Object.fromEntries(means) as Record<string, number>);
  }
}

/** Before it learns, DQN acts at random. */
const randomOnly: Stats = { "exploration/epsilon": 1 };

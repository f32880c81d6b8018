// OffPolicyRunner: DQN and SAC on environments that are objects, or compiled with a functional one.
import { check, checkOptions, fail, rules } from "../../array/index.js";
import type { DQNConfig, SACConfig } from "../../algorithms/index.js";
import type { SequelTransition } from "../../agent/index.js";
import { longestEpisode } from "../setting.js";
import type { Stats } from "./callbacks.js";
import { ClassRunner } from "./classRunner.js";
import { CompiledReplay } from "./compiledReplay.js";
import { HostReplay } from "./hostReplay.js";
import {
  DQNAgent,
  dqnOptionNames,
  SACAgent,
  sacOptionNames,
  type DQNAgentOptions,
  type ReplayAgent,
  type ReplayState,
  type SACAgentOptions,
} from "./offPolicyAgents.js";
import { classRunnerOptionNames, settingsOf, type ClassRunnerOptions } from "./options.js";
import { checkConfig } from "./preconfigured.js";
import type { ReplayEngine, ReplaySettings } from "./replayEngine.js";
import { checkPurpose, worldOf } from "./worlds.js";

export interface OffPolicyRunnerOptions
  extends Omit<DQNAgentOptions, "cfg">, Omit<SACAgentOptions, "cfg">, ClassRunnerOptions {
  /** The algorithm. Default: "dqn" for Discrete actions, "sac" for a Box. */
  readonly algorithm?: "dqn" | "sac";
  /** The algorithm's settings, or what in them differs from the defaults; trainFreq and gradientSteps are among them. */
  readonly cfg?: Partial<DQNConfig> | Partial<SACConfig>;
  /** An agent that is made already, instead of networks; `cfg` may be left out then. */
  readonly agent?: DQNAgent | SACAgent;
  /** Transitions that are remembered. Default 100,000. */
  readonly bufferSize?: number;
  /** Environment steps with random actions, after which it learns. Default 1,000. */
  readonly learningStarts?: number;
  /** Environment steps of an iteration, rounded up to whole steps of all environments. Default 100. */
  readonly stepsPerIteration?: number;
}

const ownNames = ["algorithm", "agent", "bufferSize", "learningStarts", "stepsPerIteration"];

export class OffPolicyRunner extends ClassRunner<ReplayState, unknown, SequelTransition> {
  readonly agent: DQNAgent | SACAgent;
  protected readonly player: ReplayEngine;
  protected readonly stepsPerIteration: number;
  /** SAC has three, and DQN's is in its config. */
  readonly learningRate = null;
  private readonly replay: ReplaySettings;

  constructor(options: OffPolicyRunnerOptions) {
    const operation = "OffPolicyRunner";
    const names = [...ownNames, ...dqnOptionNames, ...sacOptionNames, ...classRunnerOptionNames];
    checkOptions(operation, options, [...new Set(names)]);
    const { bufferSize = 100_000, learningStarts = 1000, stepsPerIteration = 100, env } = options;
    check(operation, "bufferSize", bufferSize, rules.whole(1));
    check(operation, "stepsPerIteration", stepsPerIteration, rules.whole(1));
    if (!Number.isSafeInteger(learningStarts) || learningStarts < 0) {
      fail(operation, `learningStarts must be a whole number of at least 0, got ${String(learningStarts)}`);
    }
    const settings = settingsOf(operation, options);
    const world = worldOf(operation, options);
    const agent = agentOf(operation, options, world.actions.kind);
    checkPurpose(operation, agent.purpose, world);
    super(operation, world, env, settings);
    this.agent = agent;
    const rounds = Math.ceil(stepsPerIteration / world.numEnvs);
    this.stepsPerIteration = rounds * world.numEnvs;
    this.replay = { bufferSize, learningStarts, rounds };
    const { book, device } = this;
    const { seed, evalEnv } = settings;
    const held = agent as unknown as ReplayAgent<ReplayState>;
    this.player =
      world.kind === "host"
        ? new HostReplay({ operation, world, seed, evalEnv, device }, held, this.replay, book)
        : new CompiledReplay({ world, seed, device }, held, this.replay, book);
  }

  protected longestEpisode(): number {
    return this.world.kind === "functional" ? longestEpisode(this.world.params) : 10_000;
  }

  protected prepare(iterations: number): void {
    const { trainFreq, gradientSteps } = this.agent.config;
    const steps = Math.max(0, iterations * this.stepsPerIteration - this.replay.learningStarts);
    this.player.prepare(Math.max(1, gradientSteps * Math.floor(steps / trainFreq)));
  }

  protected async iterate(): Promise<Stats> {
    const stats = await this.player.iterate({
      preRollout: () => this.fire("pre_rollout", this),
      postRollout: (transitions, steps) => {
        this.played(steps);
        return this.fire("post_rollout", this, transitions);
      },
      preUpdate: () => this.fire("pre_update", this),
      postUpdate: (trained) => this.fire("post_update", this, trained),
    });
    this.learned();
    return stats;
  }

  protected paramsOf(state: ReplayState): object {
    return (this.agent as unknown as ReplayAgent<ReplayState>).paramsOf(state);
  }

  protected restore(rest: Readonly<Record<string, unknown>>): void {
    this.player.restore(rest);
  }

  protected extraState(): Readonly<Record<string, unknown>> {
    return this.player.extraState();
  }
}

/** The agent that was given, or a new one. */
function agentOf(operation: string, options: OffPolicyRunnerOptions, actions: string): DQNAgent | SACAgent {
  const { agent, cfg, algorithm = actions === "Box" ? "sac" : "dqn" } = options;
  if (algorithm !== "dqn" && algorithm !== "sac") {
    const got = JSON.stringify(algorithm);
    fail(operation, `algorithm must be "dqn" or "sac", got ${got}; PPO has OnPolicyRunner`);
  }
  const names = algorithm === "dqn" ? dqnOptionNames : sacOptionNames;
  const others = algorithm === "dqn" ? sacOptionNames : dqnOptionNames;
  const stray = others.find((name) => !names.includes(name) && name in options);
  if (stray !== undefined) fail(operation, `${stray} is not for ${algorithm}`);
  if (agent === undefined) {
    const given = Object.fromEntries(Object.entries(options).filter(([name]) => names.includes(name)));
    return algorithm === "dqn"
      ? new DQNAgent(given as unknown as DQNAgentOptions)
      : new SACAgent(given as unknown as SACAgentOptions);
  }
  const wanted = algorithm === "dqn" ? DQNAgent : SACAgent;
  if (!(agent instanceof wanted)) {
    fail(operation, `agent must be a ${wanted === DQNAgent ? "DQNAgent" : "SACAgent"} for ${algorithm}`);
  }
  checkConfig(operation, options, names, agent.config, cfg);
  return agent;
}

// OnPolicyRunner: PPO on environments that are objects, or compiled with a functional one, step by step for the host.
import { checkOptions, fail, jit, np, type Array } from "../../array/index.js";
import type { PPORollout } from "../../agent/index.js";
import { PPO, type PPOConfig, type PPOMetrics } from "../../algorithms/index.js";
import { longestEpisode } from "../setting.js";
import type { Stats } from "./callbacks.js";
import { ClassRunner } from "./classRunner.js";
import { CompiledRollouts } from "./compiledRollouts.js";
import type { Notes } from "./files.js";
import { HostRollouts } from "./hostRollouts.js";
import { learningRates, type LearningRates, type RateOptions } from "./learningRate.js";
import { classRunnerOptionNames, settingsOf, type ClassRunnerOptions } from "./options.js";
import { networkOptionNames } from "./networks.js";
import { agentOptionNames, PPOAgent, type PPOAgentOptions } from "./ppoAgent.js";
import { checkConfig } from "./preconfigured.js";
import type { Played, Player, PPOAgentState } from "./rollouts.js";
import { checkPurpose, worldOf } from "./worlds.js";

export interface OnPolicyRunnerOptions extends PPOAgentOptions, ClassRunnerOptions, RateOptions {
  /** The algorithm. Default "ppo". */
  readonly algorithm?: "ppo";
  /** An agent that is made already, instead of networks; `cfg` may be left out then. */
  readonly agent?: PPOAgent;
}

const ownNames = ["env", "envParams", "numEnvs", "cfg", "algorithm", "agent", "lrSchedule", "desiredKl"];

type Update = (
  state: PPOAgentState,
  rollout: PPORollout,
  lastValue: Array,
  lr: Array,
) => readonly [PPOAgentState, PPOMetrics];

export class OnPolicyRunner extends ClassRunner<PPOAgentState, Played, PPORollout> {
  readonly agent: PPOAgent;
  protected readonly player: Player<PPOAgentState, Played>;
  protected readonly stepsPerIteration: number;
  private readonly rates: LearningRates;
  private update: Update | null = null;

  constructor(options: OnPolicyRunnerOptions) {
    const operation = "OnPolicyRunner";
    checkOptions(operation, options, [...ownNames, ...networkOptionNames, ...classRunnerOptionNames]);
    const { algorithm = "ppo", env } = options;
    if (algorithm !== "ppo") {
      fail(
        operation,
        `algorithm must be "ppo", got ${JSON.stringify(algorithm)}; DQN and SAC have OffPolicyRunner`,
      );
    }
    const settings = settingsOf(operation, options);
    const agent = agentOf(operation, options);
    const world = worldOf(operation, options, agent.config.numEnvs);
    checkPurpose(operation, agent.purpose, world);
    super(operation, world, env, settings);
    this.agent = agent;
    const { nSteps, numEnvs } = agent.config;
    this.stepsPerIteration = nSteps * numEnvs;
    const { book, device } = this;
    const { seed, evalEnv } = settings;
    this.player =
      world.kind === "host"
        ? new HostRollouts({ operation, world, seed, evalEnv, device }, agent.options, book)
        : new CompiledRollouts({ world, seed, device }, agent.options, book);
    this.rates = learningRates(operation, agent.config, options);
  }

  get learningRate(): number {
    return this.rates.current;
  }

  protected longestEpisode(): number {
    return this.world.kind === "functional" ? longestEpisode(this.world.params) : 10_000;
  }

  protected prepare(iterations: number): void {
    this.rates.begin(this.iteration, iterations);
    const { config } = this.agent;
    // Only what depends on how long the run is must be compiled anew for another length.
    const isScheduled = config.clipSchedule !== "constant";
    const scheduled: PPOConfig = {
      ...config,
      lrSchedule: "constant",
      scheduleUpdates: isScheduled ? (config.scheduleUpdates ?? iterations) : config.scheduleUpdates,
    };
    const { options } = this.agent;
    if (this.update !== null && !isScheduled) return;
    this.update = jit(
      (state: PPOAgentState, rollout: PPORollout, lastValue: Array, lr: Array) =>
        PPO.update(state, rollout, lastValue, { ...options, config: { ...scheduled, lr } }),
      this.device === undefined ? {} : { device: this.device },
    );
  }

  protected async iterate(iterations: number): Promise<Stats> {
    const { agent, update } = this;
    if (update === null) fail("OnPolicyRunner", "iterate comes after prepare");
    await this.fire("pre_rollout", this);
    const { state, rollout, lastValue, stats } = await this.player.play(agent.state);
    agent.state = state;
    this.played(this.stepsPerIteration);
    await this.fire("post_rollout", this, rollout);
    await this.fire("pre_update", this);
    const [learned, metrics] = update(agent.state, rollout, lastValue, np.float32(this.learningRate));
    agent.state = learned;
    const trained = trainStats(metrics, this.learningRate);
    this.learned();
    this.rates.adjust(metrics.kl.item(), this.iteration + 1, iterations);
    await this.fire("post_update", this, trained);
    return { ...stats, ...trained };
  }

  protected paramsOf({ params }: PPOAgentState): object {
    return params;
  }

  protected restore(_: Readonly<Record<string, unknown>>, { learningRate }: Notes): void {
    if (learningRate !== null) this.rates.current = learningRate;
  }

  protected extraState(): Readonly<Record<string, unknown>> {
    return {};
  }
}

/** The agent that was given, or a new one. */
function agentOf(operation: string, options: OnPolicyRunnerOptions): PPOAgent {
  const { agent, cfg } = options;
  if (agent === undefined) {
    const given = Object.entries(options).filter(([name]) => agentOptionNames.includes(name));
    return new PPOAgent(Object.fromEntries(given) as unknown as PPOAgentOptions);
  }
  if (!(agent instanceof PPOAgent)) {
    fail(operation, "agent must be a PPOAgent: new PPOAgent({ env, cfg, actorClass, criticClass })");
  }
  checkConfig(operation, options, networkOptionNames, agent.config, cfg);
  return agent;
}

function trainStats(metrics: PPOMetrics, learningRate: number): Stats {
  const { totalLoss, actorLoss, criticLoss, entropy, approxKl, kl, clipFraction, explainedVariance } =
    metrics;
  return {
    "train/policy_loss": actorLoss.item(),
    "train/value_loss": criticLoss.item(),
    "train/entropy_loss": -entropy.item(),
    "train/approx_kl": approxKl.item(),
    "train/learning_rate": learningRate,
    "train/loss": totalLoss.item(),
    "train/kl": kl.item(),
    "train/clip_fraction": clipFraction.item(),
    "train/explained_variance": explainedVariance.item(),
  };
}

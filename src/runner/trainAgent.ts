// Training agents of one's own: what fulfils the Agent protocol is trained as PPO, DQN and SAC are.
import { Array, checkOptions, describe, fail, tree, type Shape } from "../array/index.js";
import { assertAgent, completedConfig, type ActOptions, type Agent } from "../agent/index.js";
import type { Environment, ParamsOf, Space } from "../env/index.js";
import { checkedAgent } from "./checkedAgent.js";
import { checkDevices, runOptionNames } from "./checks.js";
import { RunnerConfig } from "./config.js";
import type { Family } from "./family.js";
import { replayLearnerOf, type Algorithm, type LearnerConfig, type RunnableAgent } from "./learners.js";
import type { RunOptions } from "./loop.js";
import { offPolicyFamily, trained, type TrainResult } from "./offPolicy.js";
import { onPolicyFamily } from "./onPolicy.js";
import { rolloutLearnerOf, type RolloutConfig } from "./rollouts.js";
import type { Trainer } from "./trainer.js";

export interface TrainAgentOptions<State, Config> extends RunOptions<State> {
  /** The agent's settings, as its functions take them. Of some of them the loop takes note: see docs/agents.md. */
  readonly config?: Config;
  /** How the run goes, or what in it differs from the defaults. */
  readonly runnerConfig?: Partial<RunnerConfig>;
  /** The shape of an observation, if not the environment's. */
  readonly obsShape?: Shape | null;
}

const operation = "trainAgent";
const ownOptions = ["config", "runnerConfig", "obsShape"];

/** Trains an agent. The environment may reset itself (`AutoResetWrapper`) or not; then it is made to. */
export async function trainAgent<
  E extends Environment,
  State extends object,
  Config extends object,
  Batch,
  M extends object,
  Options extends ActOptions,
>(
  agent: Agent<State, Config, Batch, M, Options>,
  env: E,
  envParams: ParamsOf<E>,
  options: TrainAgentOptions<State, Config> = {},
): Promise<TrainResult<State>> {
  checkOptions(operation, options, [...ownOptions, ...runOptionNames]);
  const { config: _, runnerConfig, obsShape: __, ...listeners } = options;
  return trained(agentTrainer(agent, env, envParams, options), runnerConfig, listeners);
}

/** A run of an agent for the host to drive. */
export function agentTrainer<State extends object, Config extends object, Batch, M extends object, S, P>(
  agent: Agent<State, Config, Batch, M>,
  env: Environment<S, P>,
  envParams: P,
  { config, runnerConfig: givenRunner, obsShape }: TrainAgentOptions<State, Config> = {},
): Trainer<{ readonly agentState: State }> {
  assertAgent(agent, operation);
  const runnerConfig = completedConfig(operation, "runnerConfig", RunnerConfig, givenRunner);
  checkDevices(operation, runnerConfig);
  const given: unknown = config ?? {};
  if (typeof given !== "object" || given === null)
    fail(operation, `config must be an object, got ${String(given)}`);
  const runnable = checkedAgent(operation, agent as unknown as RunnableAgent<State>);
  const traits = {
    ...{ title: "Agent", name: agent.name ?? "Agent", networks: undefined },
    kinds: agent.actionSpaces ?? (["Discrete", "Box", "MultiBinary", "Image"] satisfies Space["kind"][]),
    actionCount: { name: "nActions", value: null },
  };
  const family =
    agent.learnsFrom === "rollouts"
      ? onPolicyFamily(env, envParams, rollouts(runnable, traits, given, runnerConfig), {
          ...{ runnerConfig, obsShape, keepsHistory: false, over: (own: RolloutConfig) => own },
        })
      : offPolicyFamily(env, envParams, replay(runnable, traits, given), {
          ...{ runnerConfig: { ...runnerConfig, numDevices: 1 }, obsShape },
        });
  return (family as unknown as Family<{ readonly agentState: State }>)();
}

type Traits = Omit<Algorithm<object, object>, "config" | "learner">;

/** A field of the config that the loop takes note of. */
function wholeField(config: object, name: string, usual: number): number {
  const value = (config as Readonly<Record<string, unknown>>)[name] ?? usual;
  if (Number.isSafeInteger(value) && (value as number) >= 1) return value as number;
  return fail(operation, `config.${name} must be a whole number of at least 1, got ${describe(value)}`);
}

/** A config as checkpoints tell it. */
const plainData = <C extends object>(config: C): C =>
  tree.map((leaf: unknown) => (leaf instanceof Array ? leaf.toArray() : leaf), config) as C;

function rollouts<A extends object>(
  agent: RunnableAgent<A>,
  traits: Traits,
  given: object,
  runner: RunnerConfig,
): Algorithm<RolloutConfig, ReturnType<typeof rolloutLearnerOf<A>>> {
  const own = wholeField(given, "numEnvs", runner.numEnvs);
  if (runner.numEnvs !== 1 && own !== runner.numEnvs) {
    fail(
      operation,
      `config.numEnvs is ${own} and runnerConfig.numEnvs is ${runner.numEnvs}: give one of them, or the same twice`,
    );
  }
  const config = { ...given, numEnvs: own, nSteps: wholeField(given, "nSteps", 128) };
  return {
    ...traits,
    config: plainData(config),
    learner: () => rolloutLearnerOf(operation, agent, config, { config: given }),
  };
}

/** What the loop of replay takes where a config does not say it. */
const replayDefaults = { batchSize: 64, nSteps: 1, gamma: 0.99, trainFreq: 1, gradientSteps: 1 };

function replay<A extends object>(
  agent: RunnableAgent<A>,
  traits: Traits,
  given: object,
): Algorithm<LearnerConfig, ReturnType<typeof replayLearnerOf<A>>> {
  const counts = (["batchSize", "nSteps", "trainFreq", "gradientSteps"] as const).map((name) => [
    name,
    wholeField(given, name, replayDefaults[name]),
  ]);
  const loop = { ...replayDefaults, ...given, ...Object.fromEntries(counts) } as LearnerConfig;
  const config: LearnerConfig = { ...loop, scheduleUpdates: loop.scheduleUpdates ?? null };
  return {
    ...traits,
    config: plainData(config),
    learner: ({ scheduleUpdates }) => {
      // The agent is given what the user gave, but for the length of the run.
      const own = "scheduleUpdates" in given ? { ...given, scheduleUpdates } : given;
      return replayLearnerOf(operation, agent, { ...config, scheduleUpdates }, { config: own });
    },
  };
}

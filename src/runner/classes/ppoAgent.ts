// A PPO agent as an object: its config, and a state that runners move on.
import { plainConfig } from "../../agent/index.js";
import { PPO, PPOConfig, type AnyPPOParams, type PPOState } from "../../algorithms/index.js";
import { checkOptions, fail, np, random } from "../../array/index.js";
import { actsAsOwn, identityOf, networkOptionNames, networksOf, type NetworkOptions } from "./networks.js";
import { checkSeed } from "./options.js";
import type { PPOBrain } from "./rollouts.js";
import { purposeOf, worldOf, type Purpose, type World, type WorldOptions } from "./worlds.js";

export interface PPOAgentOptions extends WorldOptions, NetworkOptions {
  /** PPO's settings, or what in them differs from the defaults. */
  readonly cfg?: Partial<PPOConfig>;
  /** What the networks begin with. Default 0. */
  readonly seed?: number;
}

export const agentOptionNames: readonly string[] = [
  "env",
  "envParams",
  "numEnvs",
  "cfg",
  "seed",
  ...networkOptionNames,
];

/** PPO for the environments that it is made for: `new PPOAgent({ env, cfg: PPOConfig({ lr: 3e-4 }) })`. */
export class PPOAgent {
  readonly algorithm = "PPO";
  readonly config: PPOConfig;
  /** What PPO's functions are told besides the state: `PPO.actBatch(agent.state, obs, agent.options)`. */
  readonly options: PPOBrain;
  /** What checkpoints tell of networks that only a program has; `null` where PPO's own act as they do. */
  readonly ownNetworks: Readonly<Record<string, string>> | null;
  /** What it was made for. */
  readonly purpose: Purpose;
  /** Parameters, optimiser, statistics and random key; a new object after every rollout and update. */
  state: PPOState<AnyPPOParams>;

  constructor(options: PPOAgentOptions) {
    const operation = "PPOAgent";
    checkOptions(operation, options, agentOptionNames);
    const { cfg, seed = 0 } = options;
    checkSeed(operation, seed);
    const world = worldOf(operation, options, cfg?.numEnvs);
    this.config = configFor(operation, cfg, world);
    const networks = networksOf(operation, options);
    this.options = networks === undefined ? { config: this.config } : { config: this.config, networks };
    this.purpose = purposeOf(world);
    // As `trainPPO` does: the others are for the environments.
    const [, agentKey] = random.split(random.key(seed), 3);
    const init = (own = networks) =>
      PPO.init(agentKey, world.obsShape, world.actions, this.config, { networks: own });
    this.state = init();
    this.ownNetworks = actsAsOwn(networks?.actor, np.tanh) ? null : identityOf(networks, init);
  }
}

/** The config with the number of environments, which they say themselves. */
function configFor(operation: string, cfg: Partial<PPOConfig> = {}, { numEnvs, actions }: World): PPOConfig {
  if ((cfg.numEnvs ?? 1) !== 1 && cfg.numEnvs !== numEnvs) {
    fail(operation, `cfg.numEnvs is ${cfg.numEnvs}, env has ${numEnvs}; leave it out`);
  }
  if (actions.kind !== "Discrete" && actions.kind !== "Box") {
    fail(operation, `needs actions in Discrete or Box, the environments have ${String(actions)}`);
  }
  return plainConfig(operation, "cfg", PPOConfig, { ...cfg, numEnvs });
}

// From classes and their settings to the networks of an agent.
import { networkIdentity } from "../../agent/index.js";
import { fail } from "../../array/index.js";
import type { Activation, Network } from "../../nn/index.js";
import { MLPActor, MLPCritic, type CNNNetworkCfg, type MLPNetworkCfg } from "./networkClasses.js";

/** A class of networks, made with its settings, or a network that is made already. */
// oxlint-disable-next-line typescript/no-explicit-any -- a class may want any settings
export type NetworkClass = (new (cfg: any) => Network) | Network;

/** Settings of a network: those of the classes here, or of one's own. */
export type NetworkCfg = MLPNetworkCfg | CNNNetworkCfg | Readonly<Record<string, unknown>>;

export interface NetworkOptions {
  /** The actor's network. Default MLPActor; for images, and where no network is said, the algorithm's own. */
  readonly actorClass?: NetworkClass;
  /** The critic's network. Default MLPCritic, likewise. */
  readonly criticClass?: NetworkClass;
  /** What the actor's class is made with, such as `{ hiddenDims: [256] }`. */
  readonly actorCfg?: NetworkCfg;
  /** What the critic's class is made with. */
  readonly criticCfg?: NetworkCfg;
}

export const networkOptionNames = ["actorClass", "criticClass", "actorCfg", "criticCfg"] as const;

/** The networks that options ask for; undefined where they ask for none, and the algorithm's own are taken. */
export function networksOf(
  operation: string,
  { actorClass, criticClass, actorCfg, criticCfg }: NetworkOptions,
): { readonly actor: Network; readonly critic: Network } | undefined {
  if ([actorClass, criticClass, actorCfg, criticCfg].every((given) => given === undefined)) return undefined;
  return {
    actor: networkOf(operation, "actor", actorClass ?? MLPActor, actorCfg),
    critic: networkOf(operation, "critic", criticClass ?? MLPCritic, criticCfg),
  };
}

/** A network of a class, or the one that was given. */
export function networkOf(
  operation: string,
  name: string,
  given: unknown,
  cfg: NetworkCfg | undefined,
): Network {
  if (typeof given === "function") return new (given as new (cfg: NetworkCfg) => Network)(cfg ?? {});
  const isNetwork = typeof given === "object" && given !== null && "init" in given && "apply" in given;
  if (!isNetwork) {
    fail(
      operation,
      `${name}Class must be a class of networks, such as MLPActor, or a network with init(rng, inputShape, outputSize) ` +
        `and apply(params, x), got ${given === null ? "null" : typeof given}`,
    );
  }
  if (cfg !== undefined)
    fail(operation, `${name}Cfg is for classes; ${name}Class is a network that is made already`);
  return given as Network;
}

/** Whether a network computes what the algorithm's own would with these parameters, so that others can act with it. */
export const actsAsOwn = (network: Network | undefined, activation: Activation): boolean =>
  network === undefined || (network instanceof MLPActor && network.activation === activation);

/** What checkpoints tell of the networks that an agent was made with; `null` where none were given. */
export const identityOf = <N extends object>(
  networks: N | undefined,
  init: (networks: N) => object,
): Readonly<Record<string, string>> | null =>
  networks === undefined ? null : networkIdentity(networks, (own) => init(own as N));

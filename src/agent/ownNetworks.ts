// Networks that somebody gives to an algorithm in place of its own: checked where they enter, and where they compute.
import { Array, describe, evalShape, fail, np, tree, type Shape } from "../array/index.js";
import type { Network, Tree } from "../nn/index.js";
import { configAmong, type ConfigBuilder } from "./config.js";

/** Fields of configs that describe the algorithms' own networks. */
const ownFields = ["hiddenSizes", "network", "sharedBackbone"];

/** The config and the networks among the options of an agent's function. `names` are those of the other options. */
export function partsAmong<C extends object, N extends object>(
  operation: string,
  builder: ConfigBuilder<C>,
  options: { readonly config?: Partial<C> | undefined; readonly networks?: N | undefined },
  networkNames: readonly (keyof N & string)[],
  names: readonly string[] = [],
): { readonly config: Readonly<C>; readonly networks: N | undefined } {
  const config = configAmong(operation, builder, options, [...names, "networks"]);
  return { config, networks: checkedNetworks(operation, options.networks, networkNames, config, builder) };
}

/** Refuses what are no networks, or other ones, and a config that contradicts them. */
export function checkedNetworks<C extends object, N extends object>(
  operation: string,
  networks: N | undefined,
  names: readonly (keyof N & string)[],
  config: C,
  { defaults }: { readonly defaults: C },
): N | undefined {
  if (networks === undefined) return undefined;
  const wanted = `{ ${names.join(", ")} }`;
  if (typeof networks !== "object" || networks === null) {
    fail(operation, `networks must be an object ${wanted}, got ${describe(networks)}`);
  }
  const odd = Object.keys(networks).find((name) => !(names as readonly string[]).includes(name));
  if (odd !== undefined) fail(operation, `there is no network \`${odd}\`; networks are ${wanted}`);
  for (const name of names) {
    const network = networks[name] as Partial<Network> | null | undefined;
    if (network === undefined) fail(operation, `networks.${name} is missing; networks are ${wanted}`);
    for (const method of ["init", "apply"] as const) {
      const member: unknown = network?.[method];
      if (typeof member === "function") continue;
      const what = member === undefined ? "nothing" : describe(member);
      fail(
        operation,
        `networks.${name}.${method} must be a function, got ${what}; a Network has init(rng, inputShape, ` +
          "outputSize) and apply(params, x)",
      );
    }
  }
  const [given, usual] = [config, defaults] as Readonly<Record<string, unknown>>[];
  const told = ownFields.find((field) => JSON.stringify(given[field]) !== JSON.stringify(usual[field]));
  if (told !== undefined) {
    fail(
      operation,
      `config.${told} is ${JSON.stringify(given[told])}, but it describes the algorithm's own networks, and others are ` +
        `given: leave out ${told} or networks`,
    );
  }
  return networks;
}

/** Fresh parameters of a network, which must be arrays to learn and give so many outputs. */
export function initNetwork<P extends Tree>(
  operation: string,
  name: string,
  network: Network<P>,
  rng: Array,
  inputShape: Shape,
  outputSize: number,
): P {
  const params = network.init(rng, inputShape, outputSize);
  checkParams(operation, name, params);
  evalShape(
    (p: P, x: Array) => applyNetwork(operation, name, network, p, x, outputSize),
    params,
    np.zeros([2, ...inputShape]),
  );
  return params;
}

function checkParams(operation: string, name: string, params: unknown): void {
  const call = `networks.${name}.init must give a tree of float32 arrays`;
  let found = 0;
  const check = (path: string, leaf: unknown): number => {
    found++;
    if (leaf instanceof Array && leaf.dtype === "float32") return 0;
    fail(operation, `${call}, got ${describe(leaf)}${path === "" ? "" : ` at ${path}`}`);
  };
  if (typeof params !== "object" || params === null) check("", params);
  tree.mapWithPath(check, params);
  if (found === 0) fail(operation, `${call}, got ${describe(params)} without any`);
}

/** The outputs (B, outputSize) of a network; `null` where only the network knows how many there are. */
export function applyNetwork<P extends Tree>(
  operation: string,
  name: string,
  network: Network<P>,
  params: P,
  x: Array,
  outputSize: number | null,
): Array {
  const outputs: unknown = network.apply(params, x);
  const [batch] = x.shape;
  const isSound =
    outputs instanceof Array &&
    outputs.dtype === "float32" &&
    outputs.ndim === 2 &&
    outputs.shape[0] === batch &&
    (outputSize === null || outputs.shape[1] === outputSize);
  if (isSound) return outputs;
  fail(
    operation,
    `networks.${name}.apply must give float32 [${batch},${outputSize ?? "outputs"}] for x ${describe(x)}, got ` +
      describe(outputs),
  );
}

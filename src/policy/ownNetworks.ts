// Policies with networks that are not the algorithm's own: files cannot hold them, so they are given, and must compute
// what those of the training run did.
import { checkedNetworks, networkWords, type ObsStats } from "../agent/index.js";
import { algorithmOf, type AlgorithmName } from "../algorithms/index.js";
import { fail, type Shape } from "../array/index.js";
import { isRecord } from "../files/index.js";
import type { Network } from "../nn/index.js";

/** Networks in place of the algorithm's own, and what checkpoints and files tell of them. */
export interface GivenNetworks {
  readonly given: object;
  readonly told: Readonly<Record<string, unknown>>;
}

interface Agent {
  readonly algorithm: AlgorithmName;
  readonly config: object;
  readonly state: ObsStats;
  readonly obsShape: Shape;
}

/** The networks that a policy acts with; `null` where they are the algorithm's own. */
export function givenNetworks(
  operation: string,
  where: string,
  { algorithm, config, state, obsShape }: Agent,
  told: unknown,
  given: object | undefined,
): GivenNetworks | null {
  const { acting, config: builder } = algorithmOf(algorithm);
  const title = algorithm.toUpperCase();
  if (!isRecord(told)) {
    if (given === undefined) return null;
    fail(operation, `${where} has networks of ${title}'s own kind, which it holds whole: leave out networks`);
  }
  const names: readonly string[] = acting.networkNames;
  if (given === undefined) {
    fail(
      operation,
      `${where} was trained with networks of its program's own, whose parameters it holds, but not what they compute; ` +
        `give them as the option networks: { ${names.join(", ")} }`,
    );
  }
  checkedNetworks(operation, given, names as never[], config, builder);
  const params = acting.networkParams(state) as Readonly<Record<string, object>>;
  for (const name of Object.keys(params)) {
    const network = (given as Readonly<Record<string, Network>>)[name];
    const words = wordsOf(operation, name, network, params[name], obsShape);
    if (words === told[name]) continue;
    fail(
      operation,
      `networks.${name} is ${words}; ${where} was trained with ${String(told[name])}. Give the network of that run`,
    );
  }
  return { given, told };
}

/** What files are to tell of networks that an agent was made with; `undefined` where they are the algorithm's own. */
export function wordsOfNetworks(
  operation: string,
  { algorithm, state, obsShape }: Omit<Agent, "config">,
  given: object | undefined,
): Readonly<Record<string, string>> | undefined {
  if (given === undefined) return undefined;
  const { acting } = algorithmOf(algorithm);
  const params = acting.networkParams(state) as Readonly<Record<string, object>>;
  const networks = given as Readonly<Record<string, Network>>;
  const missing = Object.keys(params).find((name) => networks[name] === undefined);
  if (missing !== undefined)
    fail(operation, `networks has no ${missing}; give { ${Object.keys(params).join(", ")} }`);
  return Object.fromEntries(
    Object.entries(params).map(([name, own]) => [
      name,
      wordsOf(operation, name, networks[name], own, obsShape),
    ]),
  );
}

function wordsOf(operation: string, name: string, network: Network, params: object, obsShape: Shape): string {
  try {
    return networkWords(network, params, obsShape);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    fail(
      operation,
      `networks.${name} cannot compute with the parameters of the run; give the network that it was trained with: ${reason}`,
    );
  }
}

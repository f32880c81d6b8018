// Networks of one's own as checkpoints tell them: functions cannot be compared, but what they compute can.
import { evalShape, makeProgram, np, tree, type Array, type Shape } from "../array/index.js";
import type { Network, Tree } from "../nn/index.js";

/** What a checkpoint says of each network, found while `init` makes a fresh agent with them. */
export function networkIdentity(
  networks: object,
  init: (networks: object) => object,
): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  const watched = Object.entries(networks as Readonly<Record<string, Network>>).map(([name, network]) => [
    name,
    {
      init: (...[rng, inputShape, outputSize]: Parameters<Network["init"]>) => {
        const params = network.init(rng, inputShape, outputSize);
        found[name] = networkWords(network, params, inputShape);
        return params;
      },
      apply: (...args: Parameters<Network["apply"]>) => network.apply(...args),
    } satisfies Network,
  ]);
  evalShape(() => init(Object.fromEntries(watched) as object));
  return found;
}

/** `2 arrays of 12 numbers, computing 5f3a91c2`: the same for networks that compute the same. */
export function networkWords(network: Network, params: Tree, inputShape: Shape): string {
  const leaves = tree.leaves(params) as Array[];
  const size = leaves.reduce((sum, leaf) => sum + leaf.size, 0);
  const x = np.zeros([1, ...inputShape]);
  const program = makeProgram((p: Tree, input: Array) => network.apply(p, input))(params, x);
  return `${leaves.length} arrays of ${size} numbers, computing ${hashOf(String(program))}`;
}

/** FNV-1a: short, and good enough to tell programs apart. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}

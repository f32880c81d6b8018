// From updates to parameters, and from parameters to the slow copies of target networks.
import { rules, type Array } from "../../array/index.js";
import { np } from "../../array/index.js";
import { checkScalar } from "../check.js";
import { mapLeaves, type Tree } from "../leaves.js";

/** params + updates, in the dtypes of params. */
export const applyUpdates = <P extends Tree>(params: P, updates: NoInfer<P>): P =>
  mapLeaves("applyUpdates", ["params", "updates"], (p, u) => p.add(u).astype(p.dtype), params, updates);

/** tau · newTree + (1 − tau) · oldTree: Polyak averaging of target networks. */
export function incrementalUpdate<P extends Tree>(newTree: P, oldTree: NoInfer<P>, tau: number | Array): P {
  checkScalar("incrementalUpdate", "tau", tau, rules.fraction);
  const rest = np.subtract(1, tau);
  return mapLeaves(
    "incrementalUpdate",
    ["newTree", "oldTree"],
    (fresh, old) => fresh.mul(tau).add(old.mul(rest)),
    newTree,
    oldTree,
  );
}

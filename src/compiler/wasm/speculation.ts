// Reading what nobody asked for: WebAssembly's memory has no holes, so that a load whose guard does not hold may read
// whatever lies there, as long as memory reaches so far. What comes of it is hidden by the selection around the load,
// and a vector of neighbours is read at once wherever the guards of its lanes come out.
import { itemSize } from "../../array/index.js";
import type { Address, Expression, LoopKernel, Step, Store } from "../kernel.js";
import { reachOf } from "../reach.js";
import type { Margin } from "../renderer.js";
import { kernelRoots } from "../schedule/nest.js";
import { expressionsBelow, extentsOf, kernelsIn, loadsOf } from "../walk.js";

/** The last vector of an array reads so many bytes behind it at most. */
const vectorMargin = 64;

/** How much memory must be there before and behind all buffers, for loads without guards to stay in it. */
export function speculationMargin(steps: readonly Step[]): Margin {
  let [before, behind] = [0, 0];
  for (const kernel of kernelsIn(steps)) {
    for (const { address } of loadsOf(kernel).guarded) {
      const { low, high } = reachOf(address, extentsOf(kernel));
      const item = itemSize(address.buffer.dtype);
      before = Math.max(before, -low * item);
      behind = Math.max(behind, (high + 1 - address.buffer.size) * item);
    }
  }
  return { before, behind: behind + vectorMargin };
}

/** A kernel that loads whether guards hold or not. */
export function withoutLoadGuards(kernel: LoopKernel): LoopKernel {
  if (loadsOf(kernel).guarded.length === 0) return kernel;
  const known = new Map<Expression, Expression>();
  const of = (expression: Expression): Expression => known.get(expression) ?? expression;
  const address = (given: Address): Address => ({
    ...given,
    computed: given.computed.map(({ index, stride }) => ({ index: of(index), stride })),
  });
  for (const expression of expressionsBelow(kernelRoots(kernel))) {
    if (expression.kind === "load")
      known.set(expression, { ...expression, address: address(expression.address), guard: null });
    else if (expression.kind === "operation")
      known.set(expression, { ...expression, inputs: expression.inputs.map(of) });
  }
  const store = (given: Store): Store => ({
    ...given,
    address: address(given.address),
    value: of(given.value),
    guard: given.guard === null ? null : of(given.guard),
  });
  return {
    ...kernel,
    body: kernel.body.map(store),
    reductions: kernel.reductions.map((reduction) => ({
      ...reduction,
      value: of(reduction.value),
      position: reduction.position === null ? null : of(reduction.position),
    })),
    after: kernel.after.map(store),
  };
}

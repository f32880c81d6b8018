// The optimiser that all algorithms use.
import {
  adam,
  chain,
  clipByGlobalNorm,
  type AdamState,
  type EmptyState,
  type Optimizer,
} from "../nn/index.js";
import type { Scalar } from "./config.js";

/** The state of `clippedAdam`. */
export type OptState = readonly [EmptyState, AdamState];

/** Adam (eps 1e-5, as usual in reinforcement learning) behind a limit on the norm of all gradients together. */
export const clippedAdam = (lr: Scalar, maxGradNorm: Scalar): Optimizer<OptState> =>
  chain(clipByGlobalNorm(maxGradNorm), adam(lr, { eps: 1e-5 }));

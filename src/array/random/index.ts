// `random`: keys and distributions, as jax.random has them.
export {
  PRNGKey,
  bernoulli,
  bits,
  categorical,
  choice,
  exponential,
  foldIn,
  gumbel,
  key,
  normal,
  permutation,
  randint,
  shuffle,
  split,
  truncatedNormal,
  uniform,
} from "./basic.js";
export { binomial, geometric, poisson } from "./counts.js";
export { cauchy, laplace, logistic, rademacher } from "./continuous.js";
export { beta, dirichlet, gamma, loggamma } from "./gamma.js";
export { multivariateNormal } from "./multivariateNormal.js";

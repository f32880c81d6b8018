// Distributions.
import { random } from "vibe-rl/array";
import type { MoreCases } from "./cases.js";

export const randomCases: MoreCases = {
  laplace: (key) => random.laplace(key, [4, 5]),
  logistic: (key) => random.logistic(key, [4, 5]),
  cauchy: (key) => random.cauchy(key, [4, 5]),
  rademacher: (key) => [random.rademacher(key, [20]), random.rademacher(key, [3], "float32")],
  geometric: (key, p) => random.geometric(key, p, [5, 4]),
  poisson: (key, rate) => random.poisson(key, rate, [8, 5]),
  binomial: (key, p) => [random.binomial(key, 20, p, [6, 4]), random.binomial(key, 1000, p, [6, 4])],
  gamma: (key, a) => random.gamma(key, a, [4, 5]),
  loggamma: (key, a) => random.loggamma(key, a, [4, 5]),
  "gamma of its own shape": (key, a) => random.gamma(key, a),
  beta: (key, a, b) => random.beta(key, a, b, [4, 3]),
  dirichlet: (key, alpha) => random.dirichlet(key, alpha, [2, 3]),
  multivariateNormal: (key, mean, cov) => random.multivariateNormal(key, mean, cov),
  "multivariateNormal shape": (key, mean, cov) => random.multivariateNormal(key, mean, cov, [4, 2]),
  "categorical without replacement": (key, logits) => [
    random.categorical(key, logits, { shape: [3, 2], replace: false }),
    random.categorical(key, logits, { axis: 0, shape: [2, 5], replace: false }),
  ],
};

// The golden figures as computations with known results, by what they are about.
import { elementwiseCases } from "./elementwise.js";
import type { GoldenCase } from "./goldenCase.js";
import { plainCases } from "./plain.js";
import { randomCases } from "./random.js";
import { transformCases } from "./transforms.js";

export const goldenCases: Record<string, readonly GoldenCase[]> = {
  "random streams are JAX's": randomCases,
  "values and gradients are JAX's": transformCases,
  "results are JAX's": plainCases,
  "elementwise functions are accurate": elementwiseCases,
};

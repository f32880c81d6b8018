// Functions with their options. tools/golden/more.py has the same cases in JAX, by the same names.
import type { Tolerance } from "../../closeness.js";
import type { MoreCases } from "./cases.js";
import { cornerCases } from "./corners.js";
import { elementwiseCases } from "./elementwise.js";
import { nnCases } from "./nn.js";
import { randomCases } from "./random.js";
import { reductionCases } from "./reductions.js";
import { shapingCases } from "./shaping.js";
import { statisticsCases } from "./statistics.js";
import { updateCases } from "./updates.js";
import { windowCases } from "./windows.js";

export const moreCases: MoreCases = {
  ...reductionCases,
  ...windowCases,
  ...nnCases,
  ...randomCases,
  ...statisticsCases,
  ...updateCases,
  ...shapingCases,
  ...elementwiseCases,
  ...cornerCases,
};

/** Cases that need more room than others, and why. */
export const tolerances: Readonly<Record<string, Tolerance>> = {};

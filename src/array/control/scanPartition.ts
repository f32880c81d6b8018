// Splitting a loop into one that can run now and one that waits, for reverse mode: the first loop stores
// what the second will need of each iteration.
import type { Partitioned } from "../core/primitive.js";
import { newVariable, type Atom, type Equation, type Program, type Variable } from "../core/program.js";
import { arrayType } from "../core/type.js";
import { partitionProgram } from "../transforms/partition.js";
import { substitute } from "../transforms/substitute.js";
import { count, growFlags, pick, split } from "./lists.js";
import { scanRoles, type ScanParams } from "./scanParams.js";

/**
 * A residual costs memory only if it changes from one iteration to the next: slices and constants of the loop are handed
 * on as they are, and what depends on constants alone is computed once, outside.
 */
export function partitionScan(equation: Equation, unknown: readonly boolean[]): Partitioned {
  const params = equation.params as ScanParams;
  const { body, carries, length } = params;
  const [constantUnknown, carryUnknown, stackedUnknown] = scanRoles(unknown, params);
  const { flags: carryWaits, result: parts } = growFlags(
    carryUnknown,
    (carry) => partitionProgram(body, [...constantUnknown, ...carry, ...stackedUnknown], { unknown: carry }),
    ({ unknownOutputs }) => unknownOutputs.slice(0, carries),
  );
  const waits = [...constantUnknown, ...carryWaits, ...stackedUnknown];
  const outside = new Map<Variable, Atom>(body.inputs.map((input, index) => [input, equation.inputs[index]]));
  const atomsOutside = (inputs: readonly Variable[]): Atom[] =>
    inputs.map((input) => outside.get(input) as Atom);
  const [constants, carry, stacked] = scanRoles(body.inputs, params);
  const knownConstants = pick(constants, constantUnknown, false);
  const knownCarry = pick(carry, carryWaits, false);
  const knownStacked = pick(stacked, stackedUnknown, false);

  const isConstant = new Set(knownConstants);
  const isStacked = new Set(knownStacked);
  const given = parts.residuals.filter((residual) => isConstant.has(residual));
  const givenStacked = parts.residuals.filter((residual) => isStacked.has(residual));
  const computed = parts.residuals.filter(
    (residual) => !isConstant.has(residual) && !isStacked.has(residual),
  );

  const loop = splitInvariant(
    { ...parts.known, outputs: parts.known.outputs.slice(0, -parts.residuals.length || undefined) },
    computed,
    knownConstants.length,
  );
  const before = substitute(loop.before, atomsOutside(knownConstants));
  const [invariantAtoms, loopConstants] = split(before.outputs, [loop.invariant.length]) as [Atom[], Atom[]];
  const stackedResiduals = loop.varying.map(({ type }) =>
    newVariable(arrayType([length, ...type.shape], type.dtype)),
  );

  const knownLoop: Equation = {
    ...equation,
    inputs: [...loopConstants, ...atomsOutside(knownCarry), ...atomsOutside(knownStacked)],
    params: {
      ...params,
      body: loop.body,
      constants: loopConstants.length,
      carries: knownCarry.length,
    } satisfies ScanParams,
    outputs: [...pick(equation.outputs, parts.unknownOutputs, false), ...stackedResiduals],
  };
  const unknownConstants = pick(constants, constantUnknown);
  const unknownLoop: Equation = {
    ...equation,
    inputs: [
      ...atomsOutside(given),
      ...invariantAtoms,
      ...atomsOutside(unknownConstants),
      ...atomsOutside(pick(carry, carryWaits)),
      ...atomsOutside(givenStacked),
      ...stackedResiduals,
      ...atomsOutside(pick(stacked, stackedUnknown)),
    ],
    params: {
      ...params,
      body: {
        ...parts.unknown,
        inputs: [
          ...given,
          ...loop.invariant,
          ...unknownConstants,
          ...pick(carry, carryWaits),
          ...givenStacked,
          ...loop.varying,
          ...pick(stacked, stackedUnknown),
        ],
      },
      constants: given.length + loop.invariant.length + count(waits.slice(0, params.constants)),
      carries: count(carryWaits),
    } satisfies ScanParams,
    outputs: pick(equation.outputs, parts.unknownOutputs),
  };
  return { known: [...before.equations, knownLoop], unknown: [unknownLoop] };
}

interface SplitLoop {
  /** Takes the constants; computes the invariant residuals and then what else the body needs. */
  readonly before: Program;
  /** Takes that, then the carry and the slices; returns the loop's outputs and the varying residuals. */
  readonly body: Program;
  readonly invariant: readonly Variable[];
  readonly varying: readonly Variable[];
}

/** Takes out of a loop body what depends only on its first inputs, the constants. */
function splitInvariant(body: Program, residuals: readonly Variable[], constants: number): SplitLoop {
  const parts = partitionProgram(
    { ...body, outputs: [...body.outputs, ...residuals] },
    body.inputs.map((_, index) => index >= constants),
    { unknown: body.outputs.map(() => true), effects: "unknown" },
  );
  const varies = parts.unknownOutputs.slice(body.outputs.length);
  return {
    before: parts.known,
    body: parts.unknown,
    invariant: pick(residuals, varies, false),
    varying: pick(residuals, varies),
  };
}

// Dead code in loops: results that nobody reads, and the carries that only serve them.
import { variablesRead, type Equation } from "../core/program.js";
import { pruneProgram } from "../transforms/prune.js";
import { count, growFlags, pick, split } from "./lists.js";
import { scanRoles, type ScanParams } from "./scanParams.js";

/** The loop without unused results, the carries that nothing else needs, and inputs that became unused. */
export function pruneScan(equation: Equation, used: readonly boolean[]): Equation {
  const params = equation.params as ScanParams;
  const { body, carries } = params;
  const [carryUsed, resultUsed] = split(used, [carries]) as [boolean[], boolean[]];
  const { flags, result } = growFlags(
    carryUsed,
    (carry) => {
      const pruned = pruneProgram({ ...body, outputs: pick(body.outputs, [...carry, ...resultUsed]) });
      return { pruned, read: variablesRead(pruned) };
    },
    ({ read }) => scanRoles(body.inputs, params)[1].map((input) => read.has(input)),
  );
  const { pruned, read } = result;
  const [constants, , stacked] = scanRoles(body.inputs, params);
  const constantKept = constants.map((input) => read.has(input));
  const stackedKept = stacked.map((input) => read.has(input));
  const kept = [...constantKept, ...flags, ...stackedKept];
  const narrowed: ScanParams = {
    ...params,
    body: { ...pruned, inputs: pick(body.inputs, kept) },
    constants: count(constantKept),
    carries: count(flags),
  };
  return {
    ...equation,
    params: narrowed,
    inputs: pick(equation.inputs, kept),
    outputs: pick(equation.outputs, [...flags, ...resultUsed]),
  };
}

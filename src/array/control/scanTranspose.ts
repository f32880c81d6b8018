// Reverse mode through a loop: the cotangents are carried from the last iteration to the first.
import type { Array } from "../core/array.js";
import type { Primitive, Tangent } from "../core/primitive.js";
import { typesOf, type Atom, type Program } from "../core/program.js";
import { bind, traceClosed } from "../core/trace.js";
import type { ArrayType } from "../core/type.js";
import { instantiate, zeros } from "../primitives/linear.js";
import { applyTranspose } from "../transforms/transpose.js";
import { count, pick, split, spread } from "./lists.js";
import { scanRoles, type ScanParams } from "./scanParams.js";

/**
 * Cotangents of a loop that is linear in its carry and in those inputs that are not known. The cotangents of
 * linear constants are summed over the iterations, those of stacked inputs come out stacked.
 */
export function transposeScan(
  scan: Primitive<ScanParams>,
  cotangents: readonly Tangent[],
  known: readonly (Array | null)[],
  _types: readonly ArrayType[],
  params: ScanParams,
): Tangent[] {
  const { body, carries } = params;
  const linear = known.map((value) => value === null);
  const [constantLinear, , stackedLinear] = scanRoles(linear, params);
  const [constants, carry, stacked] = scanRoles(body.inputs, params);
  const [constantValues, , stackedValues] = scanRoles(known, params);
  const fixed = pick(constantValues, constantLinear, false) as Array[];
  const slices = pick(stackedValues, stackedLinear, false) as Array[];
  const summed = typesOf(pick(constants, constantLinear));

  const [carryCts, resultCts] = split(cotangents, [carries]) as [Tangent[], Tangent[]];
  const [carryOut, resultOut] = split(body.outputs, [carries]) as [Atom[], Atom[]];
  const given = resultCts.map((cotangent) => cotangent !== null);

  // The body with what it is not linear in first, as applyTranspose wants it.
  const linearBody: Program = {
    ...body,
    inputs: [
      ...pick(constants, constantLinear, false),
      ...pick(stacked, stackedLinear, false),
      ...pick(constants, constantLinear),
      ...carry,
      ...pick(stacked, stackedLinear),
    ],
  };
  const linearTypes = typesOf(linearBody.inputs.slice(fixed.length + slices.length));
  const backward = traceClosed(
    [
      ...fixed.map((value) => value.type),
      ...summed,
      ...typesOf(carryOut),
      ...typesOf(pick(resultOut, given)),
      ...typesOf(pick(stacked, stackedLinear, false)),
    ],
    (inputs) => {
      const [fixedIn, sums, carryIn, resultsIn, slicesIn] = split(inputs, [
        fixed.length,
        summed.length,
        carries,
        count(given),
      ]) as [Array[], Array[], Array[], Array[], Array[]];
      const back = applyTranspose(
        linearBody,
        [...fixedIn, ...slicesIn],
        [...carryIn, ...spread(resultsIn, given)],
      );
      return back.map((cotangent, index) => {
        const sum = sums[index];
        if (sum === undefined) return instantiate(cotangent, linearTypes[index]);
        return cotangent === null ? sum : sum.add(cotangent);
      });
    },
  );
  const results = bind(
    scan,
    [
      ...fixed,
      ...summed.map(zeros),
      ...carryOut.map((output, index) => instantiate(carryCts[index] ?? null, output.type)),
      ...(pick(resultCts, given) as Array[]),
      ...slices,
    ],
    {
      ...params,
      body: backward,
      constants: fixed.length,
      carries: summed.length + carries,
      reverse: !params.reverse,
    },
  );
  return spread(results, [...constantLinear, ...carry.map(() => true), ...stackedLinear]);
}

// Splitting a program for several devices into one that can run now and one that waits, for reverse mode: each device
// keeps what its second half needs.
import type { Partitioned } from "../core/primitive.js";
import { newVariable, type Atom, type Equation, type Variable } from "../core/program.js";
import type { Shape } from "../core/shape.js";
import { arrayType } from "../core/type.js";
import { reshape } from "../primitives/reshape.js";
import type { Layout } from "../sharding/axes.js";
import { wholeType } from "../sharding/blockDimensions.js";
import { partitionProgram } from "../transforms/partition.js";
import { pick } from "./lists.js";
import type { ShardMapParams } from "./shardMap.js";

/** Inputs are handed on as they are; a computed residual gets a dimension in front that all axes split. */
export function partitionShardMap(equation: Equation, unknown: readonly boolean[]): Partitioned {
  const params = equation.params as ShardMapParams;
  const { axes, body, inLayouts, outLayouts } = params;
  const parts = partitionProgram(body, unknown);
  const { unknownOutputs, residuals } = parts;
  const place = new Map<Variable, number>(body.inputs.map((input, index) => [input, index]));
  const given = residuals.filter((residual) => place.has(residual));
  const computed = residuals.filter((residual) => !place.has(residual));

  const stacked = computed.map(({ type }) => newVariable(arrayType([1, ...type.shape], type.dtype)));
  const received = computed.map(({ type }) => newVariable(arrayType([1, ...type.shape], type.dtype)));
  const layouts = computed.map(({ type }): Layout => [
    axes.map(({ name }) => name),
    ...type.shape.map(() => []),
  ]);
  const kept = stacked.map(({ type }, index) => newVariable(wholeType(type, layouts[index], axes)));
  const known: ShardMapParams = {
    ...params,
    body: {
      inputs: parts.known.inputs,
      equations: [
        ...parts.known.equations,
        ...computed.map((residual, index) => arrange(residual, stacked[index])),
      ],
      outputs: [...pick(body.outputs, unknownOutputs, false), ...stacked],
    },
    inLayouts: pick(inLayouts, unknown, false),
    outLayouts: [...pick(outLayouts, unknownOutputs, false), ...layouts],
  };
  const at = given.map((residual) => place.get(residual) as number);
  const waiting: ShardMapParams = {
    ...params,
    body: {
      inputs: [...given, ...received, ...pick(body.inputs, unknown)],
      equations: [
        ...computed.map((residual, index) => arrange(received[index], residual)),
        ...parts.unknown.equations,
      ],
      outputs: parts.unknown.outputs,
    },
    inLayouts: [...at.map((index) => inLayouts[index]), ...layouts, ...pick(inLayouts, unknown)],
    outLayouts: pick(outLayouts, unknownOutputs),
  };
  const handedOn: Atom[] = at.map((index) => equation.inputs[index]);
  return {
    known: [
      {
        ...equation,
        params: known,
        inputs: pick(equation.inputs, unknown, false),
        outputs: [...pick(equation.outputs, unknownOutputs, false), ...kept],
      },
    ],
    unknown: [
      {
        ...equation,
        params: waiting,
        inputs: [...handedOn, ...kept, ...pick(equation.inputs, unknown)],
        outputs: pick(equation.outputs, unknownOutputs),
      },
    ],
  };
}

/** `to` as `from` in another shape. */
function arrange(from: Variable, to: Variable): Equation {
  const params: { readonly shape: Shape } = { shape: to.type.shape };
  return { primitive: reshape, inputs: [from], params, outputs: [to], origin: null };
}

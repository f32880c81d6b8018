// Several devices in one interpreter: every equation is evaluated for all of them before the next, so that what they
// do together is a matter of looking at all of their values.
import type { Array, Program } from "vibe-rl/array";
import * as arrangement from "../../../src/array/sharding/axes.js";
import type { Layout, NamedAxis } from "../../../src/array/sharding/axes.js";
import type { CondParams } from "../../../src/array/control/cond.js";
import type { ScanParams } from "../../../src/array/control/scanParams.js";
import type { WhileParams } from "../../../src/array/control/while.js";
import type { Concrete } from "../../../src/array/core/array.js";
import { concrete, evaluatePrimitive, literalArray, walk } from "../../../src/array/core/interpret.js";
import type { Equation } from "../../../src/array/core/program.js";
import { arrayType } from "../../../src/array/core/type.js";
import type {
  AllToAllParams,
  CollectiveParams,
  PermuteDevicesParams,
  TiledParams,
} from "../../../src/array/primitives/collectives.js";
import * as np from "../../../src/array/np/index.js";

/** One value on each device. */
type Values = readonly Concrete[];

/** The devices that a device meets along some axes, in their order. */
function groupOf(device: number, all: readonly NamedAxis[], names: readonly string[]): number[] {
  const { coordinatesOf, countAlong, indexAlong } = arrangement;
  const own = coordinatesOf(device, all);
  const others = all.filter(({ name }) => !names.includes(name));
  return [...globalThis.Array(countAlong(all)).keys()]
    .filter((other) => others.every(({ name }) => coordinatesOf(other, all)[name] === own[name]))
    .sort((a, b) => indexAlong(a, all, names) - indexAlong(b, all, names));
}

const split = (x: Array, size: number, axis: number): Array[] => np.split(x, size, axis);

/** What a device gets from a collective, given the operands of its group. */
function meet(
  equation: Equation,
  operands: readonly Values[],
  group: readonly number[],
  device: number,
): Array[] {
  const me = group.indexOf(device);
  const of = (at: number): Array[] => group.map((other) => operands[at][other]);
  const reduce = (f: (a: Array, b: Array) => Array): Array[] => operands.map((_, at) => of(at).reduce(f));
  switch (equation.primitive.name) {
    case "psum":
      return reduce((a, b) => a.add(b));
    case "pmax":
      return reduce((a, b) => np.maximum(a, b));
    case "pmin":
      return reduce((a, b) => np.minimum(a, b));
    case "allGather": {
      const { axis } = equation.params as TiledParams;
      return operands.map((_, at) => np.concatenate(of(at), axis));
    }
    case "psumScatter": {
      const { axis, size } = equation.params as TiledParams;
      return reduce((a, b) => a.add(b)).map((sum) => split(sum, size, axis)[me]);
    }
    case "ppermute": {
      const { pairs } = equation.params as PermuteDevicesParams;
      const sender = pairs.find(([, to]) => to === me)?.[0];
      return [sender === undefined ? np.zerosLike(operands[0][device]) : of(0)[sender]];
    }
    case "allToAll": {
      const { split: cut, join, size } = equation.params as AllToAllParams;
      return [
        np.concatenate(
          of(0).map((x) => split(x, size, cut)[me]),
          join,
        ),
      ];
    }
    default:
      return [np.int32(me)];
  }
}

const collectives = new Set([
  "psum",
  "pmax",
  "pmin",
  "allGather",
  "psumScatter",
  "ppermute",
  "allToAll",
  "axisIndex",
]);

/** Runs a program on all devices: `inputs[i][device]` to `outputs[i][device]`. */
export function simulate(program: Program, all: readonly NamedAxis[], inputs: readonly Values[]): Values[] {
  const devices = [...globalThis.Array(arrangement.countAlong(all)).keys()];
  const agreed = (values: Values): number => {
    const found = new Set(values.map(({ elements }) => elements[0]));
    if (found.size !== 1) throw new Error("devices disagree about the way to go");
    return values[0].elements[0];
  };
  const apply = (equation: Equation, operands: Values[]): Values[] => {
    const { primitive, params, outputs } = equation;
    if (collectives.has(primitive.name)) {
      const { axes: names } = params as CollectiveParams;
      const results = devices.map((device) => meet(equation, operands, groupOf(device, all, names), device));
      return outputs.map((output, at) =>
        devices.map((device) => results[device][at].astype(output.type.dtype) as Concrete),
      );
    }
    if (primitive.name === "cond") {
      const { branches } = params as CondParams;
      const [index, ...rest] = operands;
      const branch = branches[Math.min(Math.max(agreed(index), 0), branches.length - 1)];
      return simulate(branch, all, rest);
    }
    if (primitive.name === "while") {
      const { test, body, testConstants, bodyConstants } = params as WhileParams;
      const constants = operands.slice(testConstants, testConstants + bodyConstants);
      let carry = operands.slice(testConstants + bodyConstants);
      const holds = () =>
        agreed(simulate(test, all, [...operands.slice(0, testConstants), ...carry])[0]) !== 0;
      while (holds()) carry = simulate(body, all, [...constants, ...carry]);
      return carry;
    }
    if (primitive.name === "scan")
      return simulateScan(
        params as ScanParams,
        operands,
        all,
        outputs.map((o) => o.type.shape),
      );
    const results = devices.map((device) =>
      evaluatePrimitive(
        primitive,
        operands.map((values) => values[device]),
        params,
        outputs.map(({ type }) => type),
      ),
    );
    return outputs.map((_, at) => devices.map((device) => results[device][at]));
  };
  return walk<Values>(program, inputs, (literal) => devices.map(() => literalArray(literal)), apply);
}

function simulateScan(
  { body, constants, carries, length, reverse }: ScanParams,
  operands: readonly Values[],
  all: readonly NamedAxis[],
  shapes: readonly (readonly number[])[],
): Values[] {
  let carry = operands.slice(constants, constants + carries);
  const rows: Values[][] = [];
  for (let turn = 0; turn < length; turn++) {
    const at = reverse ? length - 1 - turn : turn;
    const slices = operands
      .slice(constants + carries)
      .map((values) => values.map((x) => x.slice(at) as Concrete));
    const results = simulate(body, all, [...operands.slice(0, constants), ...carry, ...slices]);
    carry = results.slice(0, carries);
    rows[at] = results.slice(carries);
  }
  const stacked = shapes
    .slice(carries)
    .map((shape, at) =>
      operandsDevices(all).map((device) =>
        length === 0
          ? (np.zeros(shape, { dtype: body.outputs[carries + at].type.dtype }) as Concrete)
          : (np.stack(rows.map((row) => row[at][device])) as Concrete),
      ),
    );
  return [...carry, ...stacked];
}

const operandsDevices = (all: readonly NamedAxis[]): number[] => [
  ...globalThis.Array(arrangement.countAlong(all)).keys(),
];

/** The blocks of an array, one for each device. */
export const blocksOf = (x: Array, layout: Layout, all: readonly NamedAxis[]): Values =>
  operandsDevices(all).map((device) => {
    let block = x;
    layout.forEach((names, dimension) => {
      if (names.length === 0) return;
      const sizes = names.map((name) => all.find((axis) => axis.name === name)?.size ?? 1);
      const count = sizes.reduce((a, b) => a * b, 1);
      block = split(block, count, dimension)[arrangement.indexAlong(device, all, names)];
    });
    return concrete(arrayType(block.shape, block.dtype, block.weakType), block.data());
  });

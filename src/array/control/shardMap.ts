// A Program that every device runs on its own blocks of arrays, and the arrays that the blocks make up.
import type { Array } from "../core/array.js";
import { interpret } from "../core/interpret.js";
import { withAxes } from "../core/namedAxes.js";
import type { Batched, Linearized, Primitive, Tangent } from "../core/primitive.js";
import { typesOf, variablesRead, type Equation, type Program } from "../core/program.js";
import { bind, inline, traceClosed } from "../core/trace.js";
import type { ArrayType } from "../core/type.js";
import { psum } from "../primitives/collectives.js";
import { instantiate } from "../primitives/linear.js";
import { countAlong, type Layout, type NamedAxis } from "../sharding/axes.js";
import {
  blockType,
  fromBlocks,
  mentions,
  toBlocks,
  unmentioned,
  wholeType,
} from "../sharding/blockDimensions.js";
import { batchProgram } from "../transforms/batch.js";
import { jvpProgram } from "../transforms/jvp.js";
import { pruneProgram } from "../transforms/prune.js";
import { overDevices } from "../transforms/spmd.js";
import { applyTranspose } from "../transforms/transpose.js";
import { pick, split, spread, unweave } from "./lists.js";
import { partitionShardMap } from "./shardMapPartition.js";

export interface ShardMapParams {
  /** How the devices are arranged, outermost axis first. */
  readonly axes: readonly NamedAxis[];
  /** Takes and returns blocks; its collectives may name the axes. */
  readonly body: Program;
  /** How each input is split into blocks. */
  readonly inLayouts: readonly Layout[];
  /** How blocks make up each output; along axes that it does not mention, that of the first device counts. */
  readonly outLayouts: readonly Layout[];
}

export const shardMap: Primitive<ShardMapParams> = {
  name: "shardMap",
  infer: (_inputs, { axes, body, outLayouts }) =>
    typesOf(body.outputs).map((type, index) => wholeType(type, outLayouts[index], axes)),
  evaluate: (inputs, params) => interpret(writeOut(params), inputs).map((result) => result.elements),
  jvp: jvpShardMap,
  transpose: transposeShardMap,
  batch: batchShardMap,
  partition: partitionShardMap,
  prune: narrow,
  subPrograms: ({ body }) => [body],
  expand: writeOut,
};

const written = new WeakMap<ShardMapParams, Program>();

/** The same as a Program for one device, which does the work of all. */
function writeOut(params: ShardMapParams): Program {
  const known = written.get(params);
  if (known !== undefined) return known;
  const { axes, body, inLayouts, outLayouts } = params;
  const { program, differs } = overDevices(
    body,
    axes,
    inLayouts.map((layout) => axes.map(({ name }) => mentions(layout, name))),
  );
  const types = typesOf(body.inputs).map((type, index) => wholeType(type, inLayouts[index], axes));
  const whole = traceClosed(types, (inputs) => {
    const blocks = inputs.map((input, index) => toBlocks(input, inLayouts[index], axes));
    return inline(program, blocks).map((output, index) =>
      fromBlocks(output, outLayouts[index], axes, differs[index]),
    );
  });
  written.set(params, whole);
  return whole;
}

function jvpShardMap(
  inputs: readonly Array[],
  tangents: readonly Tangent[],
  params: ShardMapParams,
): Linearized {
  const { body, inLayouts, outLayouts } = params;
  const active = tangents.map((tangent) => tangent !== null);
  const { program, moving } = jvpProgram(body, active);
  const moved = tangents.filter((tangent) => tangent !== null);
  const results = bind(shardMap, [...inputs, ...moved], {
    ...params,
    body: program,
    inLayouts: [...inLayouts, ...pick(inLayouts, active)],
    outLayouts: [...outLayouts, ...pick(outLayouts, moving)],
  });
  const { items, extras } = unweave(results, moving, []);
  return { outputs: items, tangents: extras };
}

/**
 * Along axes that an output does not mention, its devices are taken to agree: each gets an equal share of the
 * cotangent. Along those that an input does not mention, all devices have it, and their cotangents are summed.
 */
function transposeShardMap(
  cotangents: readonly Tangent[],
  known: readonly (Array | null)[],
  types: readonly ArrayType[],
  params: ShardMapParams,
): Tangent[] {
  const { axes, body, inLayouts, outLayouts } = params;
  const linear = known.map((value) => value === null);
  const given = cotangents.map((cotangent) => cotangent !== null);
  const values = known.filter((value) => value !== null);
  const cts = cotangents.filter((cotangent) => cotangent !== null);
  const linearLayouts = pick(inLayouts, linear);
  const linearTypes = pick(types, linear).map((type, at) => blockType(type, linearLayouts[at], axes));
  const layouts = [...pick(inLayouts, linear, false), ...pick(outLayouts, given)];
  const arranged: Program = {
    ...body,
    inputs: [...pick(body.inputs, linear, false), ...pick(body.inputs, linear)],
  };
  const backward = traceClosed(
    [...values, ...cts].map(({ type }, at) => blockType(type, layouts[at], axes)),
    (inputs) => {
      const [residuals, incoming] = split(inputs, [values.length]) as [Array[], Array[]];
      const shares = incoming.map((cotangent, at) => {
        const copies = countAlong(unmentioned(layouts[values.length + at], axes));
        return copies === 1 ? cotangent : cotangent.div(copies);
      });
      return applyTranspose(arranged, residuals, spread(shares, given)).map((cotangent, at) => {
        const names = unmentioned(linearLayouts[at], axes).map(({ name }) => name);
        if (cotangent === null || names.length === 0) return instantiate(cotangent, linearTypes[at]);
        return bind(psum, [cotangent], { axes: names })[0];
      });
    },
  );
  const results = bind(shardMap, [...values, ...cts], {
    axes,
    body: backward,
    inLayouts: layouts,
    outLayouts: linearLayouts,
  });
  return spread(results, linear);
}

/** Every device works on its blocks of the whole batch. */
function batchShardMap(
  inputs: readonly Array[],
  batched: readonly boolean[],
  params: ShardMapParams,
  size: number,
): Batched {
  const { axes, body, inLayouts, outLayouts } = params;
  const inner = withAxes(axes, () => batchProgram(body, batched, size));
  const inFront = (layouts: readonly Layout[], flags: readonly boolean[]): Layout[] =>
    layouts.map((layout, index) => (flags[index] ? [[], ...layout] : layout));
  const outputs = bind(shardMap, inputs, {
    axes,
    body: inner.program,
    inLayouts: inFront(inLayouts, batched),
    outLayouts: inFront(outLayouts, inner.batched),
  });
  return { outputs, batched: inner.batched };
}

/** The equation with only some of its outputs, and the inputs that these need. */
function narrow(equation: Equation, used: readonly boolean[]): Equation {
  const params = equation.params as ShardMapParams;
  const { body, inLayouts, outLayouts } = params;
  const pruned = pruneProgram({ ...body, outputs: pick(body.outputs, used) });
  const read = variablesRead(pruned);
  const kept = body.inputs.map((input) => read.has(input));
  const narrowed: ShardMapParams = {
    ...params,
    body: { ...pruned, inputs: pick(body.inputs, kept) },
    inLayouts: pick(inLayouts, kept),
    outLayouts: pick(outLayouts, used),
  };
  return {
    ...equation,
    params: narrowed,
    inputs: pick(equation.inputs, kept),
    outputs: pick(equation.outputs, used),
  };
}

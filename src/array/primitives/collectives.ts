// What devices do together. Every device runs the same program on its own blocks; these equations are where they
// meet. Devices that differ along `axes` only form a group, in the order of their positions along `axes`.
import { fail } from "../core/errors.js";
import type { Primitive, Tangent } from "../core/primitive.js";
import type { Equation } from "../core/program.js";
import { bind, bindOne } from "../core/trace.js";
import { arrayType, type ArrayType } from "../core/type.js";
import {
  batchAllToAll,
  batchGather,
  batchIndex,
  batchPermute,
  batchReduction,
  batchScatter,
  sumExamples,
  sumSame,
  type LocalReduction,
} from "./collectiveBatching.js";
import { linearPrimitive, type TransposeOne } from "./linear.js";
import { equal } from "./logic.js";
import { reduceMax, reduceMin } from "./reduce.js";

export interface CollectiveParams {
  readonly axes: readonly string[];
}

export interface TiledParams extends CollectiveParams {
  /** How many devices a group has. */
  readonly size: number;
  /** The dimension along which blocks lie side by side. */
  readonly axis: number;
}

export interface PermuteDevicesParams {
  readonly axes: readonly [string];
  readonly size: number;
  /** Pairs of sender and receiver; who receives nothing gets zeros. */
  readonly pairs: readonly (readonly [from: number, to: number])[];
}

export interface AllToAllParams extends CollectiveParams {
  readonly size: number;
  /** The dimension that is cut, one piece for each device. */
  readonly split: number;
  /** The dimension along which the pieces received are joined. */
  readonly join: number;
}

/** What all collectives share: without others to meet, they cannot run. */
const meeting = (name: string) => ({
  evaluate: (): never =>
    fail(name, "it needs devices to work together: use it in shardMap, or in vmap with an axisName"),
  axes: ({ axes }: CollectiveParams) => axes,
});

const collective = <P extends CollectiveParams>(
  rules: Omit<Primitive<P>, "evaluate" | "axes">,
): Primitive<P> => ({ ...rules, ...meeting(rules.name) });

/** A collective of one array that is linear in it. */
const linear = <P extends CollectiveParams>(
  rules: Pick<Primitive<P>, "name" | "infer" | "batch" | "prune"> & { readonly transpose: TransposeOne<P> },
): Primitive<P> => linearPrimitive<P>({ ...rules, ...meeting(rules.name) });

const same = (inputs: readonly ArrayType[]): ArrayType[] => [...inputs];

const resized = (type: ArrayType, axis: number, resize: (extent: number) => number): ArrayType =>
  arrayType(
    type.shape.map((extent, at) => (at === axis ? resize(extent) : extent)),
    type.dtype,
  );

/** Some of the arrays that are reduced together. */
const narrow = (equation: Equation, wanted: readonly boolean[]): Equation => ({
  ...equation,
  inputs: equation.inputs.filter((_, index) => wanted[index]),
  outputs: equation.outputs.filter((_, index) => wanted[index]),
});

/** A reduction of any number of arrays, which have nothing to do with each other. */
function reduction(
  name: string,
  local: LocalReduction,
  rules: Pick<Primitive<CollectiveParams>, "jvp" | "transpose">,
): Primitive<CollectiveParams> {
  const primitive: Primitive<CollectiveParams> = collective({
    name,
    infer: same,
    batch: (...rule) => batchReduction(primitive, local, ...rule),
    partition(equation, unknown) {
      const isKnown = unknown.map((flag) => !flag);
      const known = isKnown.includes(true) ? [narrow(equation, isKnown)] : [];
      return { known, unknown: [narrow(equation, unknown)] };
    },
    prune: narrow,
    ...rules,
  });
  return primitive;
}

/** The sums of those that are there. */
function sumSome(arrays: readonly Tangent[], params: CollectiveParams): Tangent[] {
  const present = arrays.filter((array) => array !== null);
  if (present.length === 0) return arrays.map(() => null);
  const sums = bind(psum, present, params);
  return arrays.map((array) => (array === null ? null : (sums.shift() ?? null)));
}

/** Any number of arrays, each summed over the group. All devices get the same bits. */
export const psum: Primitive<CollectiveParams> = reduction(
  "psum",
  { reduce: sumExamples, reduceSame: sumSame },
  {
    jvp: (inputs, tangents, params) => ({
      outputs: bind(psum, inputs, params),
      tangents: sumSome(tangents, params),
    }),
    // What a device adds reaches all of them, and each has a cotangent for it.
    transpose: (cotangents, known, _types, params) =>
      sumSome(
        cotangents.map((cotangent, index) => (known[index] === null ? cotangent : null)),
        params,
      ),
  },
);

function extremum(name: string, reduce: typeof reduceMax): Primitive<CollectiveParams> {
  const primitive: Primitive<CollectiveParams> = reduction(
    name,
    { reduce: (x) => bindOne(reduce, [x], { axes: [0] }), reduceSame: (x) => x },
    {
      // The gradient goes to the extreme elements, shared evenly where several are equal.
      jvp(inputs, tangents, params) {
        const outputs = bind(primitive, inputs, params);
        const moved = outputs.map((output, index): Tangent => {
          const tangent = tangents[index];
          if (tangent === null) return null;
          const hits = bindOne(equal, [inputs[index], output], {}).astype(output.dtype);
          const [share] = bind(psum, [hits], params);
          const [sum] = bind(psum, [tangent.mul(hits)], params);
          return sum.div(share);
        });
        return { outputs, tangents: moved };
      },
    },
  );
  return primitive;
}

/** Any number of arrays, of each the largest over the group. */
export const pmax = extremum("pmax", reduceMax);
/** Any number of arrays, of each the smallest over the group. */
export const pmin = extremum("pmin", reduceMin);

/** The blocks of the group, side by side along `axis`. Programs that are split have several arrays in one. */
export const allGather: Primitive<TiledParams> = linear({
  name: "allGather",
  infer: (inputs, { axis, size }) => inputs.map((x) => resized(x, axis, (extent) => extent * size)),
  prune: narrow,
  batch: (...rule) => batchGather(allGather, ...rule),
  transpose: (ct, _known, _types, params) => [bindOne(psumScatter, [ct], params)],
});

/** Sums over the group, of which each device keeps its block along `axis`. Split programs have several in one. */
export const psumScatter: Primitive<TiledParams> = linear({
  name: "psumScatter",
  infer: (inputs, { axis, size }) => inputs.map((x) => resized(x, axis, (extent) => extent / size)),
  prune: narrow,
  batch: (...rule) => batchScatter(psumScatter, ...rule),
  transpose: (ct, _known, _types, params) => [bindOne(allGather, [ct], params)],
});

/** Blocks that change hands. */
export const ppermute: Primitive<PermuteDevicesParams> = linear({
  name: "ppermute",
  infer: same,
  batch: (...rule) => batchPermute(ppermute, ...rule),
  transpose: (ct, _known, _types, { pairs, ...rest }) => [
    bindOne(ppermute, [ct], { ...rest, pairs: pairs.map(([from, to]) => [to, from] as const) }),
  ],
});

/** Each device cuts its block along `split` and gets one piece from every device, joined along `join`. */
export const allToAll: Primitive<AllToAllParams> = linear({
  name: "allToAll",
  infer: ([x], { split, join, size }) => [
    resized(
      resized(x, split, (extent) => extent / size),
      join,
      (extent) => extent * size,
    ),
  ],
  batch: (...rule) => batchAllToAll(allToAll, ...rule),
  transpose: (ct, _known, _types, { split, join, ...rest }) => [
    bindOne(allToAll, [ct], { ...rest, split: join, join: split }),
  ],
});

/** The device's number in its group, an int32 scalar. */
export const axisIndex: Primitive<CollectiveParams> = collective({
  name: "axisIndex",
  infer: () => [arrayType([], "int32")],
  batch: (...rule) => batchIndex(axisIndex, ...rule),
  jvp: (_inputs, _tangents, params) => ({
    outputs: [bindOne(axisIndex, [], params)],
    tangents: [null],
  }),
});

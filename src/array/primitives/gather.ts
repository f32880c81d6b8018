// Reading and writing at computed indices. Each is the other's transpose, so they share a file.
import type { Array } from "../core/array.js";
import { allocate, dtypes, isFloat } from "../core/dtype.js";
import { fail } from "../core/errors.js";
import { constant } from "../core/interpret.js";
import type { Primitive } from "../core/primitive.js";
import { range, sameShape, showShape, sizeOf } from "../core/shape.js";
import { bindOne } from "../core/trace.js";
import { arrayType, showType, type ArrayType } from "../core/type.js";
import { broadcast } from "./broadcast.js";
import { checkDType } from "./elementwise.js";
import { forEachIndex, indexLayout, type GatherParams } from "./indexLayout.js";
import { iota } from "./iota.js";
import { jvpLinear, linearPrimitive, repeatBatch, transposeOne, zeros } from "./linear.js";
import { equal } from "./logic.js";
import { permute, reshape } from "./reshape.js";
import { scatterTangent } from "./scatterDerivatives.js";
import { choose } from "./select.js";

export type { GatherParams } from "./indexLayout.js";

/** `gather(operand [B…, D₁…D_K, rest…], indices [B…, I…, K])` is [B…, I…, rest…]. */
export const gather: Primitive<GatherParams> = linearPrimitive({
  name: "gather",
  infer([x, indices], params) {
    const { batch, positions, rest, indexed } = indexLayout("gather", x, indices, params);
    if (params.mode === "clip" && indexed.includes(0) && sizeOf(positions) > 0) {
      fail("gather", `cannot read from ${showType(x)}, which has no elements along an indexed axis`);
    }
    return [arrayType([...batch, ...positions, ...rest], x.dtype, x.weak)];
  },
  evaluate([x, indices], params, [output]) {
    const layout = indexLayout("gather", x.type, indices.type, params);
    const from = x.elements;
    const out = allocate(x.dtype, sizeOf(output.shape));
    const length = sizeOf(layout.rest);
    forEachIndex(layout, indices.elements, params.mode, (source, row) => {
      if (source >= 0) out.set(from.subarray(source * length, (source + 1) * length), row * length);
    });
    return [out];
  },
  transpose: (ct, [, indices], [type], params) => [
    bindOne(scatter, [zeros(type), ct, indices as Array], { ...params, operation: "add" }),
    null,
  ],
  batch([x, at], [operandBatched, indicesBatched], params, size) {
    const { batchDims } = params;
    if (operandBatched && indicesBatched) {
      return {
        outputs: [bindOne(gather, [x, at], { ...params, batchDims: batchDims + 1 })],
        batched: [true],
      };
    }
    if (batchDims > 0) {
      const both = [operandBatched ? x : repeatBatch(x, size), indicesBatched ? at : repeatBatch(at, size)];
      return { outputs: [bindOne(gather, both, { ...params, batchDims: batchDims + 1 })], batched: [true] };
    }
    if (indicesBatched) return { outputs: [bindOne(gather, [x, at], params)], batched: [true] };
    // Only the operand has a batch: it rides along behind the indexed axes.
    const count = at.shape[at.ndim - 1];
    const behind = [...range(count, 1), 0, ...range(x.ndim - count - 1, count + 1)];
    const picked = bindOne(gather, [permute(x, behind), at], params);
    const axis = at.ndim - 1;
    const front = [axis, ...range(picked.ndim).filter((other) => other !== axis)];
    return { outputs: [permute(picked, front)], batched: [true] };
  },
});

export interface ScatterParams extends GatherParams {
  /** How an update meets what is there. With "set", the last of several updates of one place wins. */
  readonly operation: "set" | "add" | "mul" | "min" | "max";
}

const combine: Record<ScatterParams["operation"], (old: number, update: number) => number> = {
  set: (_, update) => update,
  add: (old, update) => old + update,
  mul: (old, update) => old * update,
  min: Math.min,
  max: Math.max,
};

/** `scatter(operand [B…, D₁…D_K, rest…], updates [B…, I…, rest…], indices [B…, I…, K])`. */
export const scatter: Primitive<ScatterParams> = {
  name: "scatter",
  infer([x, updates, indices], params) {
    checkDType("scatter", [x, updates], dtypes);
    const { batch, positions, rest } = indexLayout("scatter", x, indices, params);
    const expected = [...batch, ...positions, ...rest];
    if (!sameShape(updates.shape, expected)) {
      fail("scatter", `updates must have shape ${showShape(expected)}, got ${showType(updates)}`);
    }
    return [{ ...x, weak: false }];
  },
  evaluate([x, updates, indices], params) {
    const layout = indexLayout("scatter", x.type, indices.type, params);
    const out = x.elements.slice();
    const from = updates.elements;
    const length = sizeOf(layout.rest);
    const step = params.operation === "mul" && !isFloat(x.dtype) ? Math.imul : combine[params.operation];
    forEachIndex(layout, indices.elements, params.mode, (target, row) => {
      if (target < 0) return;
      for (let at = 0; at < length; at++) {
        const place = target * length + at;
        out[place] = step(out[place], from[row * length + at]);
      }
    });
    return [out];
  },
  jvp(inputs, tangents, params) {
    const isLinear = params.operation === "set" || params.operation === "add";
    return isLinear
      ? jvpLinear(scatter, 2, inputs, tangents, params)
      : scatterTangent({ gather, scatter }, inputs, tangents, params);
  },
  transpose: transposeOne((ct, [x, updates, positions], types, params) => {
    const indices = positions as Array;
    const { batchDims, mode, operation } = params;
    const toUpdates = updates === null ? bindOne(gather, [ct, indices], { batchDims, mode }) : null;
    if (operation === "add") return [x === null ? ct : null, toUpdates, null];
    // A product is linear in what was there.
    if (operation === "mul") return [bindOne(scatter, [ct, updates as Array, indices], params), null, null];
    const overwritten = zeros(types[1]);
    return [
      x === null ? bindOne(scatter, [ct, overwritten, indices], params) : null,
      toUpdates && choose(lastWriters(types, indices, params), toUpdates, constant(0, ct.dtype)),
      null,
    ];
  }),
  batch(inputs, batched, params, size) {
    const all = inputs.map((input, index) => (batched[index] ? input : repeatBatch(input, size)));
    return {
      outputs: [bindOne(scatter, all, { ...params, batchDims: params.batchDims + 1 })],
      batched: [true],
    };
  },
};

/** Which updates of a "set" are still there in the end, when several went to one place. */
function lastWriters(types: readonly ArrayType[], indices: Array, params: ScatterParams): Array {
  const [operand, updates] = types as [ArrayType, ArrayType];
  const { batch, indexed } = indexLayout("scatter", operand, indices.type, params);
  const rows = indices.shape.slice(0, -1);
  const count = bindOne(iota, [], { shape: [sizeOf(rows)], axis: 0, dtype: "int32" });
  const ids = bindOne(reshape, [count], { shape: rows });
  const nobody = zeros(arrayType([...batch, ...indexed], "int32"));
  const winners = bindOne(scatter, [nobody, ids, indices], params);
  const { batchDims, mode } = params;
  const won = bindOne(equal, [bindOne(gather, [winners, indices], { batchDims, mode }), ids], {});
  return bindOne(broadcast, [won], { shape: updates.shape, axes: range(rows.length) });
}

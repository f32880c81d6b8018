// Tangents of scatters that are not linear: products and extremes at computed indices.
import type { Array } from "../core/array.js";
import { constant } from "../core/interpret.js";
import type { Linearized, Primitive, Tangent } from "../core/primitive.js";
import { bindOne } from "../core/trace.js";
import type { GatherParams, ScatterParams } from "./gather.js";
import { zeros } from "./linear.js";
import { equal } from "./logic.js";
import { choose } from "./select.js";

/** The primitives themselves, whose file imports this one. */
interface Operations {
  readonly gather: Primitive<GatherParams>;
  readonly scatter: Primitive<ScatterParams>;
}

/** What a scatter computes, with its tangent, for the operations "mul", "min" and "max". */
export function scatterTangent(
  operations: Operations,
  inputs: readonly Array[],
  tangents: readonly Tangent[],
  params: ScatterParams,
): Linearized {
  const [x, updates, indices] = inputs as [Array, Array, Array];
  const [dx, dUpdates] = tangents as [Tangent, Tangent];
  const output = bindOne(operations.scatter, inputs, params);
  if (!dx && !dUpdates) return { outputs: [output], tangents: [null] };
  const parts = { x, updates, output, places: new Places(operations, indices, params) };
  const tangent =
    params.operation === "mul" ? ofProduct(parts, dx, dUpdates) : ofExtreme(parts, dx, dUpdates);
  return { outputs: [output], tangents: [tangent] };
}

/** Reading and adding up at the places of a scatter. */
class Places {
  constructor(
    private readonly operations: Operations,
    readonly indices: Array,
    readonly params: ScatterParams,
  ) {}
  read(x: Array): Array {
    const { batchDims, mode } = this.params;
    return bindOne(this.operations.gather, [x, this.indices], { batchDims, mode });
  }
  write(operation: ScatterParams["operation"], x: Array, updates: Array): Array {
    return bindOne(this.operations.scatter, [x, updates, this.indices], { ...this.params, operation });
  }
}

interface Parts {
  readonly x: Array;
  readonly updates: Array;
  readonly output: Array;
  readonly places: Places;
}

/** The tangents of those that are the extreme, shared evenly where several are equal, as in JAX. */
function ofExtreme({ x, updates, output, places }: Parts, dx: Tangent, dUpdates: Tangent): Array {
  const isOld = bindOne(equal, [x, output], {}).astype(x.dtype);
  const isNew = bindOne(equal, [updates, places.read(output)], {}).astype(x.dtype);
  const count = places.write("add", isOld, isNew);
  const old = dx ? dx.mul(isOld) : zeros(x.type);
  return (dUpdates ? places.write("add", old, dUpdates.mul(isNew)) : old).div(count);
}

/** Each factor's tangent times all the others; with zeros among them too, and several at one place. */
function ofProduct({ x, updates, output, places }: Parts, dx: Tangent, dUpdates: Tangent): Array {
  const old = dx ? places.write("mul", dx, updates) : zeros(x.type);
  if (!dUpdates) return old;
  const [zero, one] = [0, 1].map((value) => constant(value, x.dtype)) as [Array, Array];
  const isZero = bindOne(equal, [updates, zero], {});
  const nonzero = choose(isZero, one, updates);
  const withoutZeros = places.read(places.write("mul", x, nonzero));
  const zeroCount = places.read(places.write("add", zeros(x.type), isZero.astype(x.dtype)));
  const onlyZero = choose(bindOne(equal, [zeroCount, one], {}), withoutZeros, zero);
  const others = choose(isZero, onlyZero, places.read(output).div(nonzero));
  return places.write("add", old, dUpdates.mul(others));
}

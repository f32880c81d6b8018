// The shape and dtype of an array without its elements: a leaf of trees that are planned before they are computed.
import type { Sharding } from "../sharding/namedSharding.js";
import { checked } from "./checked.js";
import { constructible } from "./constructible.js";
import { checkDType, type DType } from "./dtype.js";
import { checkShape, sameShape, sizeOf, type Shape } from "./shape.js";
import { arrayType, showType } from "./type.js";

export interface ShapeDtypeStructOptions {
  /** Where the array shall lie. */
  readonly sharding?: Sharding;
}

class AbstractArray {
  readonly shape: Shape;
  readonly dtype: DType;
  /** Where the array shall lie, if somebody said so. */
  declare readonly sharding?: Sharding;

  constructor(shape: Shape, dtype: DType, sharding?: Sharding) {
    checkDType("ShapeDtypeStruct", dtype);
    this.shape = Object.freeze(checkShape("ShapeDtypeStruct", shape));
    this.dtype = dtype;
    if (sharding !== undefined) {
      sharding.shardShape(this.shape);
      this.sharding = sharding;
    }
    Object.freeze(this);
  }

  get ndim(): number {
    return this.shape.length;
  }

  /** How many elements there are. */
  get size(): number {
    return sizeOf(this.shape);
  }

  equals(other: unknown): boolean {
    return (
      other instanceof AbstractArray &&
      other.dtype === this.dtype &&
      sameShape(other.shape, this.shape) &&
      (this.sharding?.equals(other.sharding) ?? other.sharding === undefined)
    );
  }

  toString(): string {
    const place = this.sharding === undefined ? "" : `, ${this.sharding.toString()}`;
    return `ShapeDtypeStruct(${showType(arrayType(this.shape, this.dtype))}${place})`;
  }
}

const make = checked(
  "ShapeDtypeStruct",
  3,
  ["sharding"],
  (shape: Shape, dtype: DType, { sharding }: ShapeDtypeStructOptions = {}) =>
    new AbstractArray(shape, dtype, sharding),
);

/** An array's shape and dtype, and perhaps where it shall lie: `ShapeDtypeStruct([2048, 1024], "float32")`. */
export type ShapeDtypeStruct = AbstractArray;
export const ShapeDtypeStruct = constructible(make, AbstractArray);

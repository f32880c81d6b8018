// A place in an array, to read and to update: `x.at(i).set(v)`.
import type { Array } from "../core/array.js";
import { type ArrayLike } from "../core/array.js";
import { asArray, asOperand, toDType } from "../core/coerce.js";
import { isFloat, limitOf, promoteDTypes } from "../core/dtype.js";
import { fail } from "../core/errors.js";
import { constant } from "../core/interpret.js";
import { checkChoice, checkFunction } from "../core/rules.js";
import type { ScatterParams } from "../primitives/gather.js";
import { onesLike } from "./creation.js";
import { divide, maximum, minimum, power, where } from "./elementwise.js";
import { parseIndex, type Entry, type Index } from "./indexParsing.js";
import { fitting, readEntries, replaceBlock, scatterAt } from "./indexing.js";

/**
 * What a position outside the array means. "clip": the nearest one inside. "fill" and "drop": reading gives a
 * filler, writing leaves it out. "promise_in_bounds": there is none; if there is, it counts as "clip".
 */
export type IndexMode = "clip" | "fill" | "drop" | "promise_in_bounds";

const modes: readonly IndexMode[] = ["clip", "fill", "drop", "promise_in_bounds"];

export interface UpdateOptions {
  /** What a position outside means; by default it is left out, and a plain number outside is refused. */
  readonly mode?: IndexMode;
}

export interface GetOptions extends UpdateOptions {
  /** What "fill" reads outside. Default NaN, for integers the dtype's smallest (unsigned: largest), for bool true. */
  readonly fillValue?: ArrayLike;
}

/** On bool, sums are or and products are and. */
const onBool = { set: "set", add: "max", mul: "min", min: "min", max: "max" } as const;

/** A place in an array: `x.at(i).set(v)` is x with v there. Updates outside the array are left out. */
export class IndexedUpdate {
  constructor(
    private readonly array: Array,
    private readonly index: readonly Index[],
  ) {}

  /** What is there now. */
  get({ mode, fillValue }: GetOptions = {}): Array {
    const name = "at().get";
    const x = this.array;
    if (fillValue !== undefined && mode !== "fill" && mode !== "drop") {
      fail(name, `fillValue goes with mode "fill", got mode ${JSON.stringify(mode)}`);
    }
    const entries = this.entries(name, mode);
    if (mode !== "fill" && mode !== "drop") return readEntries(x, entries);
    const { dtype } = x;
    const missing = isFloat(dtype) ? NaN : limitOf(dtype, dtype === "int32" ? -1 : 1);
    const filler = fillValue === undefined ? constant(missing, dtype) : toDType(name, fillValue, dtype);
    const isThere = readEntries(onesLike(x, { dtype: "bool" }), entries, "drop");
    return where(isThere, readEntries(x, entries, "drop"), filler);
  }
  set(values: ArrayLike, options: UpdateOptions = {}): Array {
    return this.update("set", values, (_, value) => value, options);
  }
  /** Adds; several updates of one place all count. */
  add(values: ArrayLike, options: UpdateOptions = {}): Array {
    return this.update("add", values, (old, value) => old.add(value), options);
  }
  sub(values: ArrayLike, options: UpdateOptions = {}): Array {
    return this.add(typeof values === "number" ? -values : asArray("at().sub", values).neg(), options);
  }
  mul(values: ArrayLike, options: UpdateOptions = {}): Array {
    return this.update("mul", values, (old, value) => old.mul(value), options);
  }
  /** JAX's name for `mul`. */
  multiply(values: ArrayLike, options: UpdateOptions = {}): Array {
    return this.mul(values, options);
  }
  /** True division: of integers the result is float32. */
  divide(values: ArrayLike, options: UpdateOptions = {}): Array {
    return divide(this.array, this.factors("at().divide", values, options));
  }
  power(values: ArrayLike, options: UpdateOptions = {}): Array {
    return power(this.array, this.factors("at().power", values, options));
  }
  min(values: ArrayLike, options: UpdateOptions = {}): Array {
    return this.update("min", values, minimum, options);
  }
  max(values: ArrayLike, options: UpdateOptions = {}): Array {
    return this.update("max", values, maximum, options);
  }
  /** f of what is there; once, also for a place that is named twice. */
  apply(f: (old: Array) => ArrayLike, options: UpdateOptions = {}): Array {
    checkFunction("at().apply", "f", f);
    return this.set(f(readEntries(this.array, this.entries("at().apply", options.mode))), options);
  }

  private entries(name: string, mode: IndexMode | undefined): Entry[] {
    if (mode !== undefined) checkChoice(name, "mode", mode, modes);
    return parseIndex(name, this.array, this.index, mode === undefined);
  }

  /** An array of ones but for the products of the values at their places. */
  private factors(name: string, values: ArrayLike, options: UpdateOptions): Array {
    const given = asOperand(name, values);
    const { dtype } = promoteDTypes([this.array.type, given.type]);
    return new IndexedUpdate(onesLike(this.array, { dtype }), this.index).mul(given, options);
  }

  private update(
    operation: ScatterParams["operation"],
    values: ArrayLike,
    combine: (old: Array, value: Array) => Array,
    { mode }: UpdateOptions,
  ): Array {
    const x = this.array;
    const name = `at().${operation}`;
    const entries = this.entries(name, mode);
    const update = fitting(name, x, values);
    const isBlock = entries.every(
      (entry) =>
        entry.kind === "position" || entry.kind === "newaxis" || (entry.kind === "range" && entry.step === 1),
    );
    if (isBlock) return replaceBlock(x, entries, update, combine);
    const meeting = x.dtype === "bool" ? onBool[operation] : operation;
    const isMovedInside = mode === "clip" || mode === "promise_in_bounds";
    return scatterAt(name, x, entries, update, meeting, isMovedInside ? "clip" : "drop");
  }
}

// The values of a kernel at one point: which of them are in registers now, and how each is computed.
import type { Address, Combine, Expression, Load, Store } from "../kernel.js";
import { operationCosts } from "../primitives/elementwise.js";
import { expressionsBelow, operandsOf, rootsOf } from "../walk.js";
import { callRandomBits, constantText, operate } from "./operations.js";
import { quadsIn } from "./quads.js";
import { exactTogether, isInexact, type Inexact } from "./quotients.js";
import { variantAxis, type KernelText, type Part, type Reference } from "./surroundings.js";

/**
 * Simple instructions that threads have in a row, roughly, so that the longest waits are filled: about 30 cycles for shared
 * memory, hundreds for what lies farther away.
 */
const enoughInstructions = { near: 160, far: 1280 };
const loadCost = 2;

/** Simple instructions for the values of a point, roughly. */
export function costBelow(roots: readonly Expression[]): number {
  let cost = 0;
  for (const expression of expressionsBelow(roots)) {
    if (expression.kind === "operation") cost += operationCosts[expression.name];
    else if (expression.kind === "load") cost += loadCost;
  }
  return cost;
}

/** How many points a thread works on at once: more the less there is to do at each, and no more than it has. */
export function pointsAtOnce(
  roots: readonly Expression[],
  available: number,
  { isNear = true, most = isNear ? 4 : 8 }: { readonly isNear?: boolean; readonly most?: number } = {},
): number {
  const cost = costBelow(roots);
  const enough = isNear ? enoughInstructions.near : enoughInstructions.far;
  let many = 1;
  while (many < most && 2 * many <= available && 2 * many * cost <= enough) many *= 2;
  return many;
}

/**
 * Everything below some roots that stays the same while positions along some axes change. `isElsewhere` says of which addresses
 * the place changes as well.
 */
export function independentOf(
  roots: readonly Expression[],
  axes: ReadonlySet<number>,
  isElsewhere: (address: Address) => boolean = () => false,
): Expression[] {
  const isMoving = new Set<Expression>();
  const needed = expressionsBelow(roots);
  for (const expression of needed) {
    const moves =
      expression.kind === "reduced" ||
      (expression.kind === "axis" && axes.has(expression.axis)) ||
      (expression.kind === "load" &&
        (isElsewhere(expression.address) ||
          expression.address.strides.some((stride, axis) => stride !== 0 && axes.has(axis)))) ||
      operandsOf(expression).some((operand) => isMoving.has(operand));
    if (moves) isMoving.add(expression);
  }
  return needed.filter((expression) => !isMoving.has(expression));
}

export class Values {
  constructor(
    readonly kernel: KernelText,
    /** The position along an axis: a register or a number. */
    private readonly position: (axis: number) => string,
    /** The result of a reduction. */
    private readonly reduced: (reduction: number) => string = () => "",
    /** Tells values of one point from those of others that are worked on at the same time. */
    private readonly point = "",
    /** Where this does not hold, nothing is read: others may be writing there. */
    private readonly condition: string | null = null,
  ) {}

  private key(expression: Expression): string {
    return `value ${expression.id} ${this.point}`;
  }

  /** A value that is known, of this point or of all that are worked on together. */
  private known(expression: Expression): string | undefined {
    const { out } = this.kernel;
    return out.recall(this.key(expression)) ?? out.recall(`value ${expression.id} `);
  }

  /** Computes values that are not known yet, and all that they need. */
  compute(roots: Iterable<Expression>): void {
    Values.computeAll([this], roots);
  }

  /** Computes the same values of several points, in turn: what one waits for, others fill. */
  static computeAll(points: readonly Values[], roots: Iterable<Expression>): void {
    const needed = expressionsBelow(roots);
    const quads = quadsIn(needed, (address) =>
      points.every(({ kernel }) => kernel.isAlignedToQuads(address)),
    );
    for (const expression of needed) {
      if (expression.kind === "operation" && isInexact(expression)) Values.computeExact(points, expression);
      const together = expression.kind === "load" ? quads.get(expression) : undefined;
      for (const point of points) {
        if (point.known(expression) !== undefined) continue;
        if (together === undefined) point.know(expression, point.computeOne(expression));
        else point.loadQuad(together);
      }
    }
  }

  /** The same where points are neighbours along an axis, four by four, and find what they load side by side. */
  static computeRows(rows: readonly (readonly Values[])[], roots: Iterable<Expression>, axis: number): void {
    const points = rows.flat();
    for (const expression of expressionsBelow(roots)) {
      if (expression.kind === "operation" && isInexact(expression)) Values.computeExact(points, expression);
      const isSide = expression.kind === "load" && expression.address.strides[axis] !== 0;
      for (const row of rows) {
        const [first] = row;
        if (first.known(expression) !== undefined) continue;
        if (isSide) {
          const { address, dtype } = expression;
          const words = first.kernel.loadQuad(first.reference(address), dtype, first.condition);
          row.forEach((point, at) => point.know(expression, words[at]));
        } else if (expression.kind === "load") {
          const word = first.computeOne(expression);
          row.forEach((point) => point.know(expression, word));
        } else row.forEach((point) => point.know(expression, point.computeOne(expression)));
      }
    }
  }

  /** Stores what four neighbours have computed, where a condition holds. */
  static putRow(row: readonly Values[], stores: readonly Store[], condition: string | null): void {
    const [first] = row;
    for (const { address, value } of stores) {
      const words = row.map((point) => point.read(value));
      first.kernel.storeQuad(first.reference(address), address.buffer.dtype, words, condition);
    }
  }

  private static computeExact(points: readonly Values[], expression: Inexact): void {
    const unknown = points.filter((point) => point.known(expression) === undefined);
    if (unknown.length === 0) return;
    const operands = unknown.map((point) => expression.inputs.map((input) => point.read(input)));
    const { out } = unknown[0].kernel;
    exactTogether(out, expression.name, operands).forEach((result, at) =>
      unknown[at].know(expression, result),
    );
  }

  /** Takes a value that was computed elsewhere. */
  know(expression: Expression, register: string): void {
    this.kernel.out.remember(this.key(expression), register);
  }

  read(expression: Expression): string {
    const known = this.known(expression);
    if (known === undefined) throw new Error("a value is used before it is computed");
    return known;
  }

  private computeOne(expression: Expression): string {
    const { out } = this.kernel;
    switch (expression.kind) {
      case "constant":
        return constantText(out, expression.value, expression.dtype);
      case "axis":
        return this.position(expression.axis);
      case "load":
        return this.load(expression);
      case "reduced":
        return this.reduced(expression.reduction);
      case "operation": {
        const { name, dtype, inputs, result } = expression;
        if (name === "threefry2x32" && this.kernel.areCalled)
          return callRandomBits(
            out,
            inputs.map((input) => this.read(input)),
            result,
          );
        const operands = inputs.map((input) => ({ text: this.read(input), dtype: input.dtype }));
        return operate(out, name, dtype, operands, result);
      }
    }
  }

  /** Where an address is at this point. */
  reference(address: Address): Reference {
    const { kernel } = this;
    return kernel.at(kernel.placeAt(address, this.partsOf(address), () => this.position(variantAxis)));
  }

  /** Which element of its buffer an address names. */
  element(address: Address): string {
    const { kernel } = this;
    const { register, constant } = kernel.sum(this.partsOf(address));
    const all = String(address.offset + constant);
    return register === null ? all : kernel.out.pure("add.s32", "b32", register, all);
  }

  private partsOf(address: Address): Part[] {
    return [
      ...this.kernel.partsOf(address),
      ...address.strides.flatMap((factor, axis) =>
        factor === 0 ? [] : [{ operand: this.position(axis), factor }],
      ),
      ...address.computed.map(({ index, stride }) => ({ operand: this.read(index), factor: stride })),
    ];
  }

  private load({ address, guard, dtype }: Load): string {
    const { kernel } = this;
    const condition = kernel.all([this.condition, guard === null ? null : this.read(guard)]);
    return kernel.load(this.reference(address), dtype, condition);
  }

  /** Loads four neighbours. */
  private loadQuad(loads: readonly Load[]): void {
    const { kernel } = this;
    const [{ address, guard, dtype }] = loads;
    const condition = kernel.all([this.condition, guard === null ? null : this.read(guard)]);
    const words = kernel.loadQuad(this.reference(address), dtype, condition);
    loads.forEach((load, at) => this.know(load, words[at]));
  }

  /** Everything that stores need is computed before the first of them. */
  store(stores: readonly Store[], condition: string | null = null): void {
    this.compute(rootsOf(stores));
    this.put(stores, condition);
  }

  /** Stores what has been computed, where a condition holds. */
  put(stores: readonly Store[], condition: string | null = null): void {
    const { kernel } = this;
    for (const { guard, value, combine, address } of stores) {
      const place = this.reference(address);
      const { dtype } = address.buffer;
      const does = kernel.all([condition, guard === null ? null : this.read(guard)]);
      const given = this.read(value);
      const stored =
        combine === "set" ? given : this.combined(combine, kernel.load(place, dtype, does), given, dtype);
      kernel.store(place, dtype, stored, does);
    }
  }

  private combined(
    combine: Exclude<Combine, "set">,
    there: string,
    value: string,
    dtype: Store["value"]["dtype"],
  ): string {
    const ofConditions = combine === "add" || combine === "max" ? "or" : "and";
    const name = dtype === "bool" ? ofConditions : combine;
    const operand = (text: string) => ({ text, dtype });
    return operate(this.kernel.out, name, dtype, [operand(there), operand(value)]);
  }
}

// The values of a kernel at one point: which of them are in registers now, and how each is computed.
import type { Address, Combine, Expression, Load, Store } from "../kernel.js";
import { expressionsBelow, rootsOf } from "../walk.js";
import { constantText, operate } from "./operations.js";
import type { KernelText, Part, Reference } from "./surroundings.js";

export class Values {
  constructor(
    readonly kernel: KernelText,
    /** The position along an axis: a register or a number. */
    private readonly position: (axis: number) => string,
    /** The result of a reduction. */
    private readonly reduced: (reduction: number) => string = () => "",
    /** Tells values of one point from those of others that are worked on at the same time. */
    private readonly point = "",
  ) {}

  private key(expression: Expression): string {
    return `value ${expression.id} ${this.point}`;
  }

  /** Computes values that are not known yet, and all that they need. */
  compute(roots: Iterable<Expression>): void {
    const { out } = this.kernel;
    for (const expression of expressionsBelow(roots)) {
      const key = this.key(expression);
      if (out.recall(key) === undefined) out.remember(key, this.computeOne(expression));
    }
  }

  read(expression: Expression): string {
    const { out } = this.kernel;
    const known = out.recall(this.key(expression));
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
        const operands = inputs.map((input) => ({ text: this.read(input), dtype: input.dtype }));
        return operate(out, name, dtype, operands, result);
      }
    }
  }

  /** Where an address is at this point. */
  reference(address: Address): Reference {
    return this.kernel.reference(address.buffer, address.offset, this.partsOf(address));
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
    const { out } = kernel;
    const place = this.reference(address);
    if (guard === null) return kernel.load(place, dtype);
    const condition = this.read(guard);
    const result = kernel.variable(dtype, dtype === "bool" ? "0" : constantText(out, 0, dtype));
    out.when(condition, () => kernel.assign(dtype, result, kernel.load(place, dtype)));
    return result;
  }

  /** Everything that stores need is computed before the first of them. */
  store(stores: readonly Store[], condition: string | null = null): void {
    const { kernel } = this;
    const { out } = kernel;
    this.compute(rootsOf(stores));
    const found = stores.map((store) => ({ store, place: this.reference(store.address) }));
    out.when(condition, () => {
      for (const { store, place } of found) {
        const { guard, value, combine, address } = store;
        const { dtype } = address.buffer;
        out.when(guard === null ? null : this.read(guard), () => {
          const given = this.read(value);
          const stored =
            combine === "set" ? given : this.combined(combine, kernel.load(place, dtype), given, dtype);
          kernel.store(place, dtype, stored);
        });
      }
    });
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

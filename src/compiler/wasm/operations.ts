// Elementwise operations of kernels: formulas, what takes a loop or a detour through doubles, and basic operations.
import type { Expression, Operation } from "../kernel.js";
import { formulaOf } from "../math/index.js";
import type { Assembler } from "./assembler.js";
import { BasicOperations, bitWidth, isFloat, isSigned, pushConstant, shiftOpcodes, wrap } from "./basics.js";
import { fma, remainder } from "./doubles.js";
import { IntegerMath } from "./integers.js";
import { pushFormula, type Features } from "./math.js";

/** Gives operations their operands. */
export interface Operands {
  /** Pushes a value. */
  readonly push: (expression: Expression) => void;
  /** A local that holds a value; it must not be changed. */
  readonly local: (expression: Expression) => number;
  /** Whether a value is the same in all lanes. */
  readonly isUniform: (expression: Expression) => boolean;
}

export class Operations {
  private readonly basics: BasicOperations<Expression>;

  constructor(
    private readonly asm: Assembler,
    private readonly features: Features,
    private readonly operands: Operands,
  ) {
    this.basics = new BasicOperations(asm, operands.push);
  }

  /** Pushes a constant as all lanes have it. */
  constant({ dtype, value }: Extract<Expression, { kind: "constant" }>): void {
    pushConstant(this.asm, dtype, value);
  }

  /** Pushes the value of an operation. */
  render(operation: Operation): void {
    const { name, inputs } = operation;
    const formula = formulaOf(name, inputs[0].dtype);
    if (formula !== null) {
      pushFormula(this.asm, this.features, formula, (index, isUsedAgain) => {
        const input = inputs[index];
        if (isUsedAgain && input.kind !== "constant") this.asm.get(this.operands.local(input));
        else this.operands.push(input);
      });
      return;
    }
    const detour = detourOf(this.asm, operation);
    if (detour === null) this.basics.render(operation);
    else detour(...inputs.map(this.operands.local));
  }
}

/** What SIMD has no instruction for, as code that takes the operands in locals. */
function detourOf(
  asm: Assembler,
  { name, dtype, inputs }: Operation,
): ((...locals: readonly number[]) => void) | null {
  if (name === "fma") return (x, y, z) => fma(asm, x, y, z);
  if (isFloat(dtype)) return name === "rem" ? (x, y) => remainder(asm, x, y) : null;
  const integers = new IntegerMath(asm);
  const isVariableShift = name in shiftOpcodes && inputs[1].kind !== "constant";
  if (isVariableShift)
    return (x, count) => {
      integers.shift(shiftOpcodes[name], x, count, bitWidth(dtype));
      wrap(asm, dtype);
    };
  if (name !== "div" && name !== "rem" && name !== "pow") return null;
  const method = ({ div: "quotient", rem: "remainder", pow: "power" } as const)[name];
  return (x, y) => {
    integers[method](x, y, isSigned(dtype));
    wrap(asm, dtype);
  };
}

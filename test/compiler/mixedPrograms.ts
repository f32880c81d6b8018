// Random programs over arrays of all dtypes and of zero to three axes. A program is a list of instructions in
// JSON, so that fast-check can shrink and print it: each takes values computed before and adds one, and whatever
// numbers it holds mean something, so that every list is a program.
import fc from "fast-check";
import { np, random, type Array, type DType } from "vibe-rl/array";
import { bounded, control, operations, type OperationName } from "./mixedOperations.js";

export interface Instruction {
  readonly op: OperationName;
  /** Which values it takes, and how; used one after the other. */
  readonly choices: readonly number[];
  /** What loops and branches run. */
  readonly bodies: readonly (readonly Instruction[])[];
}

export interface MixedProgram {
  readonly inputs: readonly { readonly dtype: DType; readonly shape: readonly number[] }[];
  readonly instructions: readonly Instruction[];
  /** Which values are returned, counted from the last. */
  readonly results: readonly number[];
}

/**
 * A value, and whether compiled and interpreted programs have it to the bit: integers, bool, and floats that are
 * small whole numbers. Only such values may decide or select something.
 */
export interface Value {
  readonly array: Array;
  readonly isExact: boolean;
}

/** What an instruction works with: the values so far, and numbers to choose by. */
export class Choice {
  private used = 0;
  /** Whether all values taken so far were exact, and nothing inexact was done to them. */
  isExact = true;

  constructor(
    readonly values: readonly Value[],
    private readonly choices: readonly number[],
    private readonly bodies: readonly (readonly Instruction[])[],
  ) {}

  /** A number from 0 up to but not including `count`. */
  number(count: number): number {
    return this.choices[this.used++ % this.choices.length] % Math.max(1, count);
  }

  of<T>(list: readonly T[]): T {
    return list[this.number(list.length)];
  }

  /** One of the values, small choices standing for recent ones. */
  value(accepts: (value: Value) => boolean = () => true): Value {
    const suitable = this.values.filter(accepts);
    const at = suitable.length - 1 - this.number(suitable.length);
    const chosen = suitable[at] ?? { array: np.int32(3), isExact: true };
    this.isExact &&= chosen.isExact;
    return chosen;
  }

  any(): Array {
    return this.value().array;
  }
  exact(): Array {
    return this.value((value) => value.isExact).array;
  }
  float(): Array {
    return this.value(({ array }) => array.dtype === "float32").array.astype("float32");
  }
  integer(): Array {
    return this.value(({ array }) => !["float32", "bool"].includes(array.dtype)).array;
  }

  /** An array that has an axis. */
  withAxes(): Array {
    const x = this.any();
    return x.ndim === 0 ? x.reshape([1]) : x;
  }

  axis(x: Array): number {
    return this.number(x.ndim);
  }

  /** A computed int32 scalar, inside small arrays or near them. */
  position(): Array {
    const x = this.integer().astype("int32");
    return (x.size === 0 ? np.int32(1) : x.max()).mod(12).sub(4);
  }

  /** Says that the result is near only. */
  inexact(x: Array): Array {
    this.isExact = false;
    return x;
  }

  /** All values after running one of the bodies on further ones. */
  runBody(body: number, further: readonly Value[]): Value[] {
    return run(this.bodies[body] ?? [], [...this.values, ...further]);
  }
}

/** No more than 300 elements. */
function trimmed(x: Array): Array {
  if (x.size <= 300) return x;
  return trimmed(x.slice(...x.shape.map((extent) => `:${Math.ceil(extent / 2)}`)));
}

function run(instructions: readonly Instruction[], values: readonly Value[]): Value[] {
  const all = [...values];
  for (const { op, choices, bodies } of instructions) {
    const choice = new Choice(all, choices, bodies);
    const array = trimmed(bounded(operations[op](choice)));
    all.push({ array, isExact: choice.isExact });
  }
  return all;
}

/** The function that a program stands for. */
export const toFunction =
  ({ instructions, results }: MixedProgram) =>
  (...inputs: Array[]): Array[] => {
    const given = inputs.map((array) => ({ array, isExact: true }));
    const values = run(instructions, given);
    return results.map((result) => values[values.length - 1 - (result % values.length)].array);
  };

/** Arguments for a program: whole numbers. */
export const argumentsFor = ({ inputs }: MixedProgram, seed: number): Array[] =>
  inputs.map(({ dtype, shape }, at) =>
    random.randint(random.key(seed * 10 + at), shape, -6, 7).astype(dtype),
  );

const names = Object.keys(operations) as OperationName[];
const plain = names.filter((name) => !control.includes(name));

/** Random programs. */
export function mixedPrograms(): fc.Arbitrary<MixedProgram> {
  const choices = fc.array(fc.oneof(fc.nat(3), fc.nat(1000)), { minLength: 8, maxLength: 8 });
  const simple = fc.record({ op: fc.constantFrom(...plain), choices, bodies: fc.constant([]) });
  const nested = (depth: number): fc.Arbitrary<Instruction> => {
    if (depth === 0) return simple;
    const body = fc.array(nested(depth - 1), { maxLength: 4 });
    const bodies = fc.array(body, { minLength: 2, maxLength: 2 });
    const compound = fc.record({ op: fc.constantFrom(...control), choices, bodies });
    return fc.oneof({ arbitrary: simple, weight: 6 }, { arbitrary: compound, weight: 1 });
  };
  const some = fc.constantFrom(1, 2, 3, 4, 5, 9, 17);
  const extent = fc.oneof({ arbitrary: some, weight: 15 }, { arbitrary: fc.constant(0), weight: 1 });
  const input = fc.record({
    dtype: fc.constantFrom<DType>("float32", "int32", "uint32", "uint8", "bool"),
    shape: fc
      .array(extent, { maxLength: 3 })
      .map((shape) => (shape.length < 3 ? shape : shape.map((n) => Math.min(n, 5)))),
  });
  return fc.record({
    inputs: fc.array(input, { minLength: 1, maxLength: 3 }),
    instructions: fc.array(nested(2), { minLength: 1, maxLength: 20 }),
    results: fc.array(fc.nat(6), { minLength: 1, maxLength: 4 }),
  });
}

// Printing from inside a traced program.
import { showNested, type Concrete } from "../core/array.js";
import { concrete } from "../core/interpret.js";
import type { Primitive } from "../core/primitive.js";
import { range, sizeOf } from "../core/shape.js";
import { bind } from "../core/trace.js";
import { arrayType } from "../core/type.js";
import { repeatBatch } from "./linear.js";

export interface DebugPrintParams {
  /** Text with a `{name}` for each operand. */
  readonly format: string;
  readonly names: readonly string[];
  /** How many leading axes are batches, each example of which prints a line of its own. */
  readonly batchDims: number;
}

/** Prints its operands when it runs; has no result. */
export const debugPrint: Primitive<DebugPrintParams> = {
  name: "debugPrint",
  effect: true,
  infer: () => [],
  evaluate(inputs, params) {
    printMessage(inputs, params);
    return [];
  },
  jvp(inputs, _tangents, params) {
    bind(debugPrint, inputs, params);
    return { outputs: [], tangents: [] };
  },
  batch(inputs, batched, params, size) {
    const all = inputs.map((input, index) => (batched[index] ? input : repeatBatch(input, size)));
    bind(debugPrint, all, { ...params, batchDims: params.batchDims + 1 });
    return { outputs: [], batched: [] };
  },
};

/** Prints a line for each example of the batch. */
export function printMessage(inputs: readonly Concrete[], params: DebugPrintParams): void {
  const examples = inputs.length === 0 ? 1 : sizeOf(inputs[0].shape.slice(0, params.batchDims));
  for (const example of range(examples)) console.log(formatLine(inputs, params, example));
}

function formatLine(
  inputs: readonly Concrete[],
  { format, names, batchDims }: DebugPrintParams,
  example: number,
): string {
  return names.reduce((text, name, index) => {
    const input = inputs[index];
    const shape = input.shape.slice(batchDims);
    const length = sizeOf(shape);
    const elements = input.elements.subarray(example * length, (example + 1) * length);
    const one = concrete(arrayType(shape, input.dtype), elements);
    return text.replaceAll(`{${name}}`, showNested(one.toArray()));
  }, format);
}

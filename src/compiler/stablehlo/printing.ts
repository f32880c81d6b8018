// debug.print: programs of XLA cannot call the host, so that they write down what to print, in a log that is one of their
// results, and the host prints it when the program has ended.
import { sizeOf, type DebugPrintParams, type DType, type Program } from "../../array/index.js";
import { rules } from "./rule.js";
import { tensor, type TensorType } from "./types.js";
import type { Value, Writer } from "./writer.js";

/** A message that a program prints: each time, its number and then its values, a word for each element. */
export interface LoggedMessage {
  readonly params: DebugPrintParams;
  readonly values: readonly { readonly dtype: DType; readonly shape: readonly number[] }[];
}

/** How many words of messages a run may print; what comes later is lost. */
export const logWords = 2 ** 20;

/** The log of a program: words, and how many of them have been written. */
export class PrintLog {
  /** What goes on through loops and branches; empty for programs that print nothing. */
  state: readonly Value[] = [];
  readonly messages: LoggedMessage[] = [];
  readonly types: readonly TensorType[];
  private readonly longest: number;

  constructor(program: Program) {
    this.longest = longestMessage(program);
    this.types =
      this.longest === 0 ? [] : [tensor([logWords + 2 * this.longest], "int32"), tensor([], "int32")];
  }

  /** How many words there are. */
  get size(): number {
    return this.types[0]?.shape[0] ?? 0;
  }

  begin(writer: Writer): void {
    this.state = this.types.map(({ shape, dtype }) => writer.constant(0, dtype, shape));
  }

  /** Writes a message; once the log is full, to a place behind it that nobody reads. */
  add(writer: Writer, params: DebugPrintParams, values: readonly Value[]): void {
    const [words, written] = this.state;
    const number = writer.constant(this.messages.length, "int32", [1]);
    this.messages.push({
      params,
      values: values.map(({ shape, dtype }) => ({ shape, dtype: dtype as DType })),
    });
    const parts = [number, ...values.map((value) => wordsOf(writer, value))];
    const length = parts.reduce((sum, { shape }) => sum + shape[0], 0);
    const record =
      parts.length === 1 ? number : writer.op("concatenate", parts, tensor([length], "int32"), "dim = 0");
    const isFull = writer.compare("GE", written, writer.constant(logWords, "int32"));
    const place = writer.select(isFull, writer.constant(logWords + this.longest, "int32"), written);
    const next = writer.elementwise("add", [written, writer.constant(length, "int32")]);
    this.state = [
      writer.op("dynamic_update_slice", [words, record, place], tensor(words.shape, "int32")),
      writer.select(isFull, written, next),
    ];
  }
}

/** The elements of a value as int32 words. */
function wordsOf(writer: Writer, value: Value): Value {
  const flat = writer.reshape(value, [sizeOf(value.shape)]);
  if (flat.dtype === "float32" || flat.dtype === "uint32")
    return writer.op("bitcast_convert", [flat], tensor(flat.shape, "int32"));
  return writer.convert(flat, "int32");
}

function longestMessage({ equations }: Program): number {
  return equations.reduce((longest, { primitive, params, inputs }) => {
    const own =
      primitive.name === "debugPrint" ? inputs.reduce((sum, { type }) => sum + sizeOf(type.shape), 1) : 0;
    const inner = (primitive.subPrograms?.(params) ?? []).map(longestMessage);
    return Math.max(longest, own, ...inner);
  }, 0);
}

export const printing = rules({
  debugPrint: ({ log, writer }, { params }, operands) => {
    log.add(writer, params as DebugPrintParams, operands);
    return [];
  },
});

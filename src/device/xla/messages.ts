// What a program has printed: the words of its log, as lines.
import {
  arrayType,
  concrete,
  printMessage,
  sizeOf,
  viewBytes,
  type DType,
  type TypedArray,
} from "../../array/index.js";
import { logWords, type LoggedMessage } from "../../compiler/index.js";
import { warnOnce } from "../../node/index.js";

/** Prints the messages of a log of which so many words were written. */
export function printLog(messages: readonly LoggedMessage[], words: Int32Array, written: number): void {
  let at = 0;
  while (at < Math.min(written, logWords)) {
    const { params, values } = messages[words[at++]];
    const arrays = values.map(({ dtype, shape }) => {
      const size = sizeOf(shape);
      const elements = elementsOf(words.slice(at, at + size), dtype);
      at += size;
      return concrete(arrayType(shape, dtype), elements);
    });
    printMessage(arrays, params);
  }
  if (written >= logWords)
    warnOnce(
      `debug.print on XLA keeps the first ${(4 * logWords) / 2 ** 20} MiB of what one call of a program prints; the rest ` +
        "was lost. Print less often, or make the program's calls shorter",
      "XlaWarning",
    );
}

/** One word for each element; those of narrow dtypes hold their number. */
function elementsOf(words: Int32Array<ArrayBuffer>, dtype: DType): TypedArray {
  if (dtype === "bool" || dtype === "uint8") return Uint8Array.from(words);
  return viewBytes(dtype, words.buffer, 0, words.length);
}

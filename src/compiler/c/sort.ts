// Sorting as C: stable, by pairs of a key's bits and the element's position. Short lanes are sorted by insertion, others
// digit by digit, the lowest first (radix sort), which is the same work for every order of the input.
import type { DType } from "../../array/index.js";
import type { Place, SortKernel } from "../kernel.js";
import { bitsOf, digitBits, shortLane } from "../schedule/sorting.js";
import type { KernelText } from "./surroundings.js";
import { memoryType } from "./types.js";

/** What turns the bits of a key into an unsigned number of the same order. */
export const sortPrelude = `
INLINE unsigned orderOfUnsigned(unsigned x) { return x; }
INLINE unsigned orderOfInt(int x) { return (unsigned)x ^ 0x80000000u; }
INLINE unsigned orderOfFloat(float x) {
  if (x != x) return 0xffffffffu;
  const unsigned bits = floatToBits(x + 0.0f);
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}`;

const orderOf = (dtype: DType): string =>
  dtype === "float32" ? "orderOfFloat" : dtype === "int32" ? "orderOfInt" : "orderOfUnsigned";

export function renderSort(text: KernelText, kernel: SortKernel): void {
  const { out } = text;
  const { lanes, length, stride, outer, keys, values } = kernel;
  const scratch = text.scratch(kernel);
  out.line(`unsigned long long *const pairs0 = (unsigned long long *)${scratch};`);
  out.line(`unsigned long long *const pairs1 = pairs0 + ${length};`);
  out.line(`unsigned *const tables = (unsigned *)(pairs1 + ${length});`);
  const element = (place: Place, position: string) =>
    `${text.pointer(place.buffer)}[${text.offset(place)} + lane + ${stride === 1 ? position : `(long)${position} * ${stride}`}]`;
  const keyOf = (key: Place, position: string) => `${orderOf(key.buffer.dtype)}(${element(key, position)})`;
  /** Puts the elements at one position into another, in every array that is asked for. */
  const move = (from: string, to: string) => {
    values.forEach((value, at) => {
      const type = memoryType(value.to.buffer.dtype);
      const moved = value.from === null ? `(${type})${from}` : element(value.from, from);
      out.line(`const ${type} moved${at} = ${moved};`);
      out.line(`${element(value.to, to)} = moved${at};`);
    });
  };
  const sortByInsertion = (key: Place) => {
    out.block(`for (unsigned at = 0; at < ${length}u; ++at)`, () => {
      out.line(`const unsigned long long inserted = (unsigned long long)${keyOf(key, "at")} << 32 | at;`);
      out.line("unsigned place = at;");
      out.line(
        "for (; place > 0 && pairs0[place - 1] > inserted; --place) pairs0[place] = pairs0[place - 1];",
      );
      out.line("pairs0[place] = inserted;");
    });
    out.block(`for (unsigned at = 0; at < ${length}u; ++at)`, () => {
      out.line("const unsigned from = (unsigned)pairs0[at];");
      move("from", "at");
    });
  };
  const digit = digitBits(length);
  const size = 2 ** digit;
  let current = 0;
  const sortByDigits = (key: Place, isFirst: boolean, isLast: boolean) => {
    const passes = Math.ceil(bitsOf(key.buffer.dtype) / digit);
    out.line(`memset(tables, 0, ${passes * size * 4});`);
    out.block(`for (unsigned at = 0; at < ${length}u; ++at)`, () => {
      out.line(`const unsigned bits = ${keyOf(key, "at")};`);
      for (let pass = 0; pass < passes; pass++)
        out.line(`++tables[${pass * size} + (bits >> ${pass * digit} & ${size - 1}u)];`);
    });
    out.block(`for (unsigned pass = 0; pass < ${passes}; ++pass)`, () => {
      out.line("unsigned sum = 0;");
      out.block(`for (unsigned at = pass * ${size}; at < (pass + 1) * ${size}; ++at)`, () =>
        out.line("const unsigned count = tables[at]; tables[at] = sum; sum += count;"),
      );
    });
    for (let pass = 0; pass < passes; pass++) {
      const [from, to] = current === 0 ? ["pairs0", "pairs1"] : ["pairs1", "pairs0"];
      out.block(`for (unsigned at = 0; at < ${length}u; ++at)`, () => {
        // The first pass makes the pairs, in the order of the keys before.
        if (pass === 0) {
          out.line(`const unsigned position = ${isFirst ? "at" : `(unsigned)${from}[at]`};`);
          out.line(`const unsigned bits = ${keyOf(key, "position")};`);
          out.line("const unsigned long long pair = (unsigned long long)bits << 32 | position;");
        } else {
          out.line(`const unsigned long long pair = ${from}[at];`);
          out.line("const unsigned bits = (unsigned)(pair >> 32);");
        }
        out.line(
          `const unsigned target = tables[${pass * size} + (bits >> ${pass * digit} & ${size - 1}u)]++;`,
        );
        if (isLast && pass === passes - 1) move("(unsigned)pair", "target");
        else out.line(`${to}[target] = pair;`);
      });
      current = 1 - current;
    }
  };
  out.block(`for (long number = 0; number < ${lanes}; ++number)`, () => {
    out.line(`const long lane = number / ${stride} * ${outer} + number % ${stride};`);
    if (keys.length === 1 && length <= shortLane) sortByInsertion(keys[0]);
    else {
      // By the last key first.
      for (let key = keys.length - 1; key >= 0; key--)
        sortByDigits(keys[key], key === keys.length - 1, key === 0);
    }
  });
}

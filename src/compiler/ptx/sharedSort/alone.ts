// All keys sorted by the first block, where they are not spread evenly enough for all blocks.
import type { SortKernel } from "../../kernel.js";
import type { Division } from "../../plan/arena.js";
import { isBefore, sortByNetwork, type Entry } from "../network.js";
import { keyAt, moveValues } from "../sort.js";
import type { KernelText, Reference } from "../surroundings.js";
import type { Moved } from "./again.js";

const padded = (length: number): number => 2 ** Math.ceil(Math.log2(length));

/** Bytes of common memory that it works in. */
export const aloneBytes = ({ length }: SortKernel): number => 8 * padded(length);

/** By keys, then by positions. */
const byKey =
  (text: KernelText) =>
  (a: Entry, b: Entry): string =>
    isBefore(text, [a.key, a.position], [b.key, b.position]);

export function sortAlone(
  text: KernelText,
  kernel: SortKernel,
  { exchange }: Division,
  values: readonly Moved[],
): void {
  const { out, thread, threads } = text;
  const { length, keys } = kernel;
  const size = padded(length);
  const base = out.effect("add.u64", "b64", text.memory, String(exchange));
  const word = (offset: number, index: string): Reference => ({
    space: "global",
    text: `[${out.pure("mad.wide.s32", "b64", index, "4", base)}+${4 * offset}]`,
  });
  const keyPlace = (index: string) => word(0, index);
  const positionPlace = (index: string) => word(size, index);
  const block = out.effect("mov.u32", "b32", "%ctaid.x");
  out.when(out.effect("setp.eq.u32", "pred", block, "0"), () => {
    out.loop(thread, String(size), String(threads), (index) => {
      const key = text.variable("uint32", "-1");
      out.when(out.effect("setp.lt.s32", "pred", index, String(length)), () =>
        text.assign("uint32", key, keyAt(text, kernel, keys[0], "0", index)),
      );
      text.store(keyPlace(index), "uint32", key);
      text.store(positionPlace(index), "uint32", index);
    });
    text.meet();
    sortByNetwork(text, String(size), { keyPlace, positionPlace }, byKey(text));
    out.loop(thread, String(length), String(threads), (index) =>
      moveValues(text, kernel, "0", [{ from: text.load(positionPlace(index), "uint32"), to: index }], values),
    );
  });
}

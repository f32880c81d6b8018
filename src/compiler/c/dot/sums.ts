// The sums of a tile over the depth, in blocks where it is long.
import { cutOf, type Regime } from "../../schedule/sums.js";
import type { CText } from "../text.js";
import { typeOf, type Width } from "../types.js";

/** Declares sums and adds to them over nested loops named k0, k1, …, from the outermost inwards. */
export function sumOver(
  out: CText,
  sums: readonly string[],
  width: Width,
  loops: readonly { readonly extent: number; readonly step: number }[],
  regimes: readonly Regime[],
  add: () => void,
): void {
  const type = typeOf("float32", width);
  const zero = width === 1 ? "0.0f" : "{0}";
  const cut = cutOf(
    loops.map(({ extent, step }) => extent / step),
    regimes,
  );
  const declare = (prefix: string) =>
    out.line(`${type} ${sums.map((sum) => `${prefix}${sum} = ${zero}`).join(", ")};`);
  declare("");
  if (cut !== null) declare("all_");
  if (cut?.isCompensated === true) declare("excess_");
  const endBlock = () => {
    for (const sum of sums) {
      if (cut?.isCompensated === true) {
        out.block("", () => {
          out.line(`const ${type} part = ${sum} - excess_${sum}, next = all_${sum} + part;`);
          out.line(`const ${type} excess = (next - all_${sum}) - part;`);
          // Infinity minus itself is no excess.
          const isNumber = width === 1 ? "-(excess == excess)" : "(excess == excess)";
          const nothing = width === 1 ? "0.0f" : `sf${width}(0.0f)`;
          out.line(`excess_${sum} = SELECTF${width}(${isNumber}, excess, ${nothing});`);
          out.line(`all_${sum} = next;`);
        });
      } else out.line(`all_${sum} = all_${sum} + ${sum};`);
      out.line(`${sum} = ${width === 1 ? "0.0f" : `sf${width}(0.0f)`};`);
    }
  };
  const over = (level: number): void => {
    if (level === loops.length) {
      add();
      return;
    }
    const { extent, step } = loops[level];
    const name = `k${level}`;
    if (cut === null || level !== cut.loop || extent / step <= cut.iterations) {
      out.loop(name, 0, extent, step, () => over(level + 1));
      return;
    }
    const block = cut.iterations * step;
    out.loop("from", 0, extent, block, () => {
      out.line(`const long to = from + ${block} < ${extent} ? from + ${block} : ${extent};`);
      out.loop(name, "from", "to", step, () => over(level + 1));
      endBlock();
    });
  };
  over(0);
  if (cut === null) return;
  endBlock();
  for (const sum of sums) out.line(`${sum} = all_${sum};`);
}

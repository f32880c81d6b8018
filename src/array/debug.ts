// Looking at values inside traced programs.
import { markEntry } from "./core/userCode.js";
import { Array, type ArrayLike } from "./core/array.js";
import { asArray } from "./core/coerce.js";
import { describe, fail } from "./core/errors.js";
import { bind } from "./core/trace.js";
import { debugPrint } from "./primitives/debugPrint.js";

/**
 * Prints when the program runs, also inside `jit`, loops and `vmap` (a line per example). `{}` in the text
 * stands for the next value, `{name}` for a value of a trailing object: `print("loss {}", loss)`,
 * `print("{step}: {loss}", { step, loss })`.
 */
export const print = markEntry(
  (format: string, ...values: readonly (ArrayLike | Readonly<Record<string, ArrayLike>>)[]): void => {
    if (typeof format !== "string")
      fail("debug.print", `the first argument must be a text, got ${describe(format)}`);
    const named = new Map<string, Array>();
    let next = 0;
    let text = format;
    for (const value of values) {
      if (value instanceof Array || typeof value !== "object" || value === null) {
        const name = `#${next++}`;
        if (!text.includes("{}"))
          fail("debug.print", `${values.length} values given, but the text has fewer {}`);
        text = text.replace("{}", `{${name}}`);
        named.set(name, asArray("debug.print", value));
      } else {
        for (const [name, item] of Object.entries(value)) named.set(name, asArray("debug.print", item));
      }
    }
    const missing = /\{(\w*)\}/.exec(
      [...named.keys()].reduce((rest, name) => rest.replaceAll(`{${name}}`, ""), text),
    );
    if (missing !== null) fail("debug.print", `the text has ${missing[0]}, but no value was given for it`);
    const names = [...named.keys()].filter((name) => text.includes(`{${name}}`));
    bind(
      debugPrint,
      names.map((name) => named.get(name) as Array),
      { format: text, names, batchDims: 0 },
    );
  },
  "debug.print",
);

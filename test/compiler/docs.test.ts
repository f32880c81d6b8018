// docs/compiler.md shows what the compiler really makes of its example.
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { grad, lax, nn, np, type Array } from "vibe-rl/array";
import { cRenderer, dumpText } from "../../src/compiler/index.js";
import { compileFor, compileWith } from "./forms.js";

const page = readFileSync(new URL("../../docs/compiler.md", import.meta.url), "utf8");

/** A listing without the numbers of variables, and without the widths of columns that depend on them. */
const plain = (text: string): string =>
  text
    .replaceAll(/\b([a-zA-Z]\w*)_\d+\b/g, "$1")
    .replaceAll(/ +/g, " ")
    .replaceAll(/ +$/gm, "")
    .trim();

it("shows every pass of its example as it is", () => {
  const descend = (start: Array, x: Array, y: Array) => {
    const loss = (w: Array) => np.square(nn.relu(x.matmul(w)).sub(y)).mean();
    return lax.foriLoop(0, 100, (_, w: Array) => w.sub(grad(loss)(w).mul(0.1)), start);
  };
  const args = [np.ones([8, 4]), np.ones([16, 8]), np.ones([16, 4])] as const;
  const forms = compileWith({ fma: false })(descend, ...args);
  const native = compileFor(cRenderer({ lanes: 8, registers: 16 }))(descend, ...args);
  const shown = [...page.matchAll(/^```listing (\w+)\n(.*?)^```/gms)];
  expect(shown.map(([, pass]) => pass)).toEqual(["simplify", "fuse", "plan", "wat", "c", "c"]);
  for (const [, pass, text] of shown) {
    const whole = plain(dumpText(pass, pass === "c" ? native : forms)?.text ?? "");
    // Code is shown in part.
    if (pass === "wat" || pass === "c") expect(whole).toContain(plain(text));
    else expect(plain(text)).toBe(whole);
  }
});

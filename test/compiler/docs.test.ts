// docs/compiler.md shows what the compiler really makes of its example.
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { grad, lax, nn, np, type Array } from "vibe-rl/array";
import { dumpText } from "../../src/compiler/index.js";
import { compileWith } from "./forms.js";

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
  const forms = compileWith({ fma: false })(descend, np.ones([8, 4]), np.ones([16, 8]), np.ones([16, 4]));
  const shown = [...page.matchAll(/^```listing (\w+)\n(.*?)^```/gms)];
  expect(shown.map(([, pass]) => pass)).toEqual(["simplify", "fuse", "plan", "wat"]);
  for (const [, pass, text] of shown) {
    const whole = plain(dumpText(pass, forms)?.text ?? "");
    if (pass === "wat") expect(whole).toContain(plain(text));
    else expect(plain(text)).toBe(whole);
  }
});

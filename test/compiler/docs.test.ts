// docs/compiler.md and docs/gpu.md show what the compiler really makes of their examples.
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { grad, lax, nn, np, type Array } from "vibe-rl/array";
import { cRenderer, dumpText, ptxRenderer } from "../../src/compiler/index.js";
import { compileFor, compileWith } from "./forms.js";

/** The listings of a page, each with what it is of. */
const listingsIn = (page: string): (readonly [pass: string, text: string])[] =>
  [
    ...readFileSync(new URL(`../../docs/${page}.md`, import.meta.url), "utf8").matchAll(
      /^```listing (\w+)\n(.*?)^```/gms,
    ),
  ].map(([, pass, text]) => [pass, text]);

/** A listing without the numbers of variables, and without the widths of columns that depend on them. */
const plain = (text: string): string =>
  text
    .replaceAll(/\b([a-zA-Z]\w*)_\d+\b/g, "$1")
    .replaceAll(/ +/g, " ")
    .replaceAll(/ +$/gm, "")
    .trim();

const descend = (start: Array, x: Array, y: Array) => {
  const loss = (w: Array) => np.square(nn.relu(x.matmul(w)).sub(y)).mean();
  return lax.foriLoop(0, 100, (_, w: Array) => w.sub(grad(loss)(w).mul(0.1)), start);
};

it("shows every pass of its example as it is", () => {
  const args = [np.ones([8, 4]), np.ones([16, 8]), np.ones([16, 4])] as const;
  const forms = compileWith({ fma: false })(descend, ...args);
  const native = compileFor(cRenderer({ lanes: 8, registers: 16 }))(descend, ...args);
  const shown = listingsIn("compiler");
  expect(shown.map(([pass]) => pass)).toEqual(["simplify", "fuse", "plan", "wat", "c", "c"]);
  for (const [pass, text] of shown) {
    const whole = plain(dumpText(pass, pass === "c" ? native : forms)?.text ?? "");
    // Code is shown in part.
    if (pass === "wat" || pass === "c") expect(whole).toContain(plain(text));
    else expect(plain(text)).toBe(whole);
  }
});

it("shows how its example runs on a GPU", () => {
  const args = [np.ones([64, 64]), np.ones([512, 64]), np.ones([512, 64])] as const;
  const forms = compileFor(ptxRenderer({ multiprocessors: 8, sharedBytes: 96 * 1024 }))(descend, ...args);
  /** Without what is chosen by estimates of cycles, which change with every measurement. */
  const rough = (text: string) => plain(text).replaceAll(/, tiles .*$|, \d at once$/gm, "");
  const [[pass, text]] = listingsIn("gpu");
  expect(rough(text)).toBe(rough(dumpText(pass, forms)?.text ?? ""));
});

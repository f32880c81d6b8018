// A bundle of a program that uses the array language works, and holds only what it needs.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Rolldown } from "vite";
import { afterAll, beforeAll, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
let folder = "";

beforeAll(() => {
  // Inside the project, so that "vibe-rl" resolves to it as it would to an installed package.
  mkdirSync(path.join(root, ".cache"), { recursive: true });
  folder = mkdtempSync(path.join(root, ".cache", "bundle-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** What a bundler makes of a program for browsers. */
async function bundle(program: string): Promise<string> {
  const entry = path.join(folder, "program.mjs");
  writeFileSync(entry, program);
  const [{ output }] = (await build({
    root: folder,
    configFile: false,
    logLevel: "silent",
    build: { write: false, minify: false, lib: { entry, formats: ["es"] } },
  })) as Rolldown.RolldownOutput[];
  return output.map((chunk) => ("code" in chunk ? chunk.code : "")).join("\n");
}

function run(code: string): string {
  const file = path.join(folder, "bundle.mjs");
  writeFileSync(file, code);
  return execFileSync(process.execPath, [file], { encoding: "utf8" }).trim();
}

it("keeps the arrays' methods and leaves out functions that nobody calls", { timeout: 60_000 }, async () => {
  const code = await bundle(`
    import { grad, jit, np } from "vibe-rl/array";
    console.log(String(jit(grad((x) => np.exp(x).mul(2).sum()))(np.zeros([2]))));
  `);
  expect(run(code)).toBe("[2. 2.]");
  expect(code).toContain('"np.exp"');
  expect(code).not.toContain('"np.sinh"');
  expect(code).not.toContain('"np.linalg.qr"');
  expect(code).not.toContain('"psumScatter"');
  // Neither C nor what drives GPUs.
  expect(code).not.toContain("vibe_rl_run");
  expect(code).not.toContain("cuLaunchKernel");
});

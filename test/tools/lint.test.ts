// The lint rules that the project relies on find what they are there for, as does the check of types beside them.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const project = mkdtempSync(path.join(tmpdir(), "lint-"));

/** A program with something wrong in each file, to be linted in one go. */
const texts: Readonly<Record<string, string>> = {
  "src/index.ts": 'export * from "./array/index.js";',
  "src/env/index.ts": 'export * from "../array/debug.js";',
  "src/nn/index.ts": 'export * from "../misc/index.js";',
  "src/array/index.ts": 'export * from "./np/index.js";',
  "src/array/upwards.ts": 'export * from "../index.js";',
  "src/array/files.ts": 'export * from "node:fs";',
  "src/runner/files.ts": 'export * from "node:fs";',
  "src/checkpoint/files.ts": 'export * from "node:fs";',
  "src/node/files.ts": 'export * from "node:fs";',
  "src/array/globals.ts": "export const here = process.cwd();",
  "src/array/np/index.ts": "export declare const ones: (shape: number[]) => { readonly ndim: number };",
  "src/array/branch.ts":
    'import { ones } from "./np/index.js";\nexport const f = (): number => (ones([]) ? 1 : 2);',
  "src/array/types.ts": [
    'export const text: number = "a";',
    "// @ts-expect-error nothing is wrong with it",
    "export const fine = 1;",
  ].join("\n"),
};

interface Report {
  readonly diagnostics: readonly {
    readonly filename: string;
    readonly code: string;
    readonly message: string;
  }[];
}

describe("the lint rules", { timeout: 60_000 }, () => {
  const found: Record<string, string[]> = {};
  const typeErrors: Record<string, string[]> = {};
  beforeAll(() => {
    for (const file of [".oxlintrc.json", "tools/layerRule.js"]) {
      cpSync(path.join(root, file), path.join(project, file));
    }
    writeFileSync(path.join(project, "tsconfig.json"), '{ "compilerOptions": { "strict": true } }');
    for (const [file, text] of Object.entries(texts)) {
      mkdirSync(path.dirname(path.join(project, file)), { recursive: true });
      writeFileSync(path.join(project, file), `${text}\n`);
      [found[file], typeErrors[file]] = [[], []];
    }
    const oxlint = path.join(root, "node_modules", "oxlint", "bin", "oxlint");
    const { stdout } = spawnSync(process.execPath, [oxlint, "--type-check", "--format=json", "src"], {
      cwd: project,
      encoding: "utf8",
    });
    for (const { filename, code, message } of (JSON.parse(stdout) as Report).diagnostics) {
      const list = code.startsWith("typescript(TS") ? typeErrors : found;
      list[filename.replaceAll(path.sep, "/")].push(`${code}: ${message}`);
    }
  });

  afterAll(() => rmSync(project, { recursive: true, force: true }));

  it("let a layer import those below it through their index, and itself as it likes", () => {
    expect(found["src/index.ts"]).toEqual([]);
    expect(found["src/array/index.ts"]).toEqual([]);
  });

  it("refuse a layer above, the inside of a layer, and an unknown layer", () => {
    expect(found["src/array/upwards.ts"]).toEqual([
      "vibe-rl(layers): `array` may import only layers below it; `index` is not one.",
    ]);
    expect(found["src/env/index.ts"]).toEqual([
      "vibe-rl(layers): Import `array` through its index, not `debug.js`.",
    ]);
    expect(found["src/nn/index.ts"]).toEqual([
      expect.stringContaining("`misc` is not in the list of layers"),
    ]);
  });

  it("keep Node's modules out of all that must load in a browser, and its globals out of the core", () => {
    for (const layer of ["array", "runner", "checkpoint"]) {
      expect(found[`src/${layer}/files.ts`]).toEqual([expect.stringContaining("no-restricted-imports")]);
    }
    expect(found["src/node/files.ts"]).toEqual([]);
    expect(found["src/array/globals.ts"]).toContainEqual(expect.stringContaining("no-restricted-globals"));
  });

  it("find a branch where JavaScript could not tell: an array in a condition is always true", () => {
    expect(found["src/array/branch.ts"]).toEqual([
      expect.stringMatching(/strict-boolean-expressions.*(always true|truthy)/),
    ]);
  });

  it("find what the compiler finds: wrong types, and mistakes that are expected in vain", () => {
    expect(typeErrors["src/array/types.ts"]).toEqual([
      "typescript(TS2322): Type 'string' is not assignable to type 'number'.",
      "typescript(TS2578): Unused '@ts-expect-error' directive.",
    ]);
    expect(typeErrors["src/array/branch.ts"]).toEqual([]);
  });
});

// The built package: its sub-paths resolve, its types compile for a strict user, its core needs no Node.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
let folder = "";

beforeAll(() => {
  // Inside the project, so that "vibe-rl" resolves to it as it would to an installed package.
  mkdirSync(path.join(root, ".cache"), { recursive: true });
  folder = mkdtempSync(path.join(root, ".cache", "consumer-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const node = (...args: string[]): string =>
  execFileSync(process.execPath, args, { cwd: root, encoding: "utf8" });

describe("the built package", { timeout: 60_000 }, () => {
  it("has every sub-path of its exports", () => {
    const { exports } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as {
      exports: Record<string, { types: string; default: string }>;
    };
    for (const [name, { types }] of Object.entries(exports)) {
      const specifier = `vibe-rl${name.slice(1)}`;
      const script = `import(${JSON.stringify(specifier)}).then((m) => console.log(Object.keys(m).length > 0))`;
      expect([specifier, node("--input-type=module", "-e", script).trim()]).toEqual([specifier, "true"]);
      expect(readFileSync(path.join(root, types), "utf8")).toContain("export");
    }
  });

  it("has types that a strict project can use, without our internals", () => {
    writeFileSync(
      path.join(folder, "user.ts"),
      `import { grad, jit, np, type Array } from "vibe-rl/array";
       const f = jit(grad((x: Array) => x.mul(x).sum()));
       export const y: Array = f(np.ones([3]));
       // @ts-expect-error the elements are internal
       y.elements;`,
    );
    writeFileSync(
      path.join(folder, "tsconfig.json"),
      JSON.stringify({
        compilerOptions: {
          strict: true,
          exactOptionalPropertyTypes: true,
          noUncheckedIndexedAccess: true,
          module: "NodeNext",
          target: "ES2022",
          lib: ["ES2022"],
          types: [],
          noEmit: true,
        },
        files: ["user.ts"],
      }),
    );
    expect(() => node(path.join("node_modules", "typescript", "bin", "tsc"), "-p", folder)).not.toThrow();
  });

  it("has no import in its core but its own files", () => {
    const files = ["array", "compiler", "device", "nn", "env", "agent", "algorithms", "exports"].flatMap(
      (layer) => {
        const folder = path.join(root, "dist", layer);
        const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
        return names.filter((name) => name.endsWith(".js")).map((name) => path.join(folder, name));
      },
    );
    const foreign = files.flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(/\bfrom "([^"]+)"/g)]
        .map((match) => match[1])
        .filter((target) => !target.startsWith(".")),
    );
    expect(files.length).toBeGreaterThan(50);
    expect(foreign).toEqual([]);
  });
});

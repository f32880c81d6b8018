// The built package: its sub-paths resolve, and its modules are ones that bundlers can do their work on.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { readModules, root } from "./modules.js";

const manifest = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as {
  readonly exports: Record<string, { readonly types: string; readonly default: string }>;
  readonly browser: Record<string, string>;
  readonly sideEffects: readonly string[];
};
const modules = readModules();

describe("the built package", () => {
  it("has every sub-path of its exports", () => {
    const names = Object.keys(manifest.exports).map((name) => `vibe-rl${name.slice(1)}`);
    const script = `
      const names = ${JSON.stringify(names)};
      const found = await Promise.all(names.map(async (name) => Object.keys(await import(name)).length > 0));
      process.stdout.write(JSON.stringify(names.filter((_, at) => found[at])));`;
    const output = execFileSync(process.execPath, ["--input-type=module", "-e", script], { cwd: root });
    expect(JSON.parse(output.toString())).toEqual(names);
    for (const { types } of Object.values(manifest.exports)) {
      expect(readFileSync(path.join(root, types), "utf8")).toContain("export");
    }
  });

  it("imports nothing but its own files, the command line and one renderer of pictures aside", () => {
    const foreign = modules
      .filter(({ file }) => !file.startsWith("cli/"))
      .flatMap(({ imports, lazyImports }) => [...imports, ...lazyImports])
      .filter((name) => !name.endsWith(".js"));
    expect(modules.length).toBeGreaterThan(200);
    expect(foreign).toEqual(["@resvg/resvg-wasm"]);
  });

  it("imports in no circle, of which some bundlers warn", () => {
    const importsOf = new Map(modules.map(({ file, imports }) => [file, imports]));
    const done = new Set<string>();
    const visit = (file: string, way: readonly string[]): void => {
      if (way.includes(file)) throw new Error(`a circular import: ${[...way, file].join(" → ")}`);
      if (done.has(file)) return;
      for (const next of importsOf.get(file) ?? []) visit(next, [...way, file]);
      done.add(file);
    };
    for (const { file } of modules) visit(file, []);
  });

  it("names the files that do something when they are loaded, which bundlers must keep", () => {
    // What a mesh offers to functions is of no use where no mesh is.
    const mayGo = ["array/sharding/mesh.js"];
    const acting = modules
      .filter(({ isActing, file }) => isActing && !mayGo.includes(file))
      .map(({ file }) => `./dist/${file}`);
    expect(acting).toContain("./dist/array/np/methods.js");
    expect([...manifest.sideEffects].sort()).toEqual(acting);
  });

  it("has the files that bundles for browsers take instead of others", () => {
    const files = modules.map(({ file }) => `./dist/${file}`);
    for (const pair of Object.entries(manifest.browser)) expect(files).toEqual(expect.arrayContaining(pair));
  });
});

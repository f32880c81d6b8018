// A visitor's TypeScript as a module.
import { describe, expect, it } from "vitest";
import { pack, unpack } from "../../site/playground/editor/pack.js";
import { template } from "../../site/playground/editor/template.js";
import { lineOfMember, SourceError, transpile } from "../../site/playground/editor/transpile.js";

const modules = {
  "vibe-rl/array": "https://host/array.js",
  "vibe-rl/env": "https://host/env.js",
  "vibe-rl": "https://host/all.js",
};

/** Where a text is wrong. */
function problemOf(text: string): string {
  try {
    transpile(text, modules);
  } catch (error) {
    if (error instanceof SourceError) return `${error.line}:${error.column} ${error.message}`;
    throw error;
  }
  return "nothing";
}

describe("transpile", () => {
  it("takes types out, keeps lines, and imports by address", () => {
    const text = [
      'import { np, type Array } from "vibe-rl/array";',
      "interface State {",
      "  readonly x: Array;",
      "}",
      'export * from "vibe-rl";',
      "export default (state: State): Array => np.sin(state.x);",
    ].join("\n");
    const lines = transpile(text, modules).split("\n");
    expect(lines).toHaveLength(6);
    expect(lines[0]).toMatch(/^import \{ ?np,? *\} from "https:\/\/host\/array\.js";$/);
    expect(lines[4]).toBe('export * from "https://host/all.js";');
    expect(lines[5]).toContain("np.sin(state.x)");
    expect(lines[5]).not.toContain("State");
  });

  it("keeps every line of the environment that visitors start from", () => {
    expect(transpile(template, modules).split("\n")).toHaveLength(template.split("\n").length);
  });

  it("says where a text is no TypeScript", () => {
    expect(problemOf("const a = 1;\nconst b = = 2;\n")).toMatch(/^2:11 Syntax error: /);
    expect(problemOf("export default {\n  step() {\n")).toMatch(/^3:1 Syntax error: something is missing/);
  });

  it("says which modules there are where there is no such one", () => {
    expect(problemOf('\nimport { readFileSync } from "node:fs";\nreadFileSync;')).toBe(
      '2:1 there is no module "node:fs" here; there are vibe-rl/array, vibe-rl/env, vibe-rl',
    );
  });
});

describe("lineOfMember", () => {
  it("finds the member that a complaint is about", () => {
    const line = lineOfMember(template, "reward of step must be a float32 scalar, got int32");
    expect(template.split("\n")[(line ?? 0) - 1]).toContain("  step(key, ");
    expect(lineOfMember(template, "something else")).toBe(null);
  });
});

describe("packed texts", () => {
  it("come back as they were", async () => {
    const text = `${template} ✓ ü 😀`;
    const packed = await pack(text);
    expect(packed).toMatch(/^[\w-]+$/);
    expect(packed.length).toBeLessThan(text.length * 0.7);
    expect(await unpack(packed)).toBe(text);
  });

  it("that are cut off are refused in words", async () => {
    const packed = await pack(template);
    await expect(unpack(packed.slice(0, 50))).rejects.toThrow("was the link cut off?");
  });
});

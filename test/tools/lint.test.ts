// The lint rules that the project relies on find what they are there for.
import { ESLint } from "eslint";
import { describe, expect, it } from "vitest";

// Where CI is set, the parser reads files once from the disk; here the text is not what the disk holds.
const parserOptions = { disallowAutomaticSingleRunInference: true };
const eslint = new ESLint({ overrideConfig: { languageOptions: { parserOptions } } });

/** The rules broken by a text, as if it stood in a file of the project. */
async function rulesBroken(text: string, filePath: string): Promise<string[]> {
  const [result] = await eslint.lintText(text, { filePath });
  return result.messages.map((message) => `${message.ruleId ?? "parser"}: ${message.message}`);
}

describe("the layer rule", { timeout: 60_000 }, () => {
  const from = (file: string, target: string) => rulesBroken(`export * from "${target}";\n`, file);

  it("lets a layer import those below it through their index, and itself as it likes", async () => {
    expect(await from("src/index.ts", "./array/index.js")).toEqual([]);
    expect(await from("src/array/index.ts", "./np/index.js")).toEqual([]);
  });

  it("refuses a layer above, the inside of a layer, and an unknown layer", async () => {
    expect(await from("src/array/index.ts", "../index.js")).toEqual([
      "vibe-rl/layers: `array` may import only layers below it; `index` is not one.",
    ]);
    expect(await from("src/index.ts", "./array/debug.js")).toEqual([
      "vibe-rl/layers: Import `array` through its index, not `debug.js`.",
    ]);
    expect(await from("src/index.ts", "./misc/index.js")).toEqual([
      expect.stringContaining("`misc` is not in the list of layers"),
    ]);
  });

  it("keeps imports of Node's modules out of all that must load in a browser", async () => {
    for (const file of ["src/array/index.ts", "src/runner/loop.ts", "src/checkpoint/save.ts"]) {
      expect(await from(file, "node:fs")).toEqual([
        expect.stringContaining("Every layer must load in a browser: take it from src/node"),
      ]);
    }
  });
});

describe("branching on arrays", { timeout: 60_000 }, () => {
  it("is found where JavaScript could not tell: an array in a condition is always true", async () => {
    const text = `import { ones } from "./np/index.js";\nexport const f = () => (ones([]).greater(0) ? 1 : 2);\n`;
    expect(await rulesBroken(text, "src/array/index.ts")).toEqual([
      expect.stringMatching(/strict-boolean-expressions.*always true/),
    ]);
  });
});

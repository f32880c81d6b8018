// The documentation's code compiles, runs, and prints what the documentation says.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const pages = ["README.md", ...readdirSync(path.join(root, "docs")).map((file) => `docs/${file}`)].filter(
  (file) => file.endsWith(".md"),
);

interface Block {
  readonly code: string;
  /** What the page says the block prints, if it says so. */
  readonly output: string | null;
}

/** The blocks marked `ts`, each with the `text` block behind it. */
function blocksOf(page: string): Block[] {
  const fences = [...readFileSync(path.join(root, page), "utf8").matchAll(/^```([^\n]*)\n(.*?)^```/gms)];
  return fences.flatMap(([, language, code], index) => {
    const next = fences[index + 1];
    return language === "ts" ? [{ code, output: next?.[1] === "text" ? next[2] : null }] : [];
  });
}

const mark = "---- end of block ----";

/** Compiles the blocks of a page as one strict module, runs it with Node, and returns what each block printed. */
function run(page: string, blocks: readonly Block[]): string[] {
  const name = page.replaceAll(/\W/g, "_");
  const folder = path.join(root, ".cache", "docs", name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const code = blocks.map((block) => `${block.code}\nconsole.log(${JSON.stringify(mark)});`).join("\n");
  writeFileSync(path.join(folder, "page.ts"), code);
  // The core needs no Node; pages about files say so by what they import.
  const types = code.includes('from "node:') ? ["node"] : [];
  const options = { strict: true, module: "NodeNext", target: "ES2022", lib: ["ES2022", "DOM"], types };
  writeFileSync(
    path.join(folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions: options, files: ["page.ts"] }),
  );
  const node = (...args: string[]) => execFileSync(process.execPath, args, { cwd: root, encoding: "utf8" });
  node(path.join("node_modules", "typescript", "bin", "tsc"), "-p", folder);
  return node(path.join(folder, "page.js")).split(`${mark}\n`);
}

describe("documentation", { timeout: 60_000 }, () => {
  for (const page of pages) {
    const blocks = blocksOf(page);
    it(`${page}: ${blocks.length} blocks of code`, () => {
      if (blocks.length === 0) return;
      const printed = run(page, blocks);
      const shown = blocks.map((block, index) => block.output ?? printed[index]);
      expect(printed.slice(0, -1)).toEqual(shown);
    });
  }
});

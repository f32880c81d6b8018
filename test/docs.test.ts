// The documentation's code compiles, runs, and prints what the documentation says.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { unhurried } from "./unhurried.js";

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

const folder = path.join(root, ".cache", "docs");
const nameOf = (page: string): string => page.replaceAll(/\W/g, "_");
const node = (...args: string[]): string =>
  execFileSync(process.execPath, args, { cwd: root, encoding: "utf8" });

/** Compiles the pages, each a strict module of all its blocks. */
function compile(list: readonly string[]): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const page of list) {
    const blocks = blocksOf(page);
    const code = blocks.map((block) => `${block.code}\nconsole.log(${JSON.stringify(mark)});`).join("\n");
    writeFileSync(path.join(folder, `${nameOf(page)}.ts`), code);
  }
  // The package's own declarations have their test in test/package/types.test.ts.
  const options = {
    strict: true,
    skipLibCheck: true,
    module: "NodeNext",
    target: "ES2022",
    lib: ["ES2022", "DOM"],
  };
  // The core needs no Node; pages about files say so by what they import.
  const groups = [
    { name: "core", types: [], isMeant: (page: string) => !usesNode(page) },
    { name: "node", types: ["node"], isMeant: usesNode },
  ];
  for (const { name, types, isMeant } of groups) {
    const files = list.filter(isMeant).map((page) => `${nameOf(page)}.ts`);
    const config = path.join(folder, `tsconfig.${name}.json`);
    writeFileSync(config, JSON.stringify({ compilerOptions: { ...options, types }, files }));
    if (files.length > 0) node(path.join("node_modules", "typescript-native", "bin", "tsc"), "-p", config);
  }
}

const usesNode = (page: string): boolean =>
  blocksOf(page).some(({ code }) => code.includes('from "node:') || code.includes("process."));

/** A process has one number of devices, so that pages which set it have one for themselves. */
const setsDevices = (page: string): boolean =>
  blocksOf(page).some(({ code }) => code.includes("setCpuDevices"));

const endOfPage = "---- end of page ---- ";

/** What pages print in one process, each up to its end, and what they throw. */
function printedBy(list: readonly string[]): Map<string, string> {
  const files = list.map((page) => path.join(folder, `${nameOf(page)}.js`));
  const runPages = fileURLToPath(new URL("runPages.mjs", import.meta.url));
  const output = node(...unhurried, runPages, endOfPage, ...files);
  const parts = output.split(new RegExp(`^${endOfPage}(.*)\n`, "m"));
  return new Map(list.map((page, at) => [page, parts[2 * at] + (JSON.parse(parts[2 * at + 1]) as string)]));
}

describe("documentation", { timeout: 120_000 }, () => {
  const written = pages.filter((page) => blocksOf(page).length > 0);
  let outputs = new Map<string, string>();
  beforeAll(() => {
    compile(written);
    const together = printedBy(written.filter((page) => !setsDevices(page)));
    outputs = new Map([
      ...together,
      ...written.filter(setsDevices).flatMap((page) => [...printedBy([page])]),
    ]);
  }, 120_000);

  for (const page of written) {
    const blocks = blocksOf(page);
    it(`${page}: ${blocks.length} blocks of code`, () => {
      const printed = outputs.get(page)?.split(`${mark}\n`) ?? [];
      const shown = blocks.map((block, index) => block.output ?? printed[index]);
      expect(printed).toEqual([...shown, ""]);
    });
  }
});

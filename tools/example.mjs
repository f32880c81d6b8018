// Runs an example: npm run example -- fitSine
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import "./build.mjs";

const name = process.argv[2];
const source = `examples/${name}.ts`;
if (name === undefined || !existsSync(source)) {
  const known = readdirSync("examples").filter((file) => file.endsWith(".ts"));
  console.error(`Which example? There are ${known.map((file) => path.basename(file, ".ts")).join(", ")}.`);
  process.exit(2);
}

const { default: typescript } = await import("typescript");
const { outputText } = typescript.transpileModule(readFileSync(source, "utf8"), {
  compilerOptions: { target: typescript.ScriptTarget.ES2022, module: typescript.ModuleKind.ESNext },
});
mkdirSync(".cache", { recursive: true });
const compiled = path.resolve(".cache", `${name}.mjs`);
writeFileSync(compiled, outputText);
await import(pathToFileURL(compiled).href);

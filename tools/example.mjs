// Runs an example: npm run example -- fitSine
import { existsSync, readdirSync } from "node:fs";
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

const { build } = await import("esbuild");
const compiled = path.resolve(".cache", `${name}.mjs`);
// What an example takes from a folder beside it is compiled with it.
await build({
  entryPoints: [source],
  outfile: compiled,
  bundle: true,
  packages: "external",
  // Not the paths of tsconfig.json: an example takes the package as it is built.
  tsconfigRaw: {},
  format: "esm",
  target: "es2022",
  logLevel: "warning",
});
await import(pathToFileURL(compiled).href);

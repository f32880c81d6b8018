// The built package where `@wandb/sdk` is installed: a stand-in that hands all calls on. The repository itself has no
// such package.
import { cpSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Loads modules of dist/ from a project with the stand-in, whose `init` is the given one. */
export function builtWithWandb<Module>(
  file: string,
  init: (options: object) => Promise<object>,
): Promise<Module> {
  const modules = path.join(mkdtempSync(path.join(tmpdir(), "vibe-rl-wandb-")), "node_modules");
  const installed = path.join(modules, "vibe-rl");
  for (const part of ["package.json", "dist"]) {
    cpSync(path.join(root, part), path.join(installed, part), { recursive: true });
  }
  const name = Symbol.for(modules);
  Object.assign(globalThis, { [name]: init });
  const sdk = path.join(modules, "@wandb", "sdk");
  mkdirSync(sdk, { recursive: true });
  writeFileSync(path.join(sdk, "package.json"), JSON.stringify({ type: "module", exports: "./index.js" }));
  writeFileSync(
    path.join(sdk, "index.js"),
    `export default { init: (options) => globalThis[Symbol.for(${JSON.stringify(modules)})](options) };\n`,
  );
  return import(/* @vite-ignore */ pathToFileURL(path.join(installed, "dist", file)).href) as Promise<Module>;
}

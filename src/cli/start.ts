// Which copy of the command line runs. Loading hundreds of modules takes Node about half a second, and the build makes a
// copy of them in one file (tools/bundle.mjs). It is no copy for modules of the user: those import the package by its
// name, and what they register there must be seen here.
import { fileURLToPath } from "node:url";
import { loadCompiled } from "./compiledFile.js";
import type * as commandLine from "./index.js";

/** Commands that load the modules which the directory of a run names. */
const loadingCommands = ["resume", "eval", "video"];

/** What tells Node to load modules before the program. */
const preload = /(?:^|\s)(?:-r|--require|--import|--loader|--experimental-loader)(?=[\s=]|$)/;

/** Whether modules of the user can be loaded beside the command line. */
export const mayLoadModules = (
  list: readonly string[],
  nodeOptions: readonly string[] = [...process.execArgv, process.env.NODE_OPTIONS ?? ""],
): boolean =>
  loadingCommands.includes(list[0]) ||
  list.some((word) => /^--import(?:=|$)/.test(word)) ||
  nodeOptions.some((option) => preload.test(option));

/** Runs a command line of this process; returns its exit code. */
export async function start(list: readonly string[]): Promise<number> {
  if (mayLoadModules(list)) return (await import("./index.js")).main(list);
  const bundle = loadCompiled(fileURLToPath(new URL("../bundle/cli.cjs", import.meta.url)));
  const { main } = bundle.exports as typeof commandLine;
  const code = await main(list);
  // What training needs is most of it; after a short command little would be ready.
  if (list[0] === "train" && code === 0) bundle.keep();
  return code;
}

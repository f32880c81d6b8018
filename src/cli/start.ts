// Which copy of the command line runs. Loading hundreds of modules takes Node about half a second, and the build makes a
// copy of them in a few files (tools/bundle.mjs). It is no copy for modules of the user: those import the package by its
// name, and what they register there must be seen here.
import module from "node:module";

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
  list.some((word) => word === "--import" || word.startsWith("--import=")) ||
  nodeOptions.some((option) => preload.test(option));

const cacheCompiledCode = (module as { readonly enableCompileCache?: () => unknown }).enableCompileCache;

/** Runs a command line of this process; returns its exit code. */
export async function start(list: readonly string[]): Promise<number> {
  // Node 22.1 and newer.
  cacheCompiledCode?.();
  const bundle = new URL("../bundle/cli.js", import.meta.url).href;
  const { main } = mayLoadModules(list)
    ? await import("./index.js")
    : ((await import(bundle)) as typeof import("./index.js"));
  return main(list);
}

// `--import`: modules of the user that register environments, loaded before one is made.
import * as fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { failureCode } from "../files/index.js";
import { UsageError } from "./arguments.js";

const isPath = (word: string): boolean =>
  /^\.{0,2}[/\\]|^[a-z]:[/\\]|^\.{1,2}$|\.[cm]?[jt]s$/i.test(word) || fs.existsSync(path.resolve(word));

/** What a word of `--import` names: a file by its absolute path, or a package. */
function resolved(word: string): string {
  if (word.startsWith("file:")) return fileURLToPath(word);
  return isPath(word) ? path.resolve(word) : word;
}

/** The modules that the values of all `--import` flags name; undefined where there is no such flag. */
export function importsOf(values: readonly string[] | undefined): readonly string[] | undefined {
  if (values === undefined) return undefined;
  if (values.length === 0 || values.includes("")) {
    throw new UsageError("--import takes a file, such as ./snake.js, or the name of a package, got nothing");
  }
  return [...new Set(values.map(resolved))];
}

/** Loads modules, one after the other; `advice` is for files that are not there. */
export async function importAll(imports: readonly string[], advice = ""): Promise<void> {
  for (const name of imports) await importOne(name, advice);
}

async function importOne(name: string, advice: string): Promise<void> {
  const isFile = path.isAbsolute(name);
  if (isFile && fs.statSync(name, { throwIfNoEntry: false })?.isFile() !== true) {
    throw new UsageError(`--import: there is no file ${name}${advice}`);
  }
  try {
    await (isFile ? import(pathToFileURL(name).href) : importPackage(name));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`--import: ${problemOf(name, error)}`, { cause: error });
  }
}

/** A package that is installed beside ours, or where the command is given. */
async function importPackage(name: string): Promise<unknown> {
  try {
    return await import(name);
  } catch (error) {
    if (!isMissing(error, name)) throw error;
  }
  try {
    const found = createRequire(path.resolve("package.json")).resolve(name);
    return await import(pathToFileURL(found).href);
  } catch (error) {
    if (!isMissing(error, name)) throw error;
    throw new UsageError(
      `--import: there is no file ${path.resolve(name)}, nor a package ${name} that is installed here`,
    );
  }
}

/** Whether it is the module itself that was not found, rather than one that it asks for. */
const isMissing = (error: unknown, name: string): boolean =>
  ["ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND", "ERR_UNSUPPORTED_DIR_IMPORT"].includes(
    failureCode(error) ?? "",
  ) && new RegExp(`['"]${name.replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&")}['"]`).test(String(error));

/** What is wrong with a module, with the place in it where it went wrong. */
function problemOf(name: string, error: unknown): string {
  if (failureCode(error) === "ERR_UNKNOWN_FILE_EXTENSION" && /\.[cm]?ts$/.test(name)) {
    return (
      `${name} is TypeScript, which this Node (${process.version}) does not load: compile it (npx tsc) and import ` +
      "the .js file, or take Node 22.18 or newer, which strips types by itself"
    );
  }
  if (!(error instanceof Error)) return `${name} threw ${String(error)}`;
  const { name: kind, message, stack = "" } = error;
  const place = stack
    .split("\n")
    .map((line) => /([^\s/\\()]+:\d+(?::\d+)?)\)?$/.exec(line)?.[1])
    .find((found) => found?.startsWith(`${path.basename(name)}:`));
  return `${name} could not be loaded: ${kind}: ${message}${place === undefined ? "" : ` (${place})`}`;
}

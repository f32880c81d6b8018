// Environments in a worker: one of the library's by its id, or the default export of a visitor's module.
import { make, type Environment } from "vibe-rl/env";
import type { Problem } from "./calls.js";

/** Where an environment comes from: the library, or a module's JavaScript. */
export type EnvSource = { readonly id: string } | { readonly code: string };

const modules = new Map<string, Promise<Environment>>();
/** Addresses of visitors' modules, which stacks and messages show. */
const addresses = new Set<string>();

async function load(code: string): Promise<Environment> {
  const address = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  addresses.add(address);
  const { default: given } = (await import(/* @vite-ignore */ address)) as { default?: unknown };
  const env: unknown = typeof given === "function" ? (given as () => unknown)() : given;
  if (typeof env !== "object" || env === null) {
    throw new Error("the module must `export default` an environment, or a function that returns one");
  }
  return env as Environment;
}

/** An environment and its parameters. */
export async function findEnv(source: EnvSource): Promise<readonly [Environment, unknown]> {
  if ("id" in source) return make(source.id);
  const { code } = source;
  if (!modules.has(code)) modules.set(code, load(code));
  const env = await (modules.get(code) as Promise<Environment>);
  return [env, env.defaultParams()];
}

/** An error as plain data; addresses of visitors' modules become lines of their code. */
export function explain(error: unknown): Problem {
  const { message, stack = "" } = error instanceof Error ? error : { message: String(error) };
  for (const address of addresses) {
    const place = new RegExp(`${address.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")}:(\\d+):(\\d+)`);
    // A message that names a place names the best one: where the library was called.
    const [, line, column] = place.exec(message) ?? place.exec(stack) ?? [];
    if (line === undefined) continue;
    const plain = message.replaceAll(new RegExp(` ?\\(?${place.source}\\)?`, "g"), "");
    return { message: plain, line: Number(line), column: Number(column) };
  }
  return { message, line: null, column: null };
}

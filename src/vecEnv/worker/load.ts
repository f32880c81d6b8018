// The environments of a worker, from the module that its user names.
import { describe, tellNearest } from "../../array/index.js";
import { messageOf, VecEnvError } from "../errors.js";
import { checkedEnv } from "../hostEnvs.js";
import { makeHost } from "../registry.js";
import type { HostEnv } from "../types.js";
import type { LoadRequest } from "./protocol.js";

/** Nothing could be made, and no single environment is to blame. */
export class LoadError extends Error {}

type Factory = (...args: readonly unknown[]) => unknown;

export async function loadEnvs(operation: string, request: LoadRequest): Promise<HostEnv[]> {
  const factory = await factoryOf(request);
  const envs: HostEnv[] = [];
  for (const [at, args] of request.args.entries()) {
    const index = request.first + at;
    let env: unknown;
    try {
      env = await factory(...args);
    } catch (cause) {
      const reason = `its factory threw: ${messageOf(cause)}`;
      throw new VecEnvError(operation, { index, environment: "", reason, cause });
    }
    envs.push(checkedEnv(operation, index, env));
  }
  return envs;
}

async function factoryOf({ url, exportName, id }: LoadRequest): Promise<Factory> {
  let module: Readonly<Record<string, unknown>>;
  try {
    module = (await import(/* @vite-ignore */ /* webpackIgnore: true */ url)) as typeof module;
  } catch (cause) {
    throw new LoadError(`cannot load ${url}: ${messageOf(cause)}`, { cause });
  }
  if (id !== null) return (options) => makeHost(id, options as Readonly<Record<string, unknown>>);
  const name = exportName ?? "default";
  const factory = module[name];
  if (typeof factory === "function") return callerOf(factory as Factory);
  const names = Object.keys(module);
  throw new LoadError(
    factory === undefined
      ? `${url} has no export ${JSON.stringify(name)}; ${names.length === 0 ? "it has none at all" : tellNearest(name, names)}`
      : `the export ${JSON.stringify(name)} of ${url} must be a class or a function that makes an environment, got ${describe(factory)}`,
  );
}

/** A class is called with `new`. */
function callerOf(factory: Factory): Factory {
  const { prototype } = factory as { readonly prototype?: { readonly step?: unknown } };
  const isClass =
    typeof prototype?.step === "function" || /^class\b/.test(Function.prototype.toString.call(factory));
  return isClass ? (...args) => Reflect.construct(factory, args) as unknown : factory;
}

// The registry of environments that are objects: factories by id, for the command line and for workers.
import { describe, fail, tellNearest } from "../array/index.js";
import { listEnvs } from "../env/index.js";
import { hostEnvProblem } from "./hostEnvs.js";
import type { HostEnv } from "./types.js";

/** What a factory is given: settings by name. */
export type HostOptions = Readonly<Record<string, unknown>>;

/** Makes an environment; asynchronously where something is to be loaded first. */
export type HostFactory = (options: HostOptions) => HostEnv | Promise<HostEnv>;

const factories = new Map<string, HostFactory>();

/** The ids that `makeHost` knows, in alphabetical order. */
export const listHostEnvs = (): string[] => [...factories.keys()].sort();

/** Whether `makeHost` knows an id. */
export const isHostEnv = (id: string): boolean => factories.has(id);

/**
 * Makes an environment that is an object known by its id: `registerHost("Snake-v0", () => new Snake())`. An id that is
 * taken, also by `register`, is refused unless `replace` is true.
 */
export function registerHost(
  id: string,
  factory: HostFactory,
  { replace = false }: { readonly replace?: boolean } = {},
): void {
  if (typeof id !== "string" || id.trim() === "") {
    fail("registerHost", `the id must be a text such as "Snake-v0", got ${describe(id)}`);
  }
  if (typeof factory !== "function") {
    fail(
      "registerHost",
      `the factory of ${id} must be a function that makes the environment, got ${describe(factory)}`,
    );
  }
  if (!replace && (factories.has(id) || listEnvs().includes(id))) {
    fail("registerHost", `there is a ${id} already; choose another id, or pass { replace: true }`);
  }
  factories.set(id, factory);
}

/** A new environment of an id. */
export async function makeHost(id: string, options: HostOptions = {}): Promise<HostEnv> {
  const factory = factories.get(id);
  if (factory === undefined) {
    const known = listHostEnvs();
    const hint = known.length === 0 ? "none is registered; call registerHost first" : tellNearest(id, known);
    fail("makeHost", `there is no environment ${describe(id)} that is an object; ${hint}`);
  }
  if (typeof options !== "object" || options === null) {
    fail("makeHost", `the options of ${id} must be an object, got ${describe(options)}`);
  }
  const env = await factory(options);
  const problem = hostEnvProblem(env);
  if (problem !== null) fail("makeHost", `${id} is no environment: it ${problem}`);
  return env;
}

// The registry: environments by id, with their parameters.
import { Array, fail, np, tellNearest, type ArrayLike, type DType } from "../array/index.js";
import { acrobot } from "./builtin/acrobot.js";
import { cartPole } from "./builtin/cartPole.js";
import { gridWorld } from "./builtin/gridWorld.js";
import { asterix, breakout, freeway, seaquest, spaceInvaders } from "./builtin/minatar/index.js";
import { mountainCar } from "./builtin/mountainCar.js";
import { mountainCarContinuous } from "./builtin/mountainCarContinuous.js";
import { pendulum } from "./builtin/pendulum.js";
import { pixelGridWorld } from "./builtin/pixelGridWorld.js";
import type { Environment, ParamsOf } from "./environment.js";
import { rememberId } from "./origin.js";

const builtin = {
  "CartPole-v1": cartPole,
  "Pendulum-v1": pendulum,
  "Acrobot-v1": acrobot,
  "MountainCar-v0": mountainCar,
  "MountainCarContinuous-v0": mountainCarContinuous,
  "GridWorld-v0": gridWorld,
  "PixelGridWorld-v0": pixelGridWorld,
  "Breakout-MinAtar": breakout,
  "Asterix-MinAtar": asterix,
  "Freeway-MinAtar": freeway,
  "SpaceInvaders-MinAtar": spaceInvaders,
  "Seaquest-MinAtar": seaquest,
};

/** The built-in environments by id. */
export type KnownEnvironments = { readonly [Id in keyof typeof builtin]: ReturnType<(typeof builtin)[Id]> };

/** New values for some of the parameters: numbers, booleans or arrays in the place of arrays. */
export type Overrides<P> = {
  readonly [K in keyof P]?: P[K] extends Array ? ArrayLike : Overrides<P[K]>;
};

const factories = new Map<string, () => Environment>(Object.entries(builtin));

/** The ids that `make` knows, in alphabetical order. */
export const listEnvs = (): string[] => [...factories.keys()].sort();

/** Makes an environment known to `make`. An id that is taken is refused unless `replace` is true. */
export function register<S, P>(
  id: string,
  factory: () => Environment<S, P>,
  { replace = false }: { readonly replace?: boolean } = {},
): void {
  if (typeof id !== "string" || id.trim() === "") {
    fail("register", `the id must be a text such as "MyGame-v0", got ${JSON.stringify(id)}`);
  }
  if (typeof factory !== "function") {
    fail(
      "register",
      `the factory of ${id} must be a function that returns the environment, got ${typeof factory}`,
    );
  }
  if (factories.has(id) && !replace) {
    fail("register", `there is a ${id} already; choose another id, or pass { replace: true }`);
  }
  factories.set(id, factory);
}

/** An environment and its parameters, with some of them replaced: `make("CartPole-v1", { gravity: 1.6 })`. */
export function make<Id extends string>(
  id: Id extends keyof KnownEnvironments ? never : Id,
  overrides?: Readonly<Record<string, unknown>>,
): [env: Environment, params: unknown];
export function make<Id extends keyof KnownEnvironments>(
  id: Id,
  overrides?: Overrides<ParamsOf<KnownEnvironments[Id]>>,
): [env: KnownEnvironments[Id], params: ParamsOf<KnownEnvironments[Id]>];
export function make(
  id: string,
  overrides: Readonly<Record<string, unknown>> = {},
): [env: Environment, params: unknown] {
  if (typeof id !== "string") {
    fail("make", `takes the id of an environment such as "CartPole-v1", got ${String(id)}`);
  }
  const factory = factories.get(id);
  if (factory === undefined) {
    fail("make", `there is no environment ${JSON.stringify(id)}; ${tellNearest(id, listEnvs())}`);
  }
  const env = rememberId(factory(), id);
  return [env, override(id, env.defaultParams(), overrides, "")];
}

/** Parameters with some of them replaced; names, numbers, shapes and dtypes are checked. */
function override(id: string, params: unknown, changes: unknown, path: string): unknown {
  if (params instanceof Array) return asLeaf(id, path, params, changes);
  const known = params as Readonly<Record<string, unknown>>;
  if (typeof changes !== "object" || changes === null || changes instanceof Array) {
    const given = path === "" ? "the overrides must be" : `parameter ${path} must be`;
    fail("make", `${given} an object with new values by name, got ${String(changes)}`);
  }
  const next: Record<string, unknown> = { ...known };
  for (const [name, value] of Object.entries(changes)) {
    const place = path === "" ? name : `${path}.${name}`;
    if (!Object.hasOwn(known, name)) {
      fail(
        "make",
        `${id} has no parameter ${JSON.stringify(place)}; ${tellNearest(name, Object.keys(known))}`,
      );
    }
    if (value !== undefined) next[name] = override(id, known[name], value, place);
  }
  return next;
}

function asLeaf(id: string, name: string, leaf: Array, value: unknown): Array {
  const { dtype, shape } = leaf;
  const wanted = `${dtype}${shape.length === 0 ? "" : `[${shape.join()}]`}`;
  if (value instanceof Array) {
    if (value.shape.join() !== shape.join() || (isWhole(dtype) && value.dtype !== dtype)) {
      fail(
        "make",
        `parameter ${name} of ${id} is ${wanted}, got ${value.dtype}[${value.shape.join()}]; to give each ` +
          `environment its own value, make the parameters first and vmap over { ...params, ${name}: values }`,
      );
    }
    return value.astype(dtype);
  }
  if ((typeof value !== "number" && typeof value !== "boolean") || Number.isNaN(value)) {
    fail("make", `parameter ${name} of ${id} must be a number, got ${JSON.stringify(value) ?? typeof value}`);
  }
  if (isWhole(dtype) && !Number.isInteger(Number(value))) {
    fail("make", `parameter ${name} of ${id} must be a whole number (${dtype}), got ${value}`);
  }
  return np.full(shape, value, { dtype });
}

const isWhole = (dtype: DType): boolean => !dtype.startsWith("float");

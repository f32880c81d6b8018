// MuJoCo itself: the package @mujoco/mujoco, loaded when it is first asked for, once for all environments.
import { fail } from "./errors.js";
import type { Mujoco } from "./types.js";

const packageName = "@mujoco/mujoco";

type Importer = (name: string) => Promise<unknown>;

// A name that compilers and bundlers do not know: the package is optional.
const importPackage: Importer = (name) =>
  import(/* @vite-ignore */ /* webpackIgnore: true */ name) as Promise<unknown>;

let loaded: Promise<Mujoco> | undefined;

/** Loads MuJoCo, once. `importer` is for bundlers, which must see an import to follow it: `() => import(…)`. */
export async function loadMujoco(importer: Importer = importPackage): Promise<Mujoco> {
  if (importer !== importPackage) return load(importer);
  loaded ??= load(importer).catch((error: unknown) => {
    // The next call tries again: the package may have been installed.
    loaded = undefined;
    throw error;
  });
  return loaded;
}

async function load(importer: Importer): Promise<Mujoco> {
  let start: unknown;
  try {
    ({ default: start } = (await importer(packageName)) as { readonly default: unknown });
  } catch (error) {
    fail(
      "loadMujoco",
      `the optional package ${packageName} cannot be loaded; install it with \`npm install ${packageName}\` ` +
        "(with a bundler, pass what loadMujoco(() => import(…)) gives as the option `mujoco`)",
      { cause: error },
    );
  }
  if (typeof start !== "function") {
    fail("loadMujoco", `${packageName} should export a function that loads it, but exports ${typeof start}`);
  }
  return (start as () => Promise<Mujoco>)();
}

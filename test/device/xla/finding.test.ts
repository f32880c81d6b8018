// Plugins are found where Python's packages are.
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { findPlugin } from "../../../src/device/xla/finding.js";
import { temporaryFolder } from "../../temporary.js";
import { fakeProblem, newFake } from "./fake.js";

afterEach(() => vi.unstubAllEnvs());

/** A folder in which Python is installed, with JAX's plugin among its packages. */
function pythonWithPlugin(): { readonly root: string; readonly file: string } {
  const root = temporaryFolder();
  const file = path.join(root, "lib/python3.12/site-packages/jax_plugins/xla_cuda12/xla_cuda_plugin.so");
  for (const folder of [path.join(root, "bin"), path.dirname(file)]) mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(root, "bin", "python3"), "");
  copyFileSync(newFake().file, file);
  return { root, file };
}

describe.skipIf(fakeProblem("test/device/xla/finding.test.ts") !== null)("a plugin", () => {
  it.for(["VIRTUAL_ENV", "CONDA_PREFIX", "PATH"])("is found by %s", (name) => {
    const { root, file } = pythonWithPlugin();
    vi.stubEnv(
      name,
      name === "PATH" ? [path.join(root, "none"), path.join(root, "bin")].join(path.delimiter) : root,
    );
    const found = findPlugin();
    expect("problem" in found ? found.problem : found.file).toBe(file);
  });
});

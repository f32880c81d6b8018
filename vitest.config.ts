// Tests import the sources by their own names, or by those that users import the package by; Node loads what was built
// from them.
import path from "node:path";
import { setFlagsFromString } from "node:v8";
import { configDefaults, defineConfig, type Plugin } from "vitest/config";
import { LongestFirst } from "./test/sequencer.js";
import { unhurried } from "./test/unhurried.js";

const deviceTests = "test/**/*.devices.test.ts";
const source = path.join(import.meta.dirname, "src") + path.sep;
const built = path.join(import.meta.dirname, "dist") + path.sep;

/** Devices that only tests have, and what makes them. */
const ownDevices: Readonly<Record<string, string | undefined>> = {
  "emulated ptx": "test/compiler/ptx/backend.ts",
  "checked stablehlo": "test/compiler/stablehlo/backend.ts",
};

/**
 * Takes modules of src/ from dist/, which test/globalSetup.ts keeps up to date. As modules of Node's own (see
 * `server.deps`) they load once in each worker and run at full speed; but `vi.mock` cannot replace what they import.
 */
const asBuilt: Plugin = {
  name: "vibe-rl:as-built",
  enforce: "pre",
  resolveId(id, importer) {
    const named = /^vibe-rl(?:\/(.*))?$/.exec(id);
    let file = id;
    if (named !== null) {
      file = source + (named[1] === undefined ? "index.js" : path.join("exports", `${named[1]}.js`));
    } else if (id.startsWith(".") && importer !== undefined) {
      file = path.resolve(path.dirname(importer), id);
    }
    if (!file.startsWith(source)) return null;
    return built + file.slice(source.length).replace(/\.ts(?=$|\?)/, ".js");
  },
};

// What transforms the tests, too.
setFlagsFromString(unhurried.join(" "));

export default defineConfig({
  plugins: [asBuilt],
  test: {
    globalSetup: "test/globalSetup.ts",
    // Vitest does not see which tests use a source.
    forceRerunTriggers: [...configDefaults.forceRerunTriggers, "**/src/**"],
    // All cores: the default leaves half of them idle. One worker more takes as long, and more of the processors.
    maxWorkers: "100%",
    sequence: { sequencer: LongestFirst },
    execArgv: [...unhurried],
    // Modules are loaded once in each worker, not once in each file.
    isolate: false,
    server: { deps: { external: [/\/dist\//] } },
    // Slow machines are no failure.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    typecheck: { enabled: false },
    projects: [
      {
        extends: true,
        test: {
          ...{ name: "tests", include: ["test/**/*.test.ts"], exclude: [deviceTests] },
          setupFiles: ownDevices[process.env.VIBE_RL_DEVICE ?? ""] ?? [],
        },
      },
      {
        extends: true,
        test: { name: "devices", include: [deviceTests], setupFiles: "test/eightDevices.ts" },
      },
    ],
  },
});

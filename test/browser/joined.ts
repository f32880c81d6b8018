// The built package for pages that open it often: its hundreds of modules joined into few files, at the addresses that
// pages and workers know. test/browser.test.ts has the package as it is.
import { readdirSync, readFileSync, symlinkSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { onceInRun } from "../once.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const built = path.join(root, "dist");

/** Addresses of the package that are not among its exports: programs of workers, and what spmd.html imports. */
const inside = [
  ...["vecEnv/worker/entry.js", "device/wasm/spmd/entry.js", "device/wasm/backend.js"],
  ...["array/index.js", "array/core/trace.js", "array/primitives/collectives.js"],
];

/** Modules keep their own addresses, which are no longer where their code is: workers start from them. */
const addresses: esbuild.Plugin = {
  name: "addresses",
  setup: (build) =>
    build.onLoad({ filter: /[\\/]thread\.js$/ }, ({ path: file }) => {
      const pathname = `/dist/${path.relative(built, file).replaceAll(path.sep, "/")}`;
      const address = `new URL(${JSON.stringify(pathname)}, globalThis.location.origin).href`;
      return { contents: readFileSync(file, "utf8").replaceAll("import.meta.url", address) };
    }),
};

/** A folder with dist/, joined, and test/, for `servePages`. */
export const joinedPackage = (): Promise<string> =>
  onceInRun("joined", async (folder) => {
    const exported = readdirSync(path.join(built, "exports"), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".js"))
      .map((file) => path.join("exports", file));
    await esbuild.build({
      entryPoints: [...exported, ...inside].map((file) => path.join(built, file)),
      outbase: built,
      outdir: path.join(folder, "dist"),
      plugins: [addresses],
      bundle: true,
      format: "esm",
      platform: "browser",
      splitting: true,
      logLevel: "error",
    });
    symlinkSync(path.join(root, "test"), path.join(folder, "test"), "junction");
  });

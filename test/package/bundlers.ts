// The bundlers that users have, each as its documentation says for a page in production.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import type { RollupCache } from "rollup";
import * as esbuild from "esbuild";
import * as vite from "vite";
import type { Stats } from "webpack";
import { isLong } from "../long.js";

export interface Bundle {
  /** What the page loads, below the folder of bundles. */
  readonly entry: string;
  /** Whether the entry is a module, or a classic script. */
  readonly isModule: boolean;
  /** Errors are thrown; these are the warnings. */
  readonly warnings: readonly string[];
}

/** Bundles `<folder>/<program>.js` into `<folder>/<out>/`. */
type Bundler = (folder: string, program: string, out: string) => Promise<Bundle>;

async function withEsbuild(folder: string, program: string, out: string): Promise<Bundle> {
  const { warnings } = await esbuild.build({
    absWorkingDir: folder,
    entryPoints: [`${program}.js`],
    outdir: out,
    bundle: true,
    format: "esm",
    minify: true,
    platform: "browser",
    splitting: true,
    logLevel: "silent",
  });
  return { entry: `${out}/${program}.js`, isModule: true, warnings: warnings.map(({ text }) => text) };
}

/** The package's modules, parsed. */
let parsed: RollupCache | undefined;

async function withRollup(folder: string, program: string, out: string): Promise<Bundle> {
  const { nodeResolve } = await import("@rollup/plugin-node-resolve");
  const { rollup } = await import("rollup");
  const warnings: string[] = [];
  const build = await rollup({
    ...(parsed !== undefined && { cache: parsed }),
    input: path.join(folder, `${program}.js`),
    plugins: [nodeResolve({ browser: true })],
    onwarn: ({ message }) => void warnings.push(message),
  });
  const { output } = await build.generate({ format: "es" });
  await build.close();
  parsed = build.cache;
  mkdirSync(path.join(folder, out), { recursive: true });
  for (const file of output) {
    if (file.type !== "chunk") continue;
    const { code } = await esbuild.transform(file.code, { minify: true, format: "esm" });
    writeFileSync(path.join(folder, out, file.fileName), code);
  }
  return { entry: `${out}/${output[0].fileName}`, isModule: true, warnings };
}

async function withVite(folder: string, program: string, out: string): Promise<Bundle> {
  const warnings: string[] = [];
  // How long plugins take is about the machine, not about the package.
  const warn = (message: string): void => {
    if (!message.includes("[PLUGIN_TIMINGS]")) warnings.push(message);
  };
  const result = await vite.build({
    root: folder,
    base: `/${out}/`,
    configFile: false,
    logLevel: "silent",
    customLogger: { ...vite.createLogger("silent"), warn, warnOnce: warn, error: warn },
    // Its hint is about any page with a chunk of more than 500 kB, not about ours.
    build: {
      outDir: out,
      chunkSizeWarningLimit: 1000,
      rolldownOptions: { input: path.join(folder, `${program}.js`) },
    },
  });
  if (!("output" in result)) throw new Error("vite built something else than one bundle");
  return { entry: `${out}/${result.output[0].fileName}`, isModule: true, warnings };
}

async function withWebpack(folder: string, program: string, out: string): Promise<Bundle> {
  const { default: webpack } = await import("webpack");
  const stats = await new Promise<Stats | undefined>((resolve, reject) =>
    webpack(
      {
        context: folder,
        mode: "production",
        target: "web",
        entry: `./${program}.js`,
        output: { path: path.join(folder, out), filename: `${program}.js` },
        // Its hints are about any page with more than 244 KiB, not about ours.
        performance: { hints: false },
      },
      (error, found) => (error === null ? resolve(found) : reject(error)),
    ),
  );
  const { errors = [], warnings = [] } = stats?.toJson({ all: false, errors: true, warnings: true }) ?? {};
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join("\n"));
  const texts = warnings.map(({ message }) => message);
  return { entry: `${out}/${program}.js`, isModule: false, warnings: texts };
}

/** The one that is quick, or all of them. */
export const bundlers: Readonly<Record<string, Bundler>> = {
  ...(isLong && { Vite: withVite, Rollup: withRollup, webpack: withWebpack }),
  esbuild: withEsbuild,
};

/** A file and those that it imports at once; what is imported later does not count. */
function filesLoadedFirst(file: string): string[] {
  const found = new Set([file]);
  for (const each of found) {
    const imports = readFileSync(each, "utf8").matchAll(/\b(?:from|import)\s*"(\.{1,2}\/[^"]+)"/g);
    for (const match of imports) found.add(path.join(path.dirname(each), match[1]));
  }
  return [...found];
}

/** What a page downloads before it can start, compressed, in kilobytes. */
export const kilobytesLoadedFirst = (folder: string, { entry }: Bundle): number =>
  filesLoadedFirst(path.join(folder, entry))
    .map((file) => gzipSync(readFileSync(file), { level: 9 }).length)
    .reduce((sum, bytes) => sum + bytes / 1000, 0);

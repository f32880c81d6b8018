// The command line in a few files instead of hundreds of modules, which Node loads in a fifth of the time.
import { readFileSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";

/** Modules keep the addresses that they have outside of the bundle: they find other files of the package by them. */
const ownAddresses = (folder, outdir) => ({
  name: "own-addresses",
  setup({ onLoad }) {
    onLoad({ filter: /\.js$/ }, ({ path: file }) => {
      if (!file.startsWith(path.resolve(folder) + path.sep)) return null;
      const place = path.relative(outdir, file).replaceAll(path.sep, "/");
      const address = `new URL(${JSON.stringify(place)}, import.meta.url).href`;
      const contents = readFileSync(file, "utf8").replaceAll(/\bimport\.meta\.url\b/g, address);
      const other = /\bimport\.meta\.(?!url\b)\w+/.exec(contents);
      if (other !== null)
        throw new Error(`${file}: ${other[0]} is another folder in the bundle; go by import.meta.url`);
      return { contents };
    });
  },
});

/** Writes dist/bundle/cli.js and its parts, from the modules of dist/. */
export async function bundleCommandLine(folder) {
  const outdir = path.resolve(folder, "bundle");
  await build({
    entryPoints: { cli: path.join(folder, "cli", "index.js") },
    outdir,
    bundle: true,
    // What only some commands need is loaded with them. All files lie beside each other: addresses are relative to them.
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20.16",
    packages: "external",
    // Names of functions and classes are told in messages.
    keepNames: true,
    legalComments: "none",
    logLevel: "warning",
    plugins: [ownAddresses(folder, outdir)],
  });
}

// The command line in one file instead of hundreds of modules, which Node loads in a tenth of the time.
import { readFileSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";

/** Modules keep the addresses that they have outside of the bundle: they find other files of the package by them. */
const ownAddresses = (folder) => ({
  name: "own-addresses",
  setup({ onLoad }) {
    onLoad({ filter: /\.js$/ }, ({ path: file }) => {
      const place = path.relative(path.join(folder, "bundle"), file).replaceAll(path.sep, "/");
      const address = `new URL(${JSON.stringify(place)}, bundleAddress).href`;
      const contents = readFileSync(file, "utf8").replaceAll(/\bimport\.meta\.url\b/g, address);
      const other = /\bimport\.meta\.\w+/.exec(contents);
      if (other !== null)
        throw new Error(`${file}: there is no ${other[0]} in bundles; go by import.meta.url`);
      return { contents };
    });
  },
});

/** Writes dist/bundle/cli.cjs from the modules of dist/. */
export async function bundleCommandLine(folder) {
  const whole = path.resolve(folder);
  await build({
    entryPoints: [path.join(whole, "cli", "index.js")],
    outfile: path.join(whole, "bundle", "cli.cjs"),
    bundle: true,
    // A script, which V8 can keep what it has compiled of, as it cannot of modules (src/cli/compiledFile.ts).
    format: "cjs",
    platform: "node",
    target: "node20.16",
    packages: "external",
    // Names of functions and classes are told in messages.
    keepNames: true,
    legalComments: "none",
    logLevel: "warning",
    banner: { js: 'const bundleAddress = require("node:url").pathToFileURL(__filename).href;' },
    plugins: [ownAddresses(whole)],
  });
}

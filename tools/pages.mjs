// Builds a page of site/ into a folder that any server, or a folder of one, can serve as it is.
import { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const repository = fileURLToPath(new URL("..", import.meta.url));

// The built package, not the sources: what it says about side effects and pure calls keeps pages small.
const aliases = [
  { find: /^vibe-rl$/, replacement: path.join(repository, "dist", "index.js") },
  { find: /^vibe-rl\/(.*)$/, replacement: path.join(repository, "dist", "exports", "$1.js") },
];

/** Names of addresses that start with a scheme, in what pages load by themselves. */
const outsideAddress = /(?:src|href)\s*=\s*["']?(?:https?:)?\/\/|@import\s+["']https?:|url\(["']?https?:/i;

/** Refuses pages and styles that would ask another server for something. */
const refuseOutsideRequests = {
  name: "refuse-outside-requests",
  generateBundle(_, bundle) {
    for (const [name, file] of Object.entries(bundle)) {
      if (!/\.(html|css)$/.test(name)) continue;
      const text = typeof file.source === "string" ? file.source : Buffer.from(file.source).toString();
      const found = outsideAddress.exec(text);
      if (found !== null)
        this.error(`${name} loads something from elsewhere: ${text.slice(found.index, found.index + 80)}`);
    }
  },
};

/** In place of Vite's own way to load a chunk, which needs a window; scripts also run in workers. */
const importPlainly = {
  name: "import-plainly",
  enforce: "pre",
  load: (id) => (id === "\0vite/preload-helper.js" ? "export const __vitePreload = (load) => load();" : null),
};

/**
 * Builds the page(s) of the folder `root` into `outDir`, whose content it replaces. `pages` names the HTML files, by
 * default index.html; `scripts` are modules that pages start by their addresses, by name; `define` replaces names by
 * constants. Returns the files of the scripts by name. `vibe-rl` must be built before (tools/build.mjs).
 */
export async function buildPage({
  root,
  outDir,
  pages = ["index.html"],
  scripts = {},
  define = {},
  minify = true,
}) {
  const folder = path.resolve(repository, root);
  const { version } = JSON.parse(readFileSync(path.join(repository, "package.json"), "utf8"));
  const { output } = await build({
    configFile: false,
    root: folder,
    base: "./",
    logLevel: "warn",
    // Nothing of the machine that builds goes into a page.
    envDir: false,
    define: { VIBE_RL_VERSION: JSON.stringify(version), ...define },
    resolve: { alias: aliases },
    plugins: [refuseOutsideRequests, ...(Object.keys(scripts).length > 0 ? [importPlainly] : [])],
    worker: { format: "es" },
    build: {
      target: "es2022",
      outDir: path.resolve(repository, outDir),
      emptyOutDir: true,
      minify,
      // Pages are served with a policy that forbids data: addresses.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      chunkSizeWarningLimit: 4096,
      rolldownOptions: {
        input: {
          ...Object.fromEntries(pages.map((page) => [page.replace(/\.html$/, ""), path.join(folder, page)])),
          ...scripts,
        },
        // Scripts keep what they export.
        preserveEntrySignatures: Object.keys(scripts).length > 0 ? "exports-only" : false,
      },
    },
  });
  const entries = output.filter((file) => file.type === "chunk" && file.isEntry && file.name in scripts);
  return Object.fromEntries(entries.map(({ name, fileName }) => [name, fileName]));
}

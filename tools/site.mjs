// Builds the playground and the live examples into build/site/: a folder that any static host serves as it is.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import "./build.mjs";
import { buildPage } from "./pages.mjs";

const repository = fileURLToPath(new URL("..", import.meta.url));
const root = "site/playground";
const worker = path.join(repository, "site/components/worker/entry.ts");
const pages = ["index.html", "live.html"];

/** What a visitor's environment can import. */
const subPaths = ["array", "env", "nn", "agent", "algorithms/ppo", "algorithms/dqn", "algorithms/sac"];
const modules = {
  "vibe-rl": path.join(repository, "dist", "index.js"),
  ...Object.fromEntries(
    subPaths.map((name) => [`vibe-rl/${name}`, path.join(repository, "dist", "exports", `${name}.js`)]),
  ),
};

const attribute = (text) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
const meta = (name, content) => `    <meta name="${name}" content="${attribute(content)}" />\n`;

/** Builds the site into a folder. */
export async function buildSite(outDir = "build/site") {
  const first = await buildPage({ root, outDir, pages, scripts: { worker } });
  // Visitors' environments share their modules with their worker, all of them whole. They are built apart, so that
  // what a page loads first holds only what it uses.
  const whole = await buildPage({
    ...{ root, outDir: path.join(outDir, "own"), pages: [], scripts: { worker, ...modules } },
  });
  const { worker: ownWorker, ...addresses } = Object.fromEntries(
    Object.entries(whole).map(([name, file]) => [name, `own/${file}`]),
  );
  const metas =
    meta("vibe-rl-worker", first.worker) +
    meta("vibe-rl-own-worker", ownWorker) +
    meta("vibe-rl-modules", JSON.stringify(addresses));
  for (const page of pages) {
    const file = path.resolve(repository, outDir, page);
    writeFileSync(file, readFileSync(file, "utf8").replace("</head>", `${metas}  </head>`));
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildSite(process.argv[2]);
  console.log(`The site is in ${process.argv[2] ?? "build/site"}; any static host serves it.`);
}

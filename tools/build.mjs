// Compiles src/ to dist/, bundles the command line and builds the dashboard's page, if anything in src/ or site/ is newer.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import "./setup.mjs";

const stamp = "dist/.built";

const newest = (folder) =>
  Math.max(
    ...readdirSync(folder, { recursive: true, withFileTypes: true }).map(
      (entry) => statSync(path.join(entry.parentPath ?? entry.path, entry.name)).mtimeMs,
    ),
  );

/**
 * Tells bundlers that constants of modules which are made by a call, as `export const tanh = unary(…)`, can be left out
 * where nobody uses them: none of our functions that make such things does anything else.
 */
function markPureCalls(folder) {
  for (const entry of readdirSync(folder, { recursive: true })) {
    if (!entry.endsWith(".js")) continue;
    const file = path.join(folder, entry);
    const code = readFileSync(file, "utf8");
    const marked = code.replaceAll(/^((?:export )?const \w+ = )(?=[\w.]+\()/gm, "$1/* #__PURE__ */ ");
    if (marked !== code) writeFileSync(file, marked);
  }
}

const builtAt = statSync(stamp, { throwIfNoEntry: false })?.mtimeMs ?? 0;
if (builtAt < Math.max(newest("src"), statSync("tsconfig.build.json").mtimeMs)) {
  rmSync("dist", { recursive: true, force: true });
  const compiler = path.join("node_modules", "typescript-native", "bin", "tsc");
  const { status } = spawnSync(process.execPath, [compiler, "-p", "tsconfig.build.json"], {
    stdio: "inherit",
  });
  if (status !== 0) process.exit(status ?? 1);
  markPureCalls("dist");
  const { bundleCommandLine } = await import("./bundle.mjs");
  await bundleCommandLine("dist");
  writeFileSync(stamp, "");
}

const page = "dist/dashboard/page";
const pageBuiltAt = statSync(`${page}/index.html`, { throwIfNoEntry: false })?.mtimeMs ?? 0;
if (pageBuiltAt < Math.max(statSync(stamp).mtimeMs, newest("site/dashboard"), newest("site/components"))) {
  const { buildPage } = await import("./pages.mjs");
  await buildPage({ root: "site/dashboard", outDir: page });
}

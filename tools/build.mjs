// Compiles src/ to dist/ if anything in src/ is newer.
import { spawnSync } from "node:child_process";
import { readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import "./setup.mjs";

const stamp = "dist/.built";

const newest = (folder) =>
  Math.max(
    ...readdirSync(folder, { recursive: true, withFileTypes: true }).map(
      (entry) => statSync(path.join(entry.parentPath ?? entry.path, entry.name)).mtimeMs,
    ),
  );

const builtAt = statSync(stamp, { throwIfNoEntry: false })?.mtimeMs ?? 0;
if (builtAt < Math.max(newest("src"), statSync("tsconfig.build.json").mtimeMs)) {
  rmSync("dist", { recursive: true, force: true });
  const compiler = path.join("node_modules", "typescript", "bin", "tsc");
  const { status } = spawnSync(process.execPath, [compiler, "-p", "tsconfig.build.json"], {
    stdio: "inherit",
  });
  if (status !== 0) process.exit(status ?? 1);
  writeFileSync(stamp, "");
}

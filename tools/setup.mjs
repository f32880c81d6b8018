// Installs the packages of the lockfile if they are missing or older than it. Runs before every npm script,
// so that a fresh clone needs one command only.
import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";

const lockfile = "package-lock.json";
const installed = "node_modules/.package-lock.json";
const isCurrent = existsSync(installed) && statSync(installed).mtimeMs >= statSync(lockfile).mtimeMs;

if (!isCurrent) {
  console.log("Installing packages …");
  const { status, error } = spawnSync("npm", ["ci", "--no-audit", "--no-fund"], {
    stdio: "inherit",
    // npm is a script that only a shell can start on Windows.
    shell: process.platform === "win32",
  });
  if (status !== 0) {
    console.error(`npm ci failed${error ? `: ${error.message}` : ""}; see above, then run the command again`);
    process.exit(status ?? 1);
  }
}

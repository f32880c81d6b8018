// Installs the packages of the lockfile if they are missing or older than it. Runs before every npm script,
// so that a fresh clone needs one command only.
import { spawnSync } from "node:child_process";
import { existsSync, lstatSync, realpathSync, statSync } from "node:fs";

const lockfile = "package-lock.json";
const folder = "node_modules";
const installed = `${folder}/.package-lock.json`;
const isCurrent = existsSync(installed) && statSync(installed).mtimeMs >= statSync(lockfile).mtimeMs;
const isLink = lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;

if (!isCurrent && isLink) {
  // npm ci would empty the folder that somebody else shares with us.
  const target = existsSync(folder) ? realpathSync(folder) : "a folder that is not there";
  console.warn(
    `${folder} is a link to ${target} and is left as it is; run npm ci there if a package is missing`,
  );
} else if (!isCurrent) {
  console.log("Installing packages …");
  // No package needs a script to be installed.
  const { status, error } = spawnSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], {
    stdio: "inherit",
    // npm is a script that only a shell can start on Windows.
    shell: process.platform === "win32",
  });
  if (status !== 0) {
    console.error(`npm ci failed${error ? `: ${error.message}` : ""}; see above, then run the command again`);
    process.exit(status ?? 1);
  }
}

// A project that has installed the package from its tarball, as users do.
import { execFileSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { root } from "./modules.js";

const programs = fileURLToPath(new URL("programs", import.meta.url));

export interface Project {
  readonly folder: string;
  readonly remove: () => void;
}

/** Packs what is built, and installs it beside the programs of this folder. Needs no network. */
export function installedProject(): Project {
  const folder = mkdtempSync(path.join(tmpdir(), "vibe-rl-project-"));
  writeFileSync(path.join(folder, "package.json"), JSON.stringify({ name: "project", type: "module" }));
  cpSync(programs, folder, { recursive: true });
  execFileSync("npm", ["pack", "--ignore-scripts", "--pack-destination", folder], {
    cwd: root,
    stdio: "pipe",
    // npm is a script that only a shell can start on Windows.
    shell: process.platform === "win32",
  });
  const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz"));
  if (tarball === undefined) throw new Error(`npm pack left no tarball in ${folder}`);
  execFileSync("tar", ["-xzf", tarball], { cwd: folder });
  mkdirSync(path.join(folder, "node_modules", "@resvg"), { recursive: true });
  renameSync(path.join(folder, "package"), path.join(folder, "node_modules", "vibe-rl"));
  const dependency = path.join("node_modules", "@resvg", "resvg-wasm");
  symlinkSync(path.join(root, dependency), path.join(folder, dependency), "junction");
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

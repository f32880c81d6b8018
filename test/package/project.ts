// A project that has installed the package from its tarball, as users do.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { onceInRun } from "../once.js";
import { root } from "./modules.js";

const programs = fileURLToPath(new URL("programs", import.meta.url));

export interface Project {
  readonly folder: string;
  readonly remove: () => void;
}

/** The package as its tarball has it, in a folder `package`. Needs no network. */
export async function unpackedPackage(): Promise<string> {
  const folder = await onceInRun("package", (into) => {
    execFileSync("npm", ["pack", "--ignore-scripts", "--pack-destination", into], {
      cwd: root,
      stdio: "pipe",
      // npm is a script that only a shell can start on Windows.
      shell: process.platform === "win32",
    });
    const tarball = readdirSync(into).find((name) => name.endsWith(".tgz"));
    if (tarball === undefined) throw new Error(`npm pack left no tarball in ${into}`);
    execFileSync("tar", ["-xzf", tarball], { cwd: into });
  });
  return path.join(folder, "package");
}

/** A project with the package installed beside the programs of this folder. */
export async function installedProject(): Promise<Project> {
  const folder = mkdtempSync(path.join(tmpdir(), "vibe-rl-project-"));
  writeFileSync(path.join(folder, "package.json"), JSON.stringify({ name: "project", type: "module" }));
  cpSync(programs, folder, { recursive: true });
  mkdirSync(path.join(folder, "node_modules", "@resvg"), { recursive: true });
  cpSync(await unpackedPackage(), path.join(folder, "node_modules", "vibe-rl"), { recursive: true });
  const dependency = path.join("node_modules", "@resvg", "resvg-wasm");
  symlinkSync(path.join(root, dependency), path.join(folder, dependency), "junction");
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

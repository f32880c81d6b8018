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

/** The package's tarball. Needs no network. */
async function tarball(): Promise<string> {
  const folder = await onceInRun("package", (into) => {
    execFileSync("npm", ["pack", "--ignore-scripts", "--pack-destination", into], {
      cwd: root,
      stdio: "pipe",
      // npm is a script that only a shell can start on Windows.
      shell: process.platform === "win32",
    });
  });
  const name = readdirSync(folder).find((file) => file.endsWith(".tgz"));
  if (name === undefined) throw new Error(`npm pack left no tarball in ${folder}`);
  return path.join(folder, name);
}

/** Puts the package, as its tarball has it, into a folder. */
export async function unpackPackage(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const archive = path.relative(folder, await tarball());
  execFileSync("tar", ["-xzf", archive, "--strip-components=1"], { cwd: folder });
}

/** A project with the package installed beside the programs of this folder. */
export async function installedProject(): Promise<Project> {
  const folder = mkdtempSync(path.join(tmpdir(), "vibe-rl-project-"));
  writeFileSync(path.join(folder, "package.json"), JSON.stringify({ name: "project", type: "module" }));
  cpSync(programs, folder, { recursive: true });
  mkdirSync(path.join(folder, "node_modules", "@resvg"), { recursive: true });
  await unpackPackage(path.join(folder, "node_modules", "vibe-rl"));
  const dependency = path.join("node_modules", "@resvg", "resvg-wasm");
  symlinkSync(path.join(root, dependency), path.join(folder, dependency), "junction");
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

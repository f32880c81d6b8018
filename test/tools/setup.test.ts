// Installing packages: what tools/setup.mjs does to a project's node_modules, without a network.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../temporary.js";

const script = fileURLToPath(new URL("../../tools/setup.mjs", import.meta.url));

/** A project that needs no packages, with a lockfile. */
function newProject(): string {
  const project = temporaryFolder();
  const manifest = { name: "project", version: "1.0.0" };
  writeFileSync(path.join(project, "package.json"), JSON.stringify(manifest));
  const lockfile = { ...manifest, lockfileVersion: 3, requires: true, packages: { "": manifest } };
  writeFileSync(path.join(project, "package-lock.json"), JSON.stringify(lockfile));
  return project;
}

const setUp = (project: string) => spawnSync(process.execPath, [script], { cwd: project, encoding: "utf8" });

describe("tools/setup.mjs", () => {
  it("installs in a fresh clone", () => {
    const project = newProject();
    mkdirSync(path.join(project, "node_modules"));
    writeFileSync(path.join(project, "node_modules", "stale.js"), "");
    const { status, stdout } = setUp(project);
    expect([status, stdout]).toEqual([0, expect.stringContaining("Installing packages")]);
    expect(existsSync(path.join(project, "node_modules", "stale.js"))).toBe(false);
  });

  it("leaves packages alone that a linked node_modules shares with another project", () => {
    const [project, other] = [newProject(), realpathSync(temporaryFolder())];
    writeFileSync(path.join(other, "precious.js"), "kept");
    symlinkSync(other, path.join(project, "node_modules"), "junction");
    const { status, stderr } = setUp(project);
    expect([status, stderr]).toEqual([0, expect.stringContaining(`node_modules is a link to ${other}`)]);
    expect(readFileSync(path.join(other, "precious.js"), "utf8")).toBe("kept");
  });
});

// Shared libraries in C that stand in for drivers and plugins, so that devices can be tested where there are none.
import { execFileSync } from "node:child_process";
import { existsSync, renameSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { findKoffi } from "../../src/device/koffi.js";
import { findCompiler } from "../../src/device/native/compiler.js";
import { temporaryFolder } from "../temporary.js";

/** Why there can be no such library here, told on behalf of a test file; null if there can. */
export function libraryProblem(what: string, file: string): string | null {
  const [compiler, koffi] = [findCompiler(), findKoffi()];
  const missing =
    process.platform !== "linux"
      ? `${what} is made for Linux`
      : "problem" in compiler
        ? compiler.problem
        : "problem" in koffi
          ? koffi.problem
          : null;
  if (missing !== null) process.stderr.write(`${file} is skipped: ${missing}\n`);
  return missing;
}

/** A library, built once in a run of the tests, whose folder for temporary files this is. */
export function builtLibrary(name: string, source: string, options: readonly string[] = []): string {
  const file = path.join(tmpdir(), name);
  if (existsSync(file)) return file;
  const compiler = findCompiler();
  if ("problem" in compiler) throw new Error(compiler.problem);
  const [program, ...flags] = compiler.command;
  const aside = path.join(temporaryFolder(), name);
  execFileSync(program, [...flags, "-shared", "-fPIC", ...options, "-o", aside, source]);
  renameSync(aside, file);
  return file;
}

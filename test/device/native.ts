// What tests of the native device share: compilers that are scripts, sources, a cache of their own.
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { onTestFinished, vi } from "vitest";
import { libraryOf, type Built, type Source } from "../../src/device/native/build.js";
import { takeSteps, type Steps } from "../../src/device/native/commands.js";
import { findCompiler, type Compiler } from "../../src/device/native/compiler.js";
import { nativeProblem } from "../../src/device/native/backend.js";
import { machineOf } from "../../src/device/native/machine.js";
import { temporaryFolder } from "../temporary.js";

/** Whether nothing native can run here; says so, once for each file. */
export function isWithoutNative(file: string): boolean {
  const problem = nativeProblem();
  if (problem !== null) process.stderr.write(`${file} is skipped: ${problem}\n`);
  return problem !== null;
}

/** An empty folder as the cache of the test that is running. */
export function temporaryCache(): string {
  const folder = path.join(temporaryFolder(), "cache");
  vi.stubEnv("VIBE_RL_CACHE_DIR", folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  return folder;
}

/**
 * Makes a script the compiler. `build` is what it does with sources, in the folder of a build; by default it writes a
 * library that is none. Every start is noted in the file that is returned.
 */
export function scriptedCompiler(build = "cat unit*.c > library.so"): { readonly starts: string } {
  const folder = temporaryFolder();
  const [file, starts] = [path.join(folder, "compiler"), path.join(folder, "starts")];
  writeFileSync(
    file,
    `#!/bin/sh
echo "$*" >> '${starts}'
case "$*" in *-dM*)
  echo '#define __VERSION__ "1.2.3"'
  echo '#define __AVX2__ 1'
  exit 0;;
esac
${build}
`,
  );
  chmodSync(file, 0o755);
  vi.stubEnv("CC", file);
  return { starts };
}

/** A folder with other rights than 0700. */
export function makeFolder(folder: string, mode: number): void {
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, mode);
}

/** A source that nobody compiles. */
export const anySource = (text = "a program"): Source => ({
  name: "jit(test)",
  units: [`/* ${text} */`],
  flags: ["-O2"],
});

function compilerHere(): Compiler {
  const compiler = findCompiler();
  if ("problem" in compiler) throw new Error(compiler.problem);
  return compiler;
}

/** Builds a source as the device does in a new process. */
export function* buildingAsked(source: Source): Steps<Built> {
  const compiler = compilerHere();
  return yield* libraryOf(source, compiler, yield* machineOf(compiler, new Map()));
}

/** The same for a machine that need not be asked for. */
export function building(source: Source): Steps<Built> {
  const compiler = compilerHere();
  return libraryOf(source, compiler, {
    ...{ version: "gcc 1.2.3", tuning: ["-march=native"], target: { lanes: 8, registers: 16 } },
    identity: compiler.identity,
  });
}

/** Whether a process is there and has not ended. */
export const isAlive = (pid: number, stat: (file: string) => string): boolean =>
  existsSync(`/proc/${pid}/stat`) && !/^\d+ \(.*\) [ZX]/.test(stat(`/proc/${pid}/stat`));

/** Where there are no native programs. */
export const isElsewhere = process.platform === "win32";
export const startsOf = (file: string): string[] => readFileSync(file, "utf8").trim().split("\n");
export const read = (file: string): string => readFileSync(file, "utf8");
export const namesIn = (folder: string, start: string): string[] =>
  readdirSync(folder).filter((name) => name.startsWith(start));
export const build = (text?: string) => takeSteps(building(anySource(text)));
export const buildAsked = () => takeSteps(buildingAsked(anySource()));

/** What is wrong with a build. */
export function failureOf(body: () => unknown): string {
  try {
    body();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("nothing went wrong");
}

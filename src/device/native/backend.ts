// The native device: programs as C, built by the system's compiler and called in this process.
import { fail, type Backend, type CompileOptions, type Program } from "../../array/index.js";
import {
  compile,
  isCompilable,
  programKey,
  type CProgram,
  type CTarget,
  type ParallelWork,
  type Renderer,
} from "../../compiler/index.js";
import { hasFiles, platform } from "../../node/index.js";
import { writeDumps } from "../dump.js";
import { MemoryExecutable } from "../executable.js";
import { Remembered } from "../remembered.js";
import { libraryName, libraryOf, type Built } from "./build.js";
import { findEntry } from "../cache/entries.js";
import { cachePath, prepareFolder } from "../cache/folder.js";
import { takeSteps, takeStepsAside, type Steps } from "./commands.js";
import { findCompiler, type Compiler } from "./compiler.js";
import { findKoffi, type Koffi, type KoffiLibrary } from "../koffi.js";
import { loadLibrary, programIn, starter } from "./library.js";
import { machineOf, type Machine } from "./machine.js";
import { NativeMemory } from "./memory.js";
import { isForOneThread, poolOf, threadsFor } from "./pool.js";
import { prefersNative } from "./preference.js";
import { knownKey, recallProgram, rememberProgram, type KnownProgram } from "../cache/programs.js";

/** What native programs need of their surroundings. */
interface Surroundings {
  readonly compiler: Compiler;
  readonly koffi: Koffi;
}

function surroundings(): Surroundings | { readonly problem: string } {
  if (!hasFiles()) return { problem: "it needs Node 20.16 or newer, and there is none here" };
  if (platform() === "win32")
    return { problem: "it is not made for Windows yet; the Windows Subsystem for Linux has it" };
  const compiler = findCompiler();
  if ("problem" in compiler) return compiler;
  const koffi = findKoffi();
  return "problem" in koffi ? koffi : { compiler, koffi };
}

/** Why there is no native device here, and what to install; null if there is one. */
export function nativeProblem(): string | null {
  const found = surroundings();
  return "problem" in found ? found.problem : null;
}

function needSurroundings(): Surroundings {
  const found = surroundings();
  if (!("problem" in found)) return found;
  return fail("native", `native programs cannot run here: ${found.problem}. device: "wasm" needs nothing`);
}

/** A program in C, built. */
interface BuiltProgram extends Omit<KnownProgram<ParallelWork>, "library"> {
  readonly built: Built;
}

/** A program in C, built and loaded. */
interface Ready extends Omit<BuiltProgram, "built"> {
  readonly library: KoffiLibrary;
}

/** A program that the cache knows and has the library of. */
function keptProgram(memo: string): BuiltProgram | null {
  const cache = cachePath();
  const known = prepareFolder(cache) === null ? recallProgram<ParallelWork>(cache, memo) : null;
  const file = known === null ? null : findEntry(cache, known.library, libraryName);
  if (known === null || file === null) return null;
  const { layout, launch, library } = known;
  return { layout, launch, built: { file, key: library, temporary: null } };
}

/** A renderer for a machine, of programs that may have several threads or are sure to have one. */
type RendererFor = (target: CTarget, isForOneThread: boolean) => Renderer<CProgram>;

/** The native device, with programs as a renderer writes them, compiled with the flags of the moment. */
export function nativeBackend(rendererFor: RendererFor, flagsNow: () => readonly string[]): Backend {
  let shared: NativeMemory | null = null;
  const remembered = new Remembered<Ready>();

  function* ready(
    program: Program,
    { name, constants, threads }: CompileOptions,
    { compiler, koffi }: Surroundings,
    flags: readonly string[],
  ): Steps<Ready> {
    const isAlone = isForOneThread(threads ?? null);
    const key = [...flags, isAlone, constants.length, programKey(program)].join(" ");
    const known = remembered.recall(key);
    if (known !== undefined) return known;
    const machine = yield* machineOf(compiler);
    const memo = knownKey(machine.identity, machine.version, key);
    const { built, ...rest } =
      (memo === null ? null : keptProgram(memo)) ??
      (yield* builtProgram(program, name, constants.length, compiler, machine, flags, isAlone, memo));
    return remembered.remember(key, { ...rest, library: loadLibrary(koffi, built) });
  }

  function* builtProgram(
    program: Program,
    name: string,
    constants: number,
    compiler: Compiler,
    machine: Machine,
    flags: readonly string[],
    isAlone: boolean,
    memo: string | null,
  ): Steps<BuiltProgram> {
    const renderer = rendererFor(machine.target, isAlone);
    const { code, ...layout } = compile(program, constants, renderer, (forms) => writeDumps(name, forms));
    const launch = code.parallelWork;
    const built = yield* libraryOf({ name, units: code.sources, flags }, compiler, machine);
    if (memo !== null && built.temporary === null)
      rememberProgram(cachePath(), memo, { layout, launch, library: built.key });
    return { layout, launch, built };
  }

  function* executable(
    program: Program,
    options: CompileOptions,
    memoryFor: (koffi: Koffi) => NativeMemory,
  ): Steps<MemoryExecutable<NativeMemory>> {
    const found = needSurroundings();
    const { koffi, compiler } = found;
    const flags = flagsNow();
    const { layout, launch, library } = yield* ready(program, options, found, flags);
    const pool = yield* poolOf(koffi, compiler, threadsFor(options.threads ?? null, launch), flags);
    const memory = memoryFor(koffi);
    const { constants, donated } = options;
    return new MemoryExecutable(layout, constants, donated, memory, (print) =>
      starter(koffi, programIn(library), memory, pool, print),
    );
  }

  /** Results of programs with donated arguments stay in memory, so that these have one of their own. */
  const steps = (program: Program, options: CompileOptions): Steps<MemoryExecutable<NativeMemory>> =>
    executable(program, options, (koffi) =>
      options.donated.includes(true) ? new NativeMemory(koffi) : (shared ??= new NativeMemory(koffi)),
    );

  return {
    name: "native",
    accepts: isCompilable,
    prefers: (program) => isCompilable(program) && prefersNative(program) && nativeProblem() === null,
    compile: (program, options) => takeSteps(steps(program, options)),
    compileAsync: (program, options) => takeStepsAside(steps(program, options)),
    resident: (program, options) =>
      takeSteps(executable(program, options, (koffi) => new NativeMemory(koffi))).resident(),
  };
}

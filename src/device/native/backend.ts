// The native device: programs as C, built by the system's compiler and called in this process.
import { fail, type Backend, type CompileOptions, type Program } from "../../array/index.js";
import {
  compile,
  isCompilable,
  programKey,
  type Compiled,
  type CProgram,
  type CTarget,
  type Renderer,
} from "../../compiler/index.js";
import { hasFiles, platform } from "../../node/index.js";
import { writeDumps } from "../dump.js";
import { MemoryExecutable } from "../executable.js";
import { Remembered } from "../remembered.js";
import { libraryOf } from "./build.js";
import { takeSteps, takeStepsAside, type Steps } from "./commands.js";
import { findCompiler, type Compiler } from "./compiler.js";
import { findKoffi, type Koffi, type KoffiLibrary } from "./koffi.js";
import { loadLibrary, programIn, starter } from "./library.js";
import { machineOf } from "./machine.js";
import { NativeMemory } from "./memory.js";
import { poolOf } from "./pool.js";
import { prefersNative } from "./preference.js";

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

/** A program in C, built and loaded. */
interface Ready {
  readonly compiled: Compiled<CProgram>;
  readonly library: KoffiLibrary;
  readonly koffi: Koffi;
}

type RendererFor = (target: CTarget) => Renderer<CProgram>;

/** The native device, with programs as a renderer writes them. */
export function nativeBackend(rendererFor: RendererFor, flags: readonly string[]): Backend {
  let shared: NativeMemory | null = null;
  const remembered = new Remembered<Ready>();

  function* ready(program: Program, { name, constants }: CompileOptions): Steps<Ready> {
    const { compiler, koffi } = needSurroundings();
    const key = `${constants.length} ${programKey(program)}`;
    const known = remembered.recall(key);
    if (known !== undefined) return known;
    const machine = yield* machineOf(compiler);
    const renderer = rendererFor(machine.target);
    const compiled = compile(program, constants.length, renderer, (forms) => writeDumps(name, forms));
    const built = yield* libraryOf({ name, units: compiled.code.sources, flags }, compiler, machine);
    return remembered.remember(key, { compiled, library: loadLibrary(koffi, built), koffi });
  }

  function* executable(
    program: Program,
    options: CompileOptions,
    memoryFor: (koffi: Koffi) => NativeMemory,
  ): Steps<MemoryExecutable> {
    const { compiled, library, koffi } = yield* ready(program, options);
    const pool = yield* poolOf(koffi, options.threads ?? null, flags);
    const memory = memoryFor(koffi);
    const { constants, donated } = options;
    return new MemoryExecutable(compiled, constants, donated, memory, (print) =>
      starter(koffi, programIn(library), memory, pool, print),
    );
  }

  /** Results of programs with donated arguments stay in memory, so that these have one of their own. */
  const steps = (program: Program, options: CompileOptions): Steps<MemoryExecutable> =>
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

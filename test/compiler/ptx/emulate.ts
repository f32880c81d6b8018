// Running PTX here: translated to C, built by the system's compiler, loaded into this process.
import { libraryOf } from "../../../src/device/native/build.js";
import { takeSteps, type Steps } from "../../../src/device/native/commands.js";
import { findCompiler } from "../../../src/device/native/compiler.js";
import { findKoffi, type Koffi } from "../../../src/device/koffi.js";
import { loadLibrary } from "../../../src/device/native/library.js";
import { machineOf } from "../../../src/device/native/machine.js";
import { ptxToC, type Launch } from "./translate.js";

/** What emulated programs are compiled with: nothing is contracted or reordered. */
export const emulatorFlags: readonly string[] = [
  ...["-std=gnu11", "-O0", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math"],
  ...["-fwrapv", "-fno-strict-aliasing", "-fPIC", "-w"],
];

/**
 * What keeps Clang from optimising, which the library has it do a little whatever else is said: most emulated programs
 * take longer to build than to run.
 */
export function unoptimised(): readonly string[] {
  const { version } = takeSteps(machineOf(here(findCompiler())));
  return /clang/i.test(version) ? ["-Xclang", "-O0"] : [];
}

/** A program that ran: the messages that it printed are told as they come. */
export type Emulated = (memory: Uint8Array, print?: (message: number) => void) => void;

function here<T extends object>(found: T | { readonly problem: string }): T {
  if ("problem" in found) throw new Error(found.problem);
  return found;
}

/** PTX that can be run on memory of as many bytes as its launch says; what goes wrong in it is an error. */
export function emulate(text: string, launch: Launch): Emulated {
  const koffi: Koffi = here(findKoffi());
  const compiler = here(findCompiler());
  function* building(): Steps<ReturnType<typeof loadLibrary>> {
    const machine = yield* machineOf(compiler);
    const flags = [...emulatorFlags, ...unoptimised()];
    const source = { name: "PTX", units: [ptxToC(text, launch)], flags };
    return loadLibrary(koffi, yield* libraryOf(source, compiler, machine));
  }
  const library = takeSteps(building());
  const run = library.func("vibe_rl_run", "void", ["void *", "void *", "void *"]);
  const fault = library.func("vibe_ptx_fault", "str", []);
  return (memory, print = () => undefined) => {
    if (memory.length !== launch.memoryBytes)
      throw new Error(`the memory has ${memory.length} bytes; the launch says ${launch.memoryBytes}`);
    const type = koffi.pointer(koffi.proto("void", ["int"]));
    const address = koffi.register((message: number) => (message < 0 ? undefined : print(message)), type);
    run(memory, address, null);
    const problem = fault() as string;
    if (problem !== "") throw new Error(problem);
  };
}

// Built programs, loaded into this process.
import { fail } from "../../array/index.js";
import { fs } from "../../node/index.js";
import type { Built } from "./build.js";
import type { Koffi, KoffiLibrary } from "../koffi.js";
import type { NativeMemory } from "./memory.js";

/** Libraries stay loaded: their code would go with the handle. */
const kept = new Set<KoffiLibrary>();

/** Loads a library for good. */
export function loadLibrary(koffi: Koffi, { file, temporary }: Built): KoffiLibrary {
  try {
    const library = koffi.load(file);
    kept.add(library);
    return library;
  } catch (error) {
    return fail(
      "native",
      `${file} was built and cannot be loaded: ${error instanceof Error ? error.message : String(error)}. If its file ` +
        "system allows no programs (noexec), name another folder in VIBE_RL_CACHE_DIR; if it was built for another " +
        "processor, look at CC",
    );
  } finally {
    // What is loaded needs its file no longer.
    if (temporary !== null) fs.rmSync(temporary, { recursive: true, force: true });
  }
}

/** A program in C: its memory, where its messages go, and the threads that it may use. */
type Run = (memory: bigint, print: bigint, pool: bigint | null) => void;

/** The program of a library. */
export const programIn = (library: KoffiLibrary): Run =>
  library.func("vibe_rl_run", "void", ["void *", "void *", "void *"]);

/** Prints the messages of the program that runs. */
let printing: (message: number) => void = () => undefined;
/** What went wrong in printing: it must not be thrown through C. */
let failure: { readonly error: unknown } | null = null;
let printAddress: bigint | null = null;

/** The C function that prints a message; there is one for all programs. */
function printFunction(koffi: Koffi): bigint {
  return (printAddress ??= koffi.register(
    (message: number) => {
      try {
        printing(message);
      } catch (error) {
        failure ??= { error };
      }
    },
    koffi.pointer(koffi.proto("void", ["int"])),
  ));
}

/** How a program is started in a memory. */
export function starter(
  koffi: Koffi,
  run: Run,
  memory: NativeMemory,
  pool: bigint | null,
  print: (message: number) => void,
): () => void {
  const address = printFunction(koffi);
  return () => {
    const before = printing;
    printing = print;
    try {
      run(memory.address, address, pool);
    } finally {
      printing = before;
    }
    if (failure === null) return;
    const { error } = failure;
    failure = null;
    throw error;
  };
}

// koffi, which calls C functions from Node: an optional package, looked for when a device that needs it is first asked
// for.
import { fail } from "../array/index.js";
import { module } from "../node/index.js";

/** A function of C. */
export interface KoffiFunction {
  (...args: readonly unknown[]): unknown;
  /** The same in another thread; the last argument is called in this one, when its event loop turns, with an error or null. */
  readonly async: (...args: readonly unknown[]) => void;
}

/** A shared library. Once it is garbage its code is gone, so that it must be kept. */
export interface KoffiLibrary {
  readonly func: (name: string, result: string, parameters: readonly string[]) => KoffiFunction;
}

/** What is used of it. Pointers are their addresses. */
export interface Koffi {
  readonly version: string;
  readonly config: (settings: {
    readonly sync_stack_size: number;
    readonly async_stack_size: number;
  }) => unknown;
  /** A library by its path; of `null` what this process has already. */
  readonly load: (path: string | null) => KoffiLibrary;
  /** Memory at an address, not copied. */
  readonly view: (address: bigint, bytes: number) => ArrayBuffer;
  /** Where the memory of a buffer is. */
  readonly address: (of: ArrayBufferView) => bigint;
  readonly decode: {
    /** What lies at an address; of the type of a function, one that can be called. */
    (address: bigint, type: unknown): unknown;
    readonly string: (address: bigint) => string | null;
  };
  readonly proto: (result: string, parameters: readonly string[]) => unknown;
  readonly pointer: (type: unknown) => unknown;
  /** The address of a C function that calls a JavaScript one. */
  readonly register: (f: (...args: readonly never[]) => unknown, type: unknown) => bigint;
}

let found: Koffi | { readonly problem: string } | null = null;

/** koffi, or why it cannot be used. */
export function findKoffi(): Koffi | { readonly problem: string } {
  return (found ??= load());
}

function load(): Koffi | { readonly problem: string } {
  try {
    const koffi = module.createRequire(import.meta.url)("koffi") as Koffi;
    widenStack(koffi);
    return koffi;
  } catch (error) {
    const { code, message } = error as { readonly code?: string; readonly message?: string };
    if (code === "MODULE_NOT_FOUND" && message?.includes("'koffi'") === true) {
      return {
        problem:
          "the package koffi, which calls native code, is not installed (npm leaves out optional packages where they " +
          "cannot be had): npm install koffi",
      };
    }
    return { problem: `the package koffi cannot be loaded here: ${message ?? String(error)}` };
  }
}

/** What koffi calls runs on a stack of its own, of 2 MiB or less, and a driver's compiler is no small thing. */
const stackBytes = 2 ** 24;

function widenStack(koffi: Koffi): void {
  try {
    koffi.config({ sync_stack_size: stackBytes, async_stack_size: stackBytes });
  } catch {
    // Somebody else in this process has called something already, with the stack that there is.
  }
}

/** Memory at an address, not copied; whoever allocated it must keep it. */
export function viewMemory(koffi: Koffi, address: bigint, bytes: number): ArrayBuffer {
  try {
    return koffi.view(address, bytes);
  } catch (cause) {
    fail(
      "jit",
      `this build of Node does not let programs see memory outside of its own (${String(cause)}), as those with ` +
        'pointer compression do not; use the usual build, or device: "wasm"',
    );
  }
}

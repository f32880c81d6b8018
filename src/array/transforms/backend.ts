// What runs programs. The array language knows this interface only; devices register themselves.
import type { Array, Concrete } from "../core/array.js";
import { fail } from "../core/errors.js";
import { interpret } from "../core/interpret.js";
import type { Program } from "../core/program.js";

/** A program made ready to run. */
export interface Executable {
  readonly run: (inputs: readonly Array[]) => Array[];
}

/** A way to run programs. */
export interface Backend {
  readonly name: string;
  /** Prepares a program; which of its inputs may be overwritten by a run is in `donated`. */
  readonly compile: (program: Program, donated: readonly boolean[]) => Executable;
}

/** Runs every equation by its reference implementation: slow, exact, the oracle of all others. */
const interpreter: Backend = {
  name: "interpreter",
  compile: (program) => ({ run: (inputs) => interpret(program, inputs as readonly Concrete[]) }),
};

const backends = new Map<string, Backend>([[interpreter.name, interpreter]]);
let preferred = interpreter.name;

/** Adds a way to run programs, by default as the one that `jit` uses. */
export function registerBackend(
  backend: Backend,
  { isDefault = true }: { readonly isDefault?: boolean } = {},
): void {
  backends.set(backend.name, backend);
  if (isDefault) preferred = backend.name;
}

/** The backend of a name, or the default one. */
export function findBackend(operation: string, name: string = preferred): Backend {
  const found = backends.get(name);
  if (found === undefined) {
    fail(
      operation,
      `there is no device ${JSON.stringify(name)}; there are ${[...backends.keys()].join(", ")}`,
    );
  }
  return found;
}

// What runs programs. The array language knows this interface only; devices register themselves.
import type { Array, Concrete } from "../core/array.js";
import { checked } from "../core/checked.js";
import { environment } from "../core/environment.js";
import { itemSize, type TypedArray } from "../core/dtype.js";
import { fail } from "../core/errors.js";
import { concrete, interpret } from "../core/interpret.js";
import { typesOf, type Program } from "../core/program.js";
import { range, sizeOf } from "../core/shape.js";
import { countAlong, type Layout, type NamedAxis } from "../sharding/axes.js";
import { simulated } from "./spmd.js";

/** A program made ready to run. */
export interface Executable {
  readonly run: (inputs: readonly Array[]) => Array[];
  /** The memory that each device needs, for a program that several run together. */
  readonly bytesPerDevice?: number;
}

/** A program in memory of its own, between whose runs its inputs stay as they are. */
export interface ResidentExecutable {
  /** The elements of all inputs, to be written between runs. */
  readonly inputs: readonly TypedArray[];
  /** The elements of the outputs, good until the next run. */
  readonly outputs: readonly TypedArray[];
  readonly run: () => void;
}

export interface CompileOptions {
  /** What the program is called in dumps. */
  readonly name: string;
  /** Values of the program's first inputs, the same in every run. */
  readonly constants: readonly Array[];
  /** Which of the other inputs may be overwritten by a run. */
  readonly donated: readonly boolean[];
  /** How many threads may work on it, where a device has threads; null or left out: as many as help. */
  readonly threads?: number | null;
  /** How exact products of float32 must be; null or left out: as the device has it. */
  readonly matmulPrecision?: MatmulPrecision | null;
}

/** As JAX has it: "highest" is all of float32, "tf32" 10 bits of its fraction, "default" what a device is fastest at. */
export const matmulPrecisions = ["default", "tf32", "high", "highest"] as const;
export type MatmulPrecision = (typeof matmulPrecisions)[number];

/** The blocks of an array, one on each device; they stay there until they are read. */
export interface Shards {
  readonly read: (device: number) => TypedArray;
  /** Resolves when reading them waits for no program any more; they are there already where it is missing. */
  readonly ready?: () => Promise<void>;
}

/** How a program that every device runs on its own blocks is prepared. */
export interface SpmdOptions {
  readonly name: string;
  /** How the devices are arranged, outermost axis first. */
  readonly axes: readonly NamedAxis[];
  /** Values of the program's first inputs, the same on every device and in every run. */
  readonly constants: readonly Array[];
  /** Which of the other inputs may be overwritten by a run. */
  readonly donated: readonly boolean[];
  readonly matmulPrecision?: MatmulPrecision | null;
}

/** How a program on whole arrays is prepared for a backend that splits it itself. */
export interface ShardedOptions extends SpmdOptions {
  /** How each input, constants included, and each output lies on the devices. */
  readonly inputs: readonly Layout[];
  readonly outputs: readonly Layout[];
}

/** A program that all devices run together. */
export interface SpmdExecutable {
  readonly run: (inputs: readonly Shards[]) => Shards[];
  /** The memory that each device needs. */
  readonly bytesPerDevice: number;
}

/** A way to run programs. */
export interface Backend {
  readonly name: string;
  /** Whether it can run a program; the interpreter runs the others. */
  readonly accepts: (program: Program) => boolean;
  /** Whether it is here and worth its costs for a program, where the device is "auto". */
  readonly prefers?: (program: Program) => boolean;
  /** Begins, at the side, with what its first program will need; what goes wrong is told by that program. */
  readonly prepare?: () => void;
  /** Prepares a program to run on the inputs that are not constants. */
  readonly compile: (program: Program, options: CompileOptions) => Executable;
  /** The same without holding up the thread, where that is possible. */
  readonly compileAsync?: (program: Program, options: CompileOptions) => Promise<Executable>;
  /** Prepares a program all of whose inputs are constants to begin with, and stay until they are written. */
  readonly resident?: (program: Program, options: CompileOptions) => ResidentExecutable;
  /** Prepares a program for several devices; its collectives are where they meet. */
  readonly spmd?: (program: Program, options: SpmdOptions) => SpmdExecutable;
  /** Prepares a program on whole arrays for several devices, where the backend has a partitioner of its own. */
  readonly sharded?: (program: Program, options: ShardedOptions) => SpmdExecutable;
  /** The same without holding up the thread, where that is possible. */
  readonly spmdAsync?: (program: Program, options: SpmdOptions) => Promise<SpmdExecutable>;
}

/** Runs every equation by its reference implementation: slow, exact, the oracle of all others. */
const interpreter: Backend = {
  name: "interpreter",
  accepts: () => true,
  compile: (program, { constants }) => ({
    run: (inputs) => interpret(program, [...constants, ...inputs] as readonly Concrete[]),
  }),
  spmd: simulateDevices,
};

/** All devices of a program, one equation after the other, in this thread. */
function simulateDevices(program: Program, { axes, constants }: SpmdOptions): SpmdExecutable {
  const run = simulated(
    program,
    axes,
    program.inputs.map((_, index) => index >= constants.length),
  );
  const types = typesOf(program.inputs.slice(constants.length));
  const values = [...program.inputs, ...program.equations.flatMap(({ outputs }) => outputs)];
  return {
    run: (inputs) => {
      const blocks = inputs.map(({ read }, index) =>
        range(countAlong(axes)).map((device) => concrete(types[index], read(device))),
      );
      return run([...constants.map((value) => [value]), ...blocks]).map((devices) => ({
        read: (device) => devices[device].data(),
      }));
    },
    bytesPerDevice: typesOf(values).reduce(
      (bytes, { shape, dtype }) => bytes + sizeOf(shape) * itemSize(dtype),
      0,
    ),
  };
}

const backends = new Map<string, Backend>([[interpreter.name, interpreter]]);
let preferred = interpreter.name;

/** Adds a way to run programs, by default as the one that `jit` uses. */
export const registerBackend = checked(
  "registerBackend",
  2,
  ["isDefault"],
  (backend: Backend, { isDefault = true }: { readonly isDefault?: boolean } = {}): void => {
    backends.set(backend.name, backend);
    if (isDefault) preferred = backend.name;
    if (environment("VIBE_RL_DEVICE") === backend.name) backend.prepare?.();
  },
);

/** What runs programs of which nothing else is said. */
export const defaultDevice = (): string => {
  const asked = environment("VIBE_RL_DEVICE");
  return asked === undefined || asked === "auto" ? preferred : asked;
};

/** Tells a backend that programs will come. */
export const prepareBackend = (name: string): void => backends.get(name)?.prepare?.();

/**
 * The backend for a program: the one of a name, or that of VIBE_RL_DEVICE, or the default one, if it can run it. With
 * "auto" one that prefers the program comes before the default one, unless several devices share the program.
 */
export function findBackend(operation: string, program: Program, name?: string, isSplit = false): Backend {
  const asked = [name, environment("VIBE_RL_DEVICE")].filter((one) => one !== undefined);
  const preferring = (): Backend | undefined =>
    asked.length > 0 && !isSplit
      ? [...backends.values()].find(({ prefers }) => prefers?.(program))
      : undefined;
  const wanted = asked.find((one) => one !== "auto") ?? preferring()?.name ?? preferred;
  const found = backends.get(wanted);
  if (found === undefined) {
    fail(
      operation,
      `there is no device ${JSON.stringify(wanted)}; there are ${[...backends.keys()].join(", ")}`,
    );
  }
  return found.accepts(program) ? found : interpreter;
}

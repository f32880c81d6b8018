// What tests of the CUDA device share: a driver without a GPU, and renderers for it.
import { copyFileSync } from "node:fs";
import path from "node:path";
import { vi } from "vitest";
import { registerBackend } from "../../../src/array/index.js";
import type { PtxProgram, PtxTarget, Renderer } from "../../../src/compiler/index.js";
import type { Step } from "../../../src/compiler/kernel.js";
import type { MemoryPlan } from "../../../src/compiler/plan/arena.js";
import { cudaBackend } from "../../../src/device/cuda/backend.js";
import { findKoffi, type Koffi, type KoffiLibrary } from "../../../src/device/koffi.js";
import { runSteps } from "../../compiler/kernelInterpreter.js";
import { Memory } from "../../compiler/kernelValues.js";
import { temporaryFolder } from "../../temporary.js";
import { builtLibrary, libraryProblem } from "../fakeLibrary.js";
import { temporaryCache } from "../native.js";

/** Why there can be no such driver here; null if there can. */
export const fakeProblem = (file: string): string | null => libraryProblem("the driver without a GPU", file);

const builtDriver = (): string => builtLibrary("fakeCuda.so", path.join(import.meta.dirname, "fakeDriver.c"));

/** A driver of which nobody has seen anything, with its settings and counters. */
export interface Fake {
  readonly file: string;
  readonly set: (name: string, value: number) => void;
  readonly get: (name: string) => number;
}

const kept: KoffiLibrary[] = [];
const koffi = findKoffi() as Koffi;

/** Makes a new driver the one that is found, with an empty cache, for the test that is running. */
export function useFake(settings: Readonly<Record<string, number>> = {}): Fake {
  temporaryCache();
  const file = path.join(temporaryFolder(), "libcuda.so.1");
  copyFileSync(builtDriver(), file);
  vi.stubEnv("VIBE_RL_LIBCUDA", file);
  // Nothing is on it but what the test puts there.
  vi.stubEnv("VIBE_RL_DEVICE", undefined);
  const library = koffi.load(file);
  kept.push(library);
  const set = library.func("fake_set", "void", ["str", "int64"]);
  const get = library.func("fake_get", "int64", ["str"]);
  library.func("fake_calls", "void", ["void *"])(callback());
  for (const [name, value] of Object.entries(settings)) set(name, value);
  return { file, set: (name, value) => void set(name, value), get: (name) => Number(get(name)) };
}

/** What the driver has room for. */
const mostMessages = 64;

/** Programs that are run by the interpreter of kernels, by their number. */
const programs: { readonly steps: readonly Step[]; readonly plan: MemoryPlan }[] = [];
let callbackAddress: bigint | null = null;

/** The memory of the last run at each of its messages, and at its end. */
let moments: Uint8Array[] = [];

/** What the driver calls to run one of them; returns how many messages it has put down. */
function callback(): bigint {
  return (callbackAddress ??= koffi.register(
    (number: number, memory: bigint, messages: bigint) => {
      if (number < 0) {
        const moment = moments[-1 - number];
        new Uint8Array(koffi.view(memory, moment.length)).set(moment);
        return 0;
      }
      const { steps, plan } = programs[number];
      const words = new Int32Array(koffi.view(messages, 4 * mostMessages));
      const bytes = koffi.view(memory, plan.bytes);
      moments = [];
      const print = (message: number): void => {
        words[moments.length] = message;
        moments.push(new Uint8Array(bytes.slice(0)));
      };
      runSteps(steps, [new Memory(plan, bytes)], { axes: [], print });
      moments.push(new Uint8Array(bytes.slice(0)));
      return moments.length - 1;
    },
    koffi.pointer(koffi.proto("int", ["int", "void *", "void *"])),
  ));
}

type RendererFor = (target: PtxTarget) => Renderer<PtxProgram>;

/** Renders programs as a text that tests write. */
export const renderingText =
  (
    write: (steps: readonly Step[], plan: MemoryPlan) => string,
    launch: Partial<PtxProgram> = {},
  ): RendererFor =>
  () => ({
    name: "the GPU",
    lanes: 32,
    limits: { memory: 2 ** 40 },
    scratch: () => 0,
    render: (steps, plan) => ({
      text: `.version 7.8\n${write(steps, plan)}`,
      registers: null,
      blocks: 1,
      threads: 32,
      isCluster: false,
      sharedBytes: 0,
      kernels: [],
      schedule: () => "",
      profile: null,
      ...launch,
    }),
    list: ({ text }) => ({ ptx: () => ({ suffix: "ptx", text }) }),
  });

/** Renders programs that the interpreter of kernels runs, with something more in their text. */
export const interpreted = (launch: Partial<PtxProgram> = {}, more = ""): RendererFor =>
  renderingText((steps, plan) => `@call ${programs.push({ steps, plan }) - 1} ${more}`, launch);

let devices = 0;

/** A new device with a renderer: what `jit` is to be told. */
export function fakeDevice(rendererFor: RendererFor = interpreted()): { readonly device: string } {
  const device = `fake cuda ${++devices}`;
  registerBackend({ ...cudaBackend(rendererFor), name: device }, { isDefault: false });
  return { device };
}

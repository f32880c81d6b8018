// The CUDA device: programs as PTX on one NVIDIA GPU, by its driver alone.
import {
  countEquations,
  fail,
  type Backend,
  type CompileOptions,
  type Executable,
  type Program,
} from "../../array/index.js";
import {
  compile,
  isCompilable,
  programKey,
  type PtxProgram,
  type PtxTarget,
  type Renderer,
} from "../../compiler/index.js";
import { warnOnce } from "../../node/index.js";
import { cachePath } from "../cache/folder.js";
import { knownKey, rememberProgram } from "../cache/programs.js";
import { writeDumps } from "../dump.js";
import { MemoryExecutable } from "../executable.js";
import { defaultPrecision } from "../precision.js";
import { Remembered } from "../remembered.js";
import { findCard, type Card } from "./card.js";
import { beginContext, CudaDevice } from "./device.js";
import { findDriver, startDriverAhead, type Driver } from "./driver.js";
import { engineOf, isTraced, type Engine } from "./engine.js";
import { Starter, type Loaded } from "./launch.js";
import { linked, linkedAside } from "./link.js";
import { startLinkHelper } from "./linkHelper.js";
import { CudaMemory } from "./memory.js";
import { CudaModule } from "./module.js";
import { isProfiled } from "./profile.js";
import { compilerOf, keepCubin, keptProgram, knownCubin, type Cubin } from "./programs.js";

/** A GPU that can be used. */
interface Found {
  readonly driver: Driver;
  readonly card: Card;
}

function findGpu(): Found | { readonly problem: string } {
  const driver = findDriver();
  if ("problem" in driver) return driver;
  const card = findCard(driver);
  return "problem" in card ? card : { driver, card };
}

/** Why there is no GPU for programs here, and what to do; null if there is one. */
export function cudaProblem(): string | null {
  const found = findGpu();
  return "problem" in found ? found.problem : null;
}

function needGpu(): Found {
  const found = findGpu();
  if ("problem" in found)
    fail("cuda", `programs cannot run on a GPU here: ${found.problem}. device: "wasm" needs nothing`);
  const { driver, card } = found;
  if (card.hasTimeLimit) {
    warnOnce(
      `${card.name} drives a display, and the system ends programs there that take longer than a few seconds. Runs train in ` +
        "pieces of a quarter of a second, but a single update, evaluation or program of yours must be short enough",
      "CudaWarning",
    );
  }
  beginContext(driver, card);
  return found;
}

type RendererFor = (target: PtxTarget) => Renderer<PtxProgram>;
/** A program that is loaded, whatever it is called. */
type Ready = Omit<Loaded, "name">;

type Written = Omit<Ready, "module"> & Pick<PtxProgram, "text" | "registers">;

interface Aim {
  readonly target: PtxTarget;
  readonly key: string;
}

/** Programs of so many equations take the driver's compiler as long as it takes a thread to start. */
const helpedFrom = 200;

/** The CUDA device, with programs as a renderer writes them. */
export function cudaBackend(rendererFor: RendererFor): Backend {
  let isAhead = false;
  let found: Found | null = null;
  let engine: Engine | null = null;
  let shared: CudaMemory | null = null;
  const remembered = new Remembered<Ready>();

  /** The GPU at work: what can be done before it is should be, since another thread sets it up meanwhile. */
  const working = ({ driver, card }: Found): Engine => (engine ??= engineOf(new CudaDevice(driver, card)));

  /** What a program is compiled for, and the key by which it is known again. */
  function aimOf(program: Program, { constants, matmulPrecision }: CompileOptions, { card }: Found): Aim {
    const isTf32 = (matmulPrecision ?? defaultPrecision()) !== "highest";
    const target = { ...card.target, isProfiled: isProfiled(), isTraced: isTraced(), isTf32 };
    return { target, key: [constants.length, JSON.stringify(target), programKey(program)].join(" ") };
  }

  const memoOf = (gpu: Found, key: string): string | null => knownKey("cuda", compilerOf(gpu), key);

  function load(
    gpu: Found,
    { name }: CompileOptions,
    key: string,
    code: Cubin["code"],
    { layout, launch }: Omit<Ready, "module">,
  ): Ready {
    const module = new CudaModule(working(gpu).device, name, code, launch);
    return remembered.remember(key, { layout, launch, module });
  }

  /** A program that was compiled before, by this process or another one. */
  function recall(gpu: Found, options: CompileOptions, key: string): Ready | null {
    const known = remembered.recall(key);
    if (known !== undefined) return known;
    const memo = memoOf(gpu, key);
    const kept = memo === null ? null : keptProgram(memo);
    return kept === null ? null : load(gpu, options, key, kept.code, kept);
  }

  /** A program as text. */
  function write(program: Program, { name, constants }: CompileOptions, target: PtxTarget): Written {
    const { code, ...layout } = compile(program, constants.length, rendererFor(target), (forms) =>
      writeDumps(name, forms),
    );
    const { text, registers, schedule: _, ...launch } = code;
    return { text, registers, layout, launch };
  }

  /** A program that has been linked, loaded, and kept for later processes. */
  function keep(
    gpu: Found,
    options: CompileOptions,
    key: string,
    written: Written,
    { code, key: library }: Cubin,
  ): Ready {
    const { layout, launch } = written;
    const memo = memoOf(gpu, key);
    if (memo !== null && library !== null) rememberProgram(cachePath(), memo, { layout, launch, library });
    return load(gpu, options, key, code, written);
  }

  function made(program: Program, options: CompileOptions, { target, key }: Aim, gpu: Found): Ready {
    const { name } = options;
    const written = write(program, options, target);
    const { text, registers } = written;
    const cubin =
      knownCubin(gpu, text) ??
      keepCubin(gpu, name, text, linked(working(gpu).device, { name, text, registers }));
    return keep(gpu, options, key, written, cubin);
  }

  /** The same, linked in another thread where that is worth it; the thread starts while the program is written. */
  async function madeAside(
    program: Program,
    options: CompileOptions,
    { target, key }: Aim,
    gpu: Found,
  ): Promise<Ready> {
    const helper = countEquations(program) >= helpedFrom ? startLinkHelper(gpu.card) : null;
    try {
      const { name } = options;
      const written = write(program, options, target);
      const { text, registers } = written;
      const task = { name, text, registers };
      const cubin =
        knownCubin(gpu, text) ??
        keepCubin(gpu, name, text, await linkedAside(working(gpu).device, task, helper));
      return keep(gpu, options, key, written, cubin);
    } finally {
      helper?.dismiss();
    }
  }

  function executable(gpu: Found, options: CompileOptions, ready: Ready): Executable {
    const loaded = { ...ready, name: options.name };
    const memory = memoryFor(working(gpu), options);
    const { constants, donated } = options;
    return new MemoryExecutable(loaded.layout, constants, donated, memory, (print) => {
      const starter = new Starter(working(gpu), loaded, memory, print);
      return () => starter.run();
    });
  }

  function gpuNow(): Found {
    found ??= needGpu();
    engine?.device.needIdle();
    return found;
  }

  /** Results of programs with donated arguments stay in memory, so that these have one of their own. */
  function memoryFor(engine: Engine, { name, donated }: CompileOptions): CudaMemory {
    if (donated.includes(true)) return new CudaMemory(engine, name);
    return (shared ??= new CudaMemory(engine, "the memory that programs share"));
  }

  return {
    name: "cuda",
    accepts: isCompilable,
    prepare: () => {
      if (isAhead) return;
      isAhead = true;
      startDriverAhead((driver) => {
        try {
          const card = findCard(driver);
          if (!("problem" in card)) beginContext(driver, card);
        } catch {
          // What is wrong is told to who wants to use it.
        }
      });
    },
    compile: (program, options) => {
      const gpu = gpuNow();
      const aim = aimOf(program, options, gpu);
      const ready = recall(gpu, options, aim.key) ?? made(program, options, aim, gpu);
      return executable(gpu, options, ready);
    },
    compileAsync: async (program, options) => {
      const gpu = gpuNow();
      const aim = aimOf(program, options, gpu);
      const ready = recall(gpu, options, aim.key) ?? (await madeAside(program, options, aim, gpu));
      return executable(gpu, options, ready);
    },
  };
}

// The CUDA device: programs as PTX on one NVIDIA GPU, by its driver alone.
import { fail, type Backend, type CompileOptions, type Program } from "../../array/index.js";
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
import { CudaDevice } from "./device.js";
import { findDriver, type Driver } from "./driver.js";
import { engineOf, isTraced, type Engine } from "./engine.js";
import { Starter, type Loaded } from "./launch.js";
import { CudaMemory } from "./memory.js";
import { CudaModule } from "./module.js";
import { isProfiled } from "./profile.js";
import { compilerOf, cubinOf, keptProgram } from "./programs.js";

interface Surroundings {
  readonly driver: Driver;
  readonly card: Card;
}

function surroundings(): Surroundings | { readonly problem: string } {
  const driver = findDriver();
  if ("problem" in driver) return driver;
  const card = findCard(driver);
  return "problem" in card ? card : { driver, card };
}

/** Why there is no GPU for programs here, and what to do; null if there is one. */
export function cudaProblem(): string | null {
  const found = surroundings();
  return "problem" in found ? found.problem : null;
}

function startEngine(): Engine {
  const found = surroundings();
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
  return engineOf(new CudaDevice(driver, card));
}

type RendererFor = (target: PtxTarget) => Renderer<PtxProgram>;
/** A program that is loaded, whatever it is called. */
type Ready = Omit<Loaded, "name">;

/** The CUDA device, with programs as a renderer writes them. */
export function cudaBackend(rendererFor: RendererFor): Backend {
  let engine: Engine | null = null;
  let shared: CudaMemory | null = null;
  const remembered = new Remembered<Ready>();

  function ready(program: Program, options: CompileOptions, device: CudaDevice): Ready {
    const isTf32 = (options.matmulPrecision ?? defaultPrecision()) !== "highest";
    const target = { ...device.card.target, isProfiled: isProfiled(), isTraced: isTraced(), isTf32 };
    const key = [options.constants.length, JSON.stringify(target), programKey(program)].join(" ");
    return remembered.recall(key) ?? remembered.remember(key, made(program, options, target, device, key));
  }

  function made(
    program: Program,
    { name, constants }: CompileOptions,
    target: PtxTarget,
    device: CudaDevice,
    key: string,
  ): Ready {
    const memo = knownKey("cuda", compilerOf(device), key);
    const kept = memo === null ? null : keptProgram(memo);
    const load = (code: Uint8Array, { layout, launch }: Omit<Ready, "module">): Ready => ({
      layout,
      launch,
      module: new CudaModule(device, name, code, launch),
    });
    if (kept !== null) return load(kept.code, kept);
    const { code, ...layout } = compile(program, constants.length, rendererFor(target), (forms) =>
      writeDumps(name, forms),
    );
    const { text, schedule: _, ...launch } = code;
    const cubin = cubinOf(device, name, text);
    if (memo !== null && cubin.key !== null)
      rememberProgram(cachePath(), memo, { layout, launch, library: cubin.key });
    return load(cubin.code, { layout, launch });
  }

  /** Results of programs with donated arguments stay in memory, so that these have one of their own. */
  function memoryFor(engine: Engine, { name, donated }: CompileOptions): CudaMemory {
    if (donated.includes(true)) return new CudaMemory(engine, name);
    return (shared ??= new CudaMemory(engine, "the memory that programs share"));
  }

  return {
    name: "cuda",
    accepts: isCompilable,
    compile: (program, options) => {
      engine ??= startEngine();
      const { device } = engine;
      device.needIdle();
      const loaded = { ...ready(program, options, device), name: options.name };
      const memory = memoryFor(engine, options);
      const { constants, donated } = options;
      return new MemoryExecutable(loaded.layout, constants, donated, memory, (print) => {
        const starter = new Starter(engine as Engine, loaded, memory, print);
        return () => starter.run();
      });
    },
  };
}

// Starting a program on a GPU, and waiting for it while it prints.
import { fail } from "../../array/index.js";
import { controlBytes, type Compiled, type Slot } from "../../compiler/index.js";
import { isTraced, type Engine } from "./engine.js";
import { spinMs, type Flight } from "./device.js";
import { status } from "./functions.js";
import type { CudaMemory } from "./memory.js";
import type { CudaModule, Launch } from "./module.js";
import { profilerOf } from "./profile.js";
import { totalOf, type Span } from "./fetching.js";
import { groupsOf, type Group } from "./together.js";

/** How long a program that may print is left alone between two looks. */
const pauseMs = 0.05;

/** Small results of so many bytes, if it is all of them, are copied at the end of the program: it costs one wait less. */
const aheadBytes = 2 ** 14;

/** A loaded program and how it is started. */
export interface Loaded {
  /** As it is called in messages: the jitted function. */
  readonly name: string;
  readonly module: CudaModule;
  readonly launch: Launch;
  readonly layout: Omit<Compiled<unknown>, "code">;
}

/** A program in a memory, ready to be started. */
export class Starter {
  private readonly control: bigint;
  /** Three addresses of parameters, and behind them the parameters. */
  private readonly parameters = new BigUint64Array(new ArrayBuffer(6 * 8));
  private readonly parametersAddress: bigint;
  private readonly groups: ReadonlyMap<Slot, Group>;
  private readonly profiler: ReturnType<typeof profilerOf>;
  /** Results that are fetched as soon as the program has ended, without being asked for. */
  private readonly ahead: readonly Span[] | null;

  constructor(
    private readonly engine: Engine,
    private readonly loaded: Loaded,
    private readonly memory: CudaMemory,
    private readonly print: (message: number) => void,
  ) {
    const { name, layout } = loaded;
    this.control = engine.device.allocate(controlBytes, `the control block of ${name}`, this).address;
    this.parametersAddress = engine.device.driver.koffi.address(this.parameters);
    this.parameters.set([24n, 32n, 40n].map((offset) => this.parametersAddress + offset));
    this.groups = groupsOf(layout.outputs);
    this.profiler = profilerOf(engine, loaded, memory);
    // Both need pinned memory, which cannot be had while a program runs.
    engine.fetching.prepare();
    const spans = new Set([...this.groups.values()].map((group) => group.spans));
    const [first = null] = spans;
    const isQuick = spans.size === 1 && layout.messages.length === 0;
    this.ahead = isQuick && first !== null && totalOf(first) <= aheadBytes ? first : null;
  }

  /** Starts the program. One that prints, or is profiled, has ended then. */
  run(): void {
    const { engine, memory, loaded } = this;
    const { device } = engine;
    device.needIdle();
    memory.forget();
    engine.words.fill(0);
    this.parameters.set([memory.address, this.control, engine.wordsAddress], 3);
    this.profiler?.begin();
    this.start(loaded.module.entry);
    if (this.ahead !== null) engine.fetching.startSpans(memory.address, this.ahead, device.work);
    // Memory that nobody can read any more does not stay until somebody asks how the program has ended.
    const starter = new WeakRef(this);
    const ended = (code: number): void => {
      if (code !== status.success) failRun(engine, loaded, code);
      engine.sending.settle();
      starter.deref()?.takeResults();
    };
    if (loaded.layout.messages.length > 0) {
      this.printMeanwhile(ended);
      return;
    }
    device.depart({ ended });
    if (this.profiler !== null) device.land();
  }

  private takeResults(): void {
    const { engine, memory, ahead } = this;
    memory.expect(this.groups, new Map(ahead === null ? [] : [[ahead, engine.fetching.takeSpans(ahead)]]));
    this.profiler?.end();
  }

  private start(entry: bigint): void {
    const { device } = this.engine;
    const { call } = device.driver;
    const { name, launch } = this.loaded;
    const { blocks, threads, sharedBytes, isCluster } = launch;
    const grid = [blocks, 1, 1, threads, 1, 1, sharedBytes, device.work, this.parametersAddress];
    // The blocks of a cluster run at the same time in any case.
    if (blocks === 1 || isCluster) {
      const code = call.cuLaunchKernel(entry, ...grid, null);
      if (code === status.invalidClusterSize) this.failTooLarge(code, entry);
      device.check(code, `starting ${name}`);
      return;
    }
    if (!device.card.isCooperative) {
      fail("cuda", `${device.card.name} cannot start ${name}, whose ${blocks} blocks wait for each other`);
    }
    const code = call.cuLaunchCooperativeKernel(entry, ...grid);
    if (code === status.cooperativeTooLarge) this.failTooLarge(code, entry);
    device.check(code, `starting ${name} with ${blocks} blocks`);
  }

  private failTooLarge(code: number, entry: bigint): never {
    const { device } = this.engine;
    const { name, launch } = this.loaded;
    const { blocks, threads, sharedBytes } = launch;
    const each = new Int32Array(1);
    const { cuOccupancyMaxActiveBlocksPerMultiprocessor: occupancy } = device.driver.call;
    const isKnown = occupancy(each, entry, threads, sharedBytes) === status.success;
    const { multiprocessors } = device.card.target;
    return device.failed(
      code,
      `starting ${name} with ${blocks} blocks of ${threads} threads and ${sharedBytes} bytes of shared memory`,
      `They have to run at the same time, and ${device.card.name} has room for ` +
        (isKnown ? `${each[0]} on each of its ${multiprocessors} multiprocessors` : "fewer") +
        "; where others share it (MPS, CUDA_MPS_ACTIVE_THREAD_PERCENTAGE), let this process have it all",
    );
  }

  /** Waits, and prints what the program says meanwhile. */
  private printMeanwhile(ended: Flight["ended"]): void {
    const { device, words } = this.engine;
    const { cuStreamQuery } = device.driver.call;
    // What goes wrong in printing is told once the program, which waits, has come to its end.
    let failure: { readonly error: unknown } | null = null;
    let code: number = status.notReady;
    device.running = this.loaded.name;
    for (let until = performance.now() + spinMs; code === status.notReady;) {
      const message = Atomics.load(words, 0);
      if (message !== 0) {
        try {
          this.print(message - 1);
        } catch (error) {
          failure ??= { error };
        }
        Atomics.store(words, 0, 0);
        until = performance.now() + spinMs;
        continue;
      }
      code = cuStreamQuery(device.work);
      if (code === status.notReady && performance.now() > until) pause();
    }
    device.running = null;
    ended(code);
    if (failure !== null) throw failure.error;
  }
}

/** The error of a program that has failed with a status. */
function failRun({ device, words }: Engine, { name, launch }: Loaded, code: number): never {
  const kernel = words[1] - 1;
  const inside =
    kernel < 0
      ? "before its first kernel"
      : `in its kernel ${kernel} (${launch.kernels[kernel] ?? "unnamed"})`;
  const where = isTraced()
    ? `It was ${inside}`
    : "With VIBE_RL_CUDA_TRACE=1 it tells which of its kernels it was in";
  return device.failed(
    code,
    `running ${name}`,
    code === status.timeout
      ? "The system ends programs on a GPU that drives a display after some seconds: use one that drives none, or let a " +
          "program do less at a time (n_steps, num_envs, eval_episodes)"
      : where,
  );
}

let clock: Int32Array | undefined;
/** Pages that load this file as it is have no shared memory, and need none until then. */
function pause(): void {
  clock ??= new Int32Array(new SharedArrayBuffer(4));
  Atomics.wait(clock, 0, 0, pauseMs);
}

// A GPU at work: its context, its streams, its memory, and what went wrong on it.
import { fail } from "../../array/index.js";
import { viewMemory } from "../koffi.js";
import { until } from "../until.js";
import type { Card } from "./card.js";
import type { Driver } from "./driver.js";
import { status } from "./functions.js";
import { amount, explain, isLasting } from "./statuses.js";

/** Waits look again and again for so long before the thread sleeps: sleeping and waking take some 50 µs. */
export const spinMs = 1;

/** A program that has been started. */
export interface Flight {
  /** What is left to be done when it has ended, given the status of that. */
  readonly ended: (code: number) => void;
}

/** Streams that do not wait for the default one. */
const nonBlocking = 1;
/** Threads that wait sleep. */
const blockingSync = 4;

/**
 * Has another thread set up a GPU's context, which takes a tenth of a second; who needs it before that waits for the driver.
 * What goes wrong is told there.
 */
export function beginContext({ call }: Driver, { handle }: Card): void {
  call.cuDevicePrimaryCtxSetFlags_v2(handle, blockingSync);
  const out = new BigUint64Array(1);
  // The driver writes there, so that it must be kept until then.
  call.cuDevicePrimaryCtxRetain.async(out, handle, () => void out);
}

/** The context of a GPU in this process. What the driver says no to is an error here. */
export class CudaDevice {
  /** Programs, and what goes into their memory before them. */
  readonly work: bigint;
  /** What is copied while a program runs. */
  readonly transfers: bigint;
  /** The program that runs and may wait for the host. Much of what the driver does would wait for its end. */
  running: string | null = null;
  /** What was started and has not been seen to end. */
  private flight: Flight | null = null;
  /** Why nothing can run any more. */
  private lost: string | null = null;
  private readonly out = new BigUint64Array(2);

  constructor(
    readonly driver: Driver,
    readonly card: Card,
  ) {
    const { call } = driver;
    const flagged = call.cuDevicePrimaryCtxSetFlags_v2(card.handle, blockingSync);
    // Where somebody else has it already it waits as they like.
    if (flagged !== status.contextActive) this.check(flagged, `setting up ${card.name}`);
    this.check(call.cuDevicePrimaryCtxRetain(this.out, card.handle), `starting work on ${card.name}`);
    this.check(call.cuCtxSetCurrent(this.out[0]), `starting work on ${card.name}`);
    this.work = this.stream();
    this.transfers = this.stream();
  }

  private stream(): bigint {
    this.check(this.driver.call.cuStreamCreate(this.out, nonBlocking), "making a stream");
    return this.out[0];
  }

  /** Refuses what cannot be done any more. */
  needContext(): void {
    if (this.lost !== null) fail("cuda", this.lost);
  }

  /** Waits for what was started. Refuses what would wait for a program that may wait for the host. */
  needIdle(): void {
    this.needContext();
    if (this.running !== null) {
      fail(
        "cuda",
        `nothing else can be done on ${this.card.name} while ${this.running} runs: what prints its messages must not use ` +
          "programs there",
      );
    }
    this.land();
  }

  /** Notes that a program has been started. Whoever needs the device next waits for its end. */
  depart(flight: Flight): void {
    this.flight = flight;
  }

  /** Waits for the end of what was started. */
  land(): void {
    const { flight } = this;
    if (flight === null) return;
    this.flight = null;
    flight.ended(this.waited(this.work));
  }

  /** The same while the event loop turns. */
  async landed(): Promise<void> {
    const { flight } = this;
    const { cuStreamQuery } = this.driver.call;
    await until(() => this.flight !== flight || cuStreamQuery(this.work) !== status.notReady);
    if (this.flight === flight) this.land();
  }

  /** Passes a status that is none of success on as an error. */
  check(code: number, attempted: string): void {
    if (code !== status.success) this.failed(code, attempted);
  }

  /** An error for a status; `more` is what else there is to say. */
  failed(code: number, attempted: string, more = ""): never {
    const told = `${attempted} failed: ${explain(this.driver, code)}${more === "" ? "" : `. ${more}`}`;
    if (!isLasting(code)) fail("cuda", told);
    this.lost =
      `nothing can run on ${this.card.name} in this process any more, since ${attempted} has failed with status ` +
      `${code}; start the process again`;
    return fail(
      "cuda",
      `${told}. The context is lost with all that was in the GPU's memory: nothing more can run there in this process; ` +
        "start it again, from the last checkpoint",
    );
  }

  /** Waits until a stream is idle: awake for a moment, then asleep. */
  wait(stream: bigint, attempted: string): void {
    this.check(this.waited(stream), attempted);
  }

  /** The same; returns the status. */
  waited(stream: bigint): number {
    const { cuStreamQuery, cuStreamSynchronize } = this.driver.call;
    const until = performance.now() + spinMs;
    let code = cuStreamQuery(stream);
    while (code === status.notReady)
      code = performance.now() < until ? cuStreamQuery(stream) : cuStreamSynchronize(stream);
    return code;
  }

  /** Memory of the GPU, zero at first. It is freed with `owner`, or by what is returned. */
  allocate(
    bytes: number,
    what: string,
    owner: object,
  ): { readonly address: bigint; readonly free: () => void } {
    this.needIdle();
    const { call } = this.driver;
    const code = call.cuMemAlloc_v2(this.out, bytes);
    if (code === status.outOfMemory) this.failFull(bytes, what);
    this.check(code, `taking ${amount(bytes)} of GPU memory for ${what}`);
    const address = this.out[0];
    let isFreed = false;
    const free = (): void => {
      // A context that is lost has freed everything.
      if (isFreed || this.lost !== null) return;
      isFreed = true;
      // A program may still be at it whose results nobody wants; how it has ended is told to who needs the device next.
      if (this.flight !== null) this.waited(this.work);
      call.cuMemFree_v2(address);
    };
    freeing.register(owner, free);
    this.check(call.cuMemsetD8Async(address, 0, bytes, this.work), `clearing ${amount(bytes)} of GPU memory`);
    return { address, free };
  }

  private failFull(bytes: number, what: string): never {
    const { call } = this.driver;
    const sizes = new BigUint64Array(2);
    const isKnown = call.cuMemGetInfo_v2(sizes.subarray(0, 1), sizes.subarray(1)) === status.success;
    const [free, total] = [...sizes].map((size) => amount(Number(size)));
    fail(
      "cuda",
      `${what} needs ${amount(bytes)} of GPU memory, and ${this.card.name} has ` +
        (isKnown ? `${free} free of ${total}` : "less") +
        ` (${explain(this.driver, status.outOfMemory)}); use smaller arrays (a shorter rollout, a smaller buffer or ` +
        "batch), or end other programs on the GPU, which nvidia-smi lists",
    );
  }

  /** Pinned memory of the host, as long as the process lives, and where the GPU sees it. */
  pinned(bytes: number): { readonly view: ArrayBuffer; readonly host: bigint; readonly device: bigint } {
    this.needIdle();
    const { call, koffi } = this.driver;
    const attempted = `pinning ${amount(bytes)} of memory`;
    this.check(call.cuMemHostAlloc(this.out, bytes, 0x3), attempted);
    const host = this.out[0];
    this.check(call.cuMemHostGetDevicePointer_v2(this.out, host, 0), attempted);
    return { view: viewMemory(koffi, host, bytes), host, device: this.out[0] };
  }
}

const freeing = new FinalizationRegistry<() => void>((free) => free());

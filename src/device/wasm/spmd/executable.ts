// Running a program on several devices: blocks into the memory that they share, a run on all of them, results out.
import {
  arrayType,
  concrete,
  fail,
  printMessage,
  type Array as NDArray,
  type Concrete,
  type Shards,
  type SpmdExecutable,
  type TypedArray,
} from "../../../array/index.js";
import { controlWords, type WasmSpmdProgram } from "../../../compiler/index.js";
import type { Member } from "./member.js";
import { shareMemory, viewSlot, type SharedMemory } from "./memory.js";
import { countProcessors, findMembers, maySleep, occupied } from "./pool.js";
import { instantiate, recover, runDevice, type DeviceProgram } from "./running.js";
import { ResidentShards } from "./shards.js";

/** How often a device looks for the others before it sleeps: for as long as sleeping and waking takes, some 7 µs. */
const spinsWhenAlone = 12_000;
/** The same where there are more devices than processors: who is waited for may need this one. */
const spinsWhenCrowded = 100;

let lastProgram = 0;

/** Threads forget programs that nobody can run any more. */
const forgetting = new FinalizationRegistry<{
  readonly program: number;
  readonly members: readonly Member[];
}>(({ program, members }) => {
  for (const member of members) if (member.lost === null) member.post({ kind: "drop", program });
});

export class WasmSpmdExecutable implements SpmdExecutable {
  readonly bytesPerDevice: number;
  private readonly number: number;
  private readonly shared: SharedMemory;
  private readonly first: DeviceProgram;
  private readonly spins: number;
  /** The threads that have the program, by device. */
  private readonly loaded: Member[] = [];
  /** Results of the last run that may still be in memory. */
  private residents: WeakRef<ResidentShards>[] = [];

  constructor(
    private readonly program: WasmSpmdProgram,
    module: WebAssembly.Module,
    private readonly constants: readonly NDArray[],
    private readonly donated: readonly boolean[],
  ) {
    const { memoryBytes, deviceBytes, bases, arrivals } = program;
    this.number = ++lastProgram;
    this.bytesPerDevice = deviceBytes;
    // Before anything else: it says best what is missing here.
    findMembers(bases.length);
    this.shared = shareMemory(memoryBytes, bases);
    const { memory } = this.shared;
    this.spins = bases.length <= countProcessors() ? spinsWhenAlone : spinsWhenCrowded;
    const words = new Int32Array(memory.buffer);
    words[controlWords.spins / 4] = this.spins;
    words[controlWords.mayFirstSleep / 4] = maySleep() ? 1 : 0;
    for (const device of bases.keys())
      constants.forEach((constant, at) => this.write(at, device, constant.elements as TypedArray));
    const run = instantiate(module, memory, (message) => this.print(message));
    this.first = { device: 0, memory, abort: controlWords.abort, arrivals: arrivals[0], run };
    this.load();
  }

  run(inputs: readonly Shards[]): Shards[] {
    return occupied(() => {
      const members = this.load();
      this.placeInputs(inputs);
      for (const member of members) member.begin(this.number, this.spins);
      const failure = runDevice({ ...this.first, run: () => this.runFirst(members) });
      for (const member of members) member.finish(this.spins, maySleep());
      this.failIfAborted(members, failure);
      const results = this.program.outputs.map((slot) => new ResidentShards(slot, this.shared));
      this.residents = results.map((result) => new WeakRef(result));
      return results;
    });
  }

  /** After the others were asked: who ends later stops this device's run itself. */
  private runFirst(members: readonly Member[]): void {
    for (const member of members) member.failIfLost();
    this.first.run();
  }

  /** Gives the program to threads that do not have it yet, and returns all of them. */
  private load(): Member[] {
    const { modules, arrivals } = this.program;
    const members = findMembers(modules.length);
    if (members.every((member, at) => this.loaded[at] === member)) return members;
    members.forEach((member, at) => {
      if (this.loaded[at] === member) return;
      this.loaded[at] = member;
      const device = at + 1;
      member.post({
        kind: "load",
        program: this.number,
        device,
        bytes: modules[device],
        memory: this.shared.memory,
        abort: controlWords.abort,
        arrivals: arrivals[device],
      });
    });
    forgetting.unregister(this.loaded);
    forgetting.register(this, { program: this.number, members: [...this.loaded] }, this.loaded);
    return members;
  }

  /** Saves earlier results from being overwritten, and brings inputs to where they are wanted. */
  private placeInputs(inputs: readonly Shards[]): void {
    const { program, constants, shared } = this;
    const staying = new Set<ResidentShards>();
    const isInPlace = inputs.map((input, index) => {
      const { address } = program.inputs[constants.length + index];
      const isThere = input instanceof ResidentShards && input.isAt(shared, address);
      if (!isThere || !this.donated[index] || staying.has(input)) return false;
      staying.add(input);
      return true;
    });
    inputs.forEach((input, index) => {
      if (!isInPlace[index] && staying.has(input as ResidentShards)) (input as ResidentShards).save();
    });
    for (const reference of this.residents) {
      const resident = reference.deref();
      if (resident === undefined) continue;
      if (!staying.has(resident)) resident.save();
      resident.leave();
    }
    this.residents = [];
    inputs.forEach((input, index) => {
      if (isInPlace[index]) return;
      for (const device of shared.bases.keys()) {
        const block = input instanceof ResidentShards ? input.peek(device) : input.read(device);
        this.write(constants.length + index, device, block);
      }
    });
  }

  private write(input: number, device: number, block: TypedArray): void {
    const view = viewSlot(this.shared, device, this.program.inputs[input]);
    if (view.length !== block.length) {
      fail(
        "spmd",
        `input ${input - this.constants.length} has ${block.length} elements on device ${device}, ` +
          `the program was compiled for ${view.length}`,
      );
    }
    view.set(block);
  }

  private failIfAborted(members: readonly Member[], failure: { readonly cause: unknown } | null): void {
    const failed = recover(this.first, this.program.arrivals);
    if (failed === null) return;
    const cause = failed === 0 ? failure?.cause : members[failed - 1].failure;
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new Error(
      `spmd: device ${failed} of ${this.shared.bases.length} failed, and the others stopped: ${message}`,
      { cause },
    );
  }

  private print(message: number): void {
    const { params, values } = this.program.messages[message];
    const arrays = values.map((slot): Concrete => {
      const elements = viewSlot(this.shared, 0, slot).slice();
      return concrete(arrayType(slot.shape, slot.dtype), elements);
    });
    printMessage(arrays, params);
  }
}

// Steps as WebAssembly functions: one for each kernel and each iteration of a loop, because V8 optimises function by
// function and never a function that is running.
import type { Address, Buffer, Counter, Kernel, Step } from "../kernel.js";
import { countersOf } from "../walk.js";
import type { MemoryPlan } from "../plan/arena.js";
import { Assembler } from "./assembler.js";
import { renderDot } from "./dot/index.js";
import { renderLoop } from "./loop.js";
import type { Features } from "./math.js";
import type { HostFunction, ModuleParts } from "./module.js";
import { itemBytes, type Surroundings } from "./pointers.js";
import type { SharingDevice } from "./sharing.js";
import { renderSort } from "./sort.js";
import { withoutLoadGuards } from "./speculation.js";

/** The host function that prints message number so and so. */
const print: HostFunction = { name: "print", params: ["i32"] };

/** The code of steps; of one of several devices in a memory that they share, if that is given. */
export function renderSteps(
  steps: readonly Step[],
  plan: MemoryPlan,
  features: Features,
  device: SharingDevice | null = null,
): ModuleParts {
  return new ModuleRenderer(plan, features, device).render(steps);
}

class ModuleRenderer {
  private readonly functions: Assembler[] = [];

  constructor(
    private readonly plan: MemoryPlan,
    private readonly features: Features,
    private readonly device: SharingDevice | null,
  ) {}

  render(steps: readonly Step[]): ModuleParts {
    const { device, functions } = this;
    const entry = this.functionOf("run", steps, []);
    const memoryBytes = device?.memoryBytes ?? this.plan.bytes;
    return { imports: [print], functions, entry, memoryBytes, isShared: device?.isShared ?? false };
  }

  private add(assembler: Assembler): number {
    // Functions are numbered from 1 on: 0 is the host's.
    return this.functions.push(assembler);
  }

  private addressOf(buffer: Buffer): number {
    return (this.device?.base ?? 0) + (this.plan.addresses.get(buffer) ?? 0);
  }

  private sharing(): SharingDevice {
    if (this.device === null) throw new Error("exchanges need devices that share a memory");
    return this.device;
  }

  private surroundings(counters: readonly Counter[]): Surroundings {
    return {
      addressOf: (buffer) => this.addressOf(buffer),
      scratchOf: (kernel) => {
        const scratch = this.plan.scratch.get(kernel);
        return scratch === undefined ? 0 : this.addressOf(scratch);
      },
      counterLocal: (counter) => counters.indexOf(counter),
    };
  }

  /** A function that runs steps inside the given loops; its parameters are their counters. */
  private functionOf(name: string, steps: readonly Step[], counters: readonly Counter[]): number {
    const asm = new Assembler(
      name,
      counters.map(() => "i32"),
    );
    this.emit(asm, steps, counters, new Map(counters.map((counter, local) => [counter, local])));
    return this.add(asm);
  }

  private emit(
    asm: Assembler,
    steps: readonly Step[],
    counters: readonly Counter[],
    locals: ReadonlyMap<Counter, number>,
  ): void {
    const load = (place: {
      readonly buffer: Buffer;
      readonly offset: number;
      readonly counters: Address["counters"];
    }) => this.pushPlace(asm, place, locals);
    for (const step of steps) {
      switch (step.kind) {
        case "kernel":
          this.emitKernel(asm, step.kernel, locals);
          break;
        case "loop": {
          const { length } = step.counter;
          const inner = [...counters, step.counter];
          const body = this.functionOf(`iteration${step.counter.id}`, step.body, inner);
          const counter = asm.local("i32");
          asm.i32(step.reverse ? length - 1 : 0).set(counter);
          asm.loop((again) => {
            counters.forEach((outer) => asm.get(locals.get(outer) ?? 0));
            asm.get(counter).op("call", body);
            asm
              .get(counter)
              .i32(step.reverse ? -1 : 1)
              .op("i32.add")
              .tee(counter);
            asm.i32(step.reverse ? 0 : length).op(step.reverse ? "i32.ge_s" : "i32.lt_s");
            again();
          });
          asm.release("i32", counter);
          break;
        }
        case "while": {
          const body = this.functionOf("whileIteration", step.body, counters);
          asm.block((leave) => {
            asm.loop((again) => {
              this.emit(asm, step.test, counters, locals);
              load(step.predicate);
              asm.op("i32.load8_u").op("i32.eqz");
              leave();
              counters.forEach((outer) => asm.get(locals.get(outer) ?? 0));
              asm.op("call", body).i32(1);
              again();
            });
          });
          break;
        }
        case "branch": {
          const index = asm.local("i32");
          load(step.index);
          asm.op("i32.load").set(index);
          this.emitCases(asm, step.cases, index, 0, counters, locals);
          asm.release("i32", index);
          break;
        }
      }
    }
  }

  /** The case of the index, the first for smaller and the last for larger ones; found by halving. */
  private emitCases(
    asm: Assembler,
    cases: readonly (readonly Step[])[],
    index: number,
    first: number,
    counters: readonly Counter[],
    locals: ReadonlyMap<Counter, number>,
  ): void {
    if (cases.length === 1) {
      this.emit(asm, cases[0], counters, locals);
      return;
    }
    const half = cases.length >> 1;
    const emitFrom = (from: number, to: number) => () =>
      this.emitCases(asm, cases.slice(from, to), index, first + from, counters, locals);
    asm
      .get(index)
      .i32(first + half)
      .op("i32.lt_s");
    asm.branch(emitFrom(0, half), emitFrom(half, cases.length));
  }

  private pushPlace(
    asm: Assembler,
    {
      buffer,
      offset,
      counters,
    }: { readonly buffer: Buffer; readonly offset: number; readonly counters: Address["counters"] },
    locals: ReadonlyMap<Counter, number>,
  ): void {
    asm.i32(this.addressOf(buffer) + offset * itemBytes(buffer));
    for (const { counter, stride } of counters) {
      asm
        .get(locals.get(counter) ?? 0)
        .i32(stride * itemBytes(buffer))
        .op("i32.mul")
        .op("i32.add");
    }
  }

  private emitKernel(asm: Assembler, kernel: Kernel, locals: ReadonlyMap<Counter, number>): void {
    if (this.plan.isIdle(kernel)) return;
    switch (kernel.kind) {
      case "copy":
        this.pushPlace(asm, kernel.to, locals);
        this.pushPlace(asm, kernel.from, locals);
        asm.i32(kernel.size * itemBytes(kernel.to.buffer)).op("memory.copy");
        break;
      case "print":
        asm.i32(kernel.message).op("call", 0);
        break;
      case "axisIndex":
        this.pushPlace(asm, kernel.to, locals);
        asm.i32(this.sharing().groupAlong(kernel.axes).rank).op("i32.store");
        break;
      case "loop":
        this.emitCall(asm, kernel, locals, (inner, surroundings) =>
          renderLoop(inner, withoutLoadGuards(kernel), surroundings, this.features),
        );
        break;
      case "dot":
        this.emitCall(asm, kernel, locals, (inner, surroundings) =>
          renderDot(inner, kernel, surroundings, this.features),
        );
        break;
      case "sort":
        this.emitCall(asm, kernel, locals, (inner, surroundings) => renderSort(inner, kernel, surroundings));
        break;
      case "exchange":
        this.emitCall(asm, kernel, locals, (inner, surroundings) =>
          this.sharing().renderExchange(inner, kernel, surroundings, (meeting) => this.add(meeting)),
        );
        break;
    }
  }

  /** Calls a function of the kernel's own, whose parameters are the counters that it moves with. */
  private emitCall(
    asm: Assembler,
    kernel: Kernel,
    locals: ReadonlyMap<Counter, number>,
    render: (inner: Assembler, surroundings: Surroundings) => void,
  ): void {
    const counters = countersOf(kernel);
    const inner = new Assembler(
      kernel.name,
      counters.map(() => "i32"),
    );
    render(inner, this.surroundings(counters));
    counters.forEach((counter) => asm.get(locals.get(counter) ?? 0));
    asm.op("call", this.add(inner));
  }
}

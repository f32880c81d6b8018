// Running compiled programs in memory of a device: arguments into it, results out of it. Devices differ in what their
// memory is and in how a program is started, and share the rest.
import {
  Array,
  arrayType,
  concrete,
  fail,
  printMessage,
  sizeOf,
  type ArrayType,
  type Concrete,
  type RemoteElements,
  type ResidentExecutable,
  type TypedArray,
} from "../array/index.js";
import type { Compiled, Slot } from "../compiler/index.js";

/** Memory in which programs run, one at a time. It grows to what the largest needs. */
export interface DeviceMemory {
  /** The program that ran last: what it keeps in memory is still there. */
  owner: object | null;
  /** Makes room, or says that the machine has none. */
  readonly ensure: (bytes: number) => void;
  /** A copy of the elements that lie at a slot. */
  readonly read: (slot: Slot, size: number) => TypedArray;
  /** Puts elements where a slot says. */
  readonly write: (slot: Slot, elements: TypedArray) => void;
  /**
   * Where starting a program does not wait for its end: resolves when what was started has ended. Results stay here until they
   * are read then.
   */
  readonly landed?: () => Promise<void>;
}

/** Memory that the host can look into. */
export interface OpenMemory extends DeviceMemory {
  /** The elements that lie at a slot, not copied. They are good until something else runs or the memory grows. */
  readonly view: (slot: Slot, size: number) => TypedArray;
}

/** Where things lie, whatever the code. */
type Layout = Omit<Compiled<unknown>, "code">;

/** Makes a program ready to be started; it calls `print` with the numbers of its messages. */
type Load = (print: (message: number) => void) => () => void;

/** A result that stays in the memory of the program that made it until it is asked for. */
class Resident implements RemoteElements {
  private elements: TypedArray | null = null;
  /** Whether the memory is still this result's, and whether nothing is left of it. */
  private isHere = true;
  private isGone = false;

  constructor(
    private readonly slot: Slot,
    private readonly size: number,
    private readonly memory: DeviceMemory,
  ) {}

  /** A copy of the elements, made once. */
  read(): TypedArray {
    if (this.isGone) {
      fail(
        "jit",
        "this array was given up to a later call (donateArgnums), which has used its memory; " +
          "use what that call returned, or do not donate the argument",
      );
    }
    return (this.elements ??= this.memory.read(this.slot, this.size));
  }

  async ready(): Promise<void> {
    if (this.elements === null) await this.memory.landed?.();
  }

  /** Whether it lies at an address of a memory. */
  isAt(memory: DeviceMemory, address: number): boolean {
    return this.isHere && this.memory === memory && this.slot.address === address;
  }

  /** Gives up the memory. */
  leave(): void {
    this.isHere = false;
    this.isGone = this.elements === null;
  }
}

/** Results of the last run in a memory that nobody has copied yet, if they stay there. */
const residents = new WeakMap<DeviceMemory, readonly WeakRef<Resident>[]>();

/** Saves results that are left in a memory from being overwritten, but for those that are given up. */
function rescue(memory: DeviceMemory, givenUp: ReadonlySet<Resident>): void {
  for (const reference of residents.get(memory) ?? []) {
    const resident = reference.deref();
    if (resident === undefined) continue;
    if (!givenUp.has(resident)) resident.read();
    resident.leave();
  }
  residents.delete(memory);
}

export class MemoryExecutable<Memory extends DeviceMemory = DeviceMemory> {
  private readonly start: () => void;
  private readonly sizes: readonly number[];
  private readonly types: readonly ArrayType[];
  private readonly keepsResults: boolean;

  /** A program with donated arguments needs a memory of its own, so that its results can stay there. */
  constructor(
    private readonly program: Layout,
    private readonly constants: readonly Array[],
    private readonly donated: readonly boolean[],
    private readonly memory: Memory,
    load: Load,
  ) {
    // A larger memory has nothing of the one before.
    rescue(memory, new Set());
    memory.ensure(program.memoryBytes);
    this.start = load((message) => this.print(message));
    this.sizes = program.outputs.map(({ shape }) => sizeOf(shape));
    this.types = program.outputs.map(({ shape, dtype }) => arrayType(shape, dtype));
    this.keepsResults = donated.includes(true) || memory.landed !== undefined;
  }

  run(inputs: readonly Array[]): Array[] {
    const { program, memory, constants } = this;
    const isInPlace = this.keepsResults ? this.placeInputs(inputs) : null;
    if (memory.owner !== this) {
      constants.forEach((constant, index) => this.write(program.inputs[index], constant));
      memory.owner = this;
    }
    inputs.forEach((input, index) => {
      if (isInPlace?.[index] !== true) this.write(program.inputs[constants.length + index], input);
    });
    this.start();
    if (this.keepsResults) return this.keepResults();
    return program.outputs.map((slot, index) =>
      concrete(this.types[index], memory.read(slot, this.sizes[index])),
    );
  }

  /** The program with its memory laid open; all its inputs are constants, and its memory is its own. */
  resident(this: MemoryExecutable<OpenMemory>): ResidentExecutable {
    const { program, memory, constants } = this;
    constants.forEach((constant, index) => this.write(program.inputs[index], constant));
    memory.owner = this;
    const view = (slot: Slot): TypedArray => memory.view(slot, sizeOf(slot.shape));
    return { inputs: program.inputs.map(view), outputs: program.outputs.map(view), run: this.start };
  }

  /** Saves earlier results from being overwritten; returns which inputs lie where they are wanted and are given up. */
  private placeInputs(inputs: readonly Array[]): boolean[] {
    const { program, constants } = this;
    const staying = new Set<Resident>();
    const isInPlace = inputs.map(({ remote }, index) => {
      const { address } = program.inputs[constants.length + index];
      const isThere = remote instanceof Resident && remote.isAt(this.memory, address);
      if (!isThere || !this.donated[index] || staying.has(remote)) return false;
      staying.add(remote);
      return true;
    });
    rescue(this.memory, staying);
    // What is copied into the place of another argument must have been read before.
    inputs.forEach((input, index) => isInPlace[index] || input.elements);
    return isInPlace;
  }

  private keepResults(): Array[] {
    const { program, memory, sizes, types } = this;
    const all = program.outputs.map((slot, index) => new Resident(slot, sizes[index], memory));
    residents.set(
      memory,
      all.map((resident) => new WeakRef(resident)),
    );
    return all.map((resident, index) => new Array(types[index], null, null, resident));
  }

  private write(slot: Slot, array: Array): void {
    this.memory.write(slot, array.elements as TypedArray);
  }

  private print(message: number): void {
    const { params, values } = this.program.messages[message];
    const arrays = values.map((slot): Concrete =>
      concrete(arrayType(slot.shape, slot.dtype), this.memory.read(slot, sizeOf(slot.shape))),
    );
    printMessage(arrays, params);
  }
}

// Running compiled programs: arguments into WebAssembly memory, results out of it.
import {
  Array,
  arrayType,
  concrete,
  fail,
  printMessage,
  sizeOf,
  viewBytes,
  type ArrayType,
  type Concrete,
  type RemoteElements,
  type ResidentExecutable,
  type TypedArray,
} from "../../array/index.js";
import { pageBytes, type Slot, type WasmProgram } from "../../compiler/index.js";

/** Memory in which programs run, one at a time. It grows to what the largest needs. */
export class DeviceMemory {
  readonly memory = new WebAssembly.Memory({ initial: 1 });
  /** The program that ran last: what it keeps in memory is still there. */
  owner: WasmExecutable | null = null;

  /** Makes room, or says that the machine has none. */
  ensure(bytes: number): void {
    const missing = Math.ceil((bytes - this.memory.buffer.byteLength) / pageBytes);
    if (missing <= 0) return;
    try {
      this.memory.grow(missing);
    } catch (cause) {
      fail(
        "jit",
        `the program needs ${(bytes / 2 ** 30).toFixed(2)} GiB of memory, which the engine would not give ` +
          `(${String(cause)}); use smaller arrays, or free memory`,
      );
    }
  }

  /** The elements that lie at a slot, not copied. */
  view({ dtype, address }: Slot, size: number): TypedArray {
    return viewBytes(dtype, this.memory.buffer, address, size);
  }
}

/** A result that stays in the memory of the program that made it until it is asked for. */
class Resident implements RemoteElements {
  private elements: TypedArray | null = null;
  /** Whether the memory is still this result's, and whether nothing is left of it. */
  private isHere = true;
  private isGone = false;

  constructor(
    private readonly slot: Slot,
    private readonly size: number,
    private readonly device: DeviceMemory,
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
    return (this.elements ??= this.device.view(this.slot, this.size).slice());
  }

  /** Whether it lies at an address of a memory. */
  isAt(device: DeviceMemory, address: number): boolean {
    return this.isHere && this.device === device && this.slot.address === address;
  }

  /** Gives up the memory. */
  leave(): void {
    this.isHere = false;
    this.isGone = this.elements === null;
  }
}

export class WasmExecutable {
  private readonly start: () => void;
  private readonly sizes: readonly number[];
  private readonly types: readonly ArrayType[];
  private readonly keepsResults: boolean;
  /** Results of the last run that nobody has copied yet, if they stay in memory. */
  private residents: WeakRef<Resident>[] = [];

  /** A program with donated arguments has a memory of its own, so that its results can stay there. */
  constructor(
    private readonly program: WasmProgram,
    module: WebAssembly.Module,
    private readonly constants: readonly Array[],
    private readonly donated: readonly boolean[],
    private readonly device: DeviceMemory,
  ) {
    device.ensure(program.memoryBytes);
    const instance = new WebAssembly.Instance(module, {
      host: { memory: device.memory, print: (message: number) => this.print(message) },
    });
    this.start = instance.exports.run as () => void;
    this.sizes = program.outputs.map(({ shape }) => sizeOf(shape));
    this.types = program.outputs.map(({ shape, dtype }) => arrayType(shape, dtype));
    this.keepsResults = donated.includes(true);
  }

  run(inputs: readonly Array[]): Array[] {
    const { program, device, constants } = this;
    const isInPlace = this.keepsResults ? this.placeInputs(inputs) : null;
    if (device.owner !== this) {
      constants.forEach((constant, index) => this.write(program.inputs[index], constant));
      device.owner = this;
    }
    inputs.forEach((input, index) => {
      if (isInPlace?.[index] !== true) this.write(program.inputs[constants.length + index], input);
    });
    this.start();
    return this.keepsResults
      ? program.outputs.map((slot, index) => this.keep(slot, index))
      : program.outputs.map((slot, index) =>
          concrete(this.types[index], device.view(slot, this.sizes[index]).slice()),
        );
  }

  /** The program with its memory laid open; all its inputs are constants, and its memory is its own. */
  resident(): ResidentExecutable {
    const { program, device, constants } = this;
    constants.forEach((constant, index) => this.write(program.inputs[index], constant));
    device.owner = this;
    const view = (slot: Slot): TypedArray => device.view(slot, sizeOf(slot.shape));
    return { inputs: program.inputs.map(view), outputs: program.outputs.map(view), run: this.start };
  }

  /** Saves earlier results from being overwritten; returns which inputs lie where they are wanted and are given up. */
  private placeInputs(inputs: readonly Array[]): boolean[] {
    const { program, constants } = this;
    const staying = new Set<Resident>();
    const isInPlace = inputs.map(({ remote }, index) => {
      const { address } = program.inputs[constants.length + index];
      const isThere = remote instanceof Resident && remote.isAt(this.device, address);
      if (!isThere || !this.donated[index] || staying.has(remote)) return false;
      staying.add(remote);
      return true;
    });
    for (const reference of this.residents) {
      const resident = reference.deref();
      if (resident === undefined) continue;
      if (!staying.has(resident)) resident.read();
      resident.leave();
    }
    // What is copied into the place of another argument must have been read before.
    inputs.forEach((input, index) => isInPlace[index] || input.elements);
    this.residents = [];
    return isInPlace;
  }

  private keep(slot: Slot, index: number): Array {
    const resident = new Resident(slot, this.sizes[index], this.device);
    this.residents.push(new WeakRef(resident));
    return new Array(this.types[index], null, null, resident);
  }

  private write(slot: Slot, array: Array): void {
    const elements = array.elements as TypedArray;
    this.device.view(slot, elements.length).set(elements);
  }

  private print(message: number): void {
    const { params, values } = this.program.messages[message];
    const arrays = values.map((slot): Concrete =>
      concrete(arrayType(slot.shape, slot.dtype), this.device.view(slot, sizeOf(slot.shape)).slice()),
    );
    printMessage(arrays, params);
  }
}

// Running compiled programs: arguments into WebAssembly memory, results out of it.
import {
  arrayType,
  concrete,
  printMessage,
  type Array,
  type Concrete,
  type TypedArray,
} from "../../array/index.js";
import { pageBytes, type Slot, type WasmProgram } from "../../compiler/index.js";

const views = {
  bool: Uint8Array,
  uint8: Uint8Array,
  uint32: Uint32Array,
  int32: Int32Array,
  float32: Float32Array,
  float64: Float64Array,
} as const;

/** The memory in which all programs of a device run, one at a time. It grows to what the largest needs. */
export class DeviceMemory {
  readonly memory = new WebAssembly.Memory({ initial: 1 });
  /** The program that ran last: what it keeps in memory is still there. */
  owner: WasmExecutable | null = null;

  ensure(bytes: number): void {
    const missing = Math.ceil((bytes - this.memory.buffer.byteLength) / pageBytes);
    if (missing > 0) this.memory.grow(missing);
  }
}

const countOf = ({ shape }: Slot): number => shape.reduce((product, extent) => product * extent, 1);

export class WasmExecutable {
  private readonly start: () => void;
  private readonly sizes: readonly number[];

  constructor(
    private readonly program: WasmProgram,
    module: WebAssembly.Module,
    private readonly constants: readonly Array[],
    private readonly device: DeviceMemory,
  ) {
    device.ensure(program.memoryBytes);
    const instance = new WebAssembly.Instance(module, {
      host: { memory: device.memory, print: (message: number) => this.print(message) },
    });
    this.start = instance.exports.run as () => void;
    this.sizes = program.outputs.map(countOf);
  }

  run(inputs: readonly Array[]): Array[] {
    const { program, device, constants } = this;
    if (device.owner !== this)
      constants.forEach((constant, index) => this.write(program.inputs[index], constant));
    device.owner = this;
    inputs.forEach((input, index) => this.write(program.inputs[constants.length + index], input));
    this.start();
    return program.outputs.map((slot, index) => this.read(slot, this.sizes[index]));
  }

  private write({ dtype, address }: Slot, array: Array): void {
    const elements = array.elements as TypedArray;
    new views[dtype](this.device.memory.buffer, address, elements.length).set(elements);
  }

  private read({ dtype, address, shape }: Slot, size: number): Concrete {
    return concrete(
      arrayType(shape, dtype),
      new views[dtype](this.device.memory.buffer, address, size).slice(),
    );
  }

  private print(message: number): void {
    const { params, values } = this.program.messages[message];
    printMessage(
      values.map((slot) => this.read(slot, countOf(slot))),
      params,
    );
  }
}

// Devices that run kernels as they are written down, for tests: `jit(f, { device: "kernels" })` with every buffer by
// itself, and "planned kernels" where the plan says.
import {
  arrayType,
  axes as deviceAxes,
  printMessage,
  registerBackend,
  sizeOf,
  type Backend,
  type NamedAxis,
  type Program,
  type TypedArray,
} from "../../src/array/index.js";
import { concrete } from "../../src/array/core/interpret.js";
import { fuseProgram, type PlacedArray } from "../../src/compiler/fuse/program.js";
import { isCompilable, simplifyProgram, type Renderer } from "../../src/compiler/index.js";
import type { Buffer } from "../../src/compiler/kernel.js";
import { planMemory } from "../../src/compiler/plan/arena.js";
import { runSteps } from "./kernelInterpreter.js";
import { Memory } from "./kernelValues.js";

const buffersOf = (arrays: readonly PlacedArray[]): Buffer[] => arrays.map(({ place }) => place.buffer);

interface Options extends Pick<Renderer<unknown>, "arrange"> {
  /** Whether buffers lie where the plan says. */
  readonly isPlanned: boolean;
}

/** A program ready to run: the elements of all inputs of each device to those of the outputs. */
function prepare(
  program: Program,
  axes: readonly NamedAxis[],
  { isPlanned, arrange = (steps) => steps }: Options,
): (inputs: readonly (readonly TypedArray[])[]) => TypedArray[][] {
  const fused = fuseProgram(simplifyProgram(program));
  const { inputs, outputs, messages } = fused;
  const steps = arrange(fused.steps, new Set([...buffersOf(inputs), ...buffersOf(outputs)]));
  const plan = isPlanned
    ? planMemory(steps, buffersOf(inputs), buffersOf(outputs), [], { scratch: () => 0 })
    : null;
  const read = (memory: Memory, { place, shape }: PlacedArray): TypedArray =>
    memory.slice(place, sizeOf(shape));
  const print = (message: number, memory: Memory): void => {
    const { params, values } = messages[message];
    const arrays = values.map((value) => {
      const type = arrayType(value.shape, value.place.buffer.dtype);
      return concrete(type, read(memory, value));
    });
    printMessage(arrays, params);
  };
  return (given) => {
    const memories = given.map((elements) => {
      const memory = new Memory(plan);
      inputs.forEach(({ place: { buffer } }, index) => memory.of(buffer).set(elements[index]));
      return memory;
    });
    runSteps(steps, memories, { axes, print });
    return memories.map((memory) => outputs.map((output) => read(memory, output)));
  };
}

/** A device of kernels that are arranged somehow. */
export const kernelBackend = (name: string, options: Options): Backend => ({
  name,
  accepts: isCompilable,
  compile: (program, { constants }) => {
    const run = prepare(program, [], options);
    return {
      run: (inputs) => {
        const [outputs] = run([[...constants, ...inputs].map((input) => input.data())]);
        return program.outputs.map(({ type }, index) => concrete(type, outputs[index]));
      },
    };
  },
  spmd: (program, { axes, constants }) => {
    const run = prepare(program, axes, options);
    const devices = Array.from({ length: deviceAxes.countAlong(axes) }, (_, device) => device);
    return {
      run: (inputs) => {
        const outputs = run(
          devices.map((device) => [
            ...constants.map((constant) => constant.data()),
            ...inputs.map((input) => input.read(device)),
          ]),
        );
        return program.outputs.map((_, index) => ({ read: (device) => outputs[device][index] }));
      },
      bytesPerDevice: 0,
    };
  },
});

export const kernelBackends: readonly Backend[] = [
  kernelBackend("kernels", { isPlanned: false }),
  kernelBackend("planned kernels", { isPlanned: true }),
];
for (const backend of kernelBackends) registerBackend(backend, { isDefault: false });

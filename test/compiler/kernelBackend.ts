// A device that runs kernels as they are written down, for tests: `jit(f, { device: "kernels" })`.
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
import { isCompilable, simplifyProgram } from "../../src/compiler/index.js";
import { runSteps } from "./kernelInterpreter.js";
import { Memory } from "./kernelValues.js";

/** A program ready to run: the elements of all inputs of each device to those of the outputs. */
function prepare(
  program: Program,
  axes: readonly NamedAxis[],
): (inputs: readonly (readonly TypedArray[])[]) => TypedArray[][] {
  const { steps, inputs, outputs, messages } = fuseProgram(simplifyProgram(program));
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
      const memory = new Memory();
      inputs.forEach(({ place: { buffer } }, index) => memory.of(buffer).set(elements[index]));
      return memory;
    });
    runSteps(steps, memories, { axes, print });
    return memories.map((memory) => outputs.map((output) => read(memory, output)));
  };
}

export const kernelBackend: Backend = {
  name: "kernels",
  accepts: isCompilable,
  compile: (program, { constants }) => {
    const run = prepare(program, []);
    return {
      run: (inputs) => {
        const [outputs] = run([[...constants, ...inputs].map((input) => input.data())]);
        return program.outputs.map(({ type }, index) => concrete(type, outputs[index]));
      },
    };
  },
  spmd: (program, { axes, constants }) => {
    const run = prepare(program, axes);
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
};

registerBackend(kernelBackend, { isDefault: false });

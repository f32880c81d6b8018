// A program in two halves, run one after the other: what the first hands on stays on the device.
import type { Array, Executable } from "../../array/index.js";
import type { Halves } from "../../compiler/index.js";
import { DeviceElements } from "./buffers.js";
import type { Client } from "./client.js";
import { XlaExecutable, type Ready } from "./executable.js";

/** Which inputs of each half may be overwritten, of a program with these, constants included. */
export const donatedToHalves = (
  { first, second, handed }: Halves,
  donated: readonly boolean[],
): readonly (readonly boolean[])[] => [
  // What both take the second may have. What is handed on nobody overwrites: it may be a result.
  first.inputs.map((at) => donated[at] && !second.inputs.includes(at)),
  [...second.inputs.map((at) => donated[at]), ...handed.map(() => false)],
];

export class XlaPair implements Executable {
  private readonly executables: readonly XlaExecutable[];
  /** Which of the arguments each half takes. */
  private readonly taken: readonly (readonly number[])[];

  constructor(
    client: Client,
    name: string,
    private readonly halves: Halves,
    ready: readonly Ready[],
    constants: readonly Array[],
    donated: readonly (readonly boolean[])[],
  ) {
    const count = constants.length;
    const both = [halves.first, halves.second];
    this.executables = both.map(({ program, inputs }, which) => {
      const own = inputs.filter((at) => at < count).map((at) => constants[at]);
      return new XlaExecutable(client, name, ready[which], program, own, donated[which].slice(own.length));
    });
    this.taken = both.map(({ inputs }) => inputs.filter((at) => at >= count).map((at) => at - count));
  }

  run(inputs: readonly Array[]): Array[] {
    const { handed, results } = this.halves;
    const [first, second] = this.executables;
    const [early, late] = this.taken.map((own) => own.map((at) => inputs[at]));
    const made = first.run(early);
    const others = second.run([...late, ...handed.map((at) => made[at])]);
    const isResult = new Set(results.flatMap(({ half, at }) => (half === "first" ? [at] : [])));
    for (const at of handed) {
      const { remote } = made[at];
      // XLA keeps the memory until the second half has read it.
      if (!isResult.has(at) && remote instanceof DeviceElements) remote.giveUp();
    }
    return results.map(({ half, at }) => (half === "first" ? made : others)[at]);
  }
}

// A program in two halves, run one after the other: what the first hands on stays on the device, and is the second's.
import type { Array, CompileOptions, Executable, Program } from "../../array/index.js";
import type { Half } from "../../compiler/index.js";
import type { Client } from "./client.js";
import { XlaExecutable, type Ready } from "./executable.js";

type Compile = (programs: readonly Program[], donated: readonly (readonly boolean[])[]) => readonly Ready[];

export class XlaPair implements Executable {
  private readonly halves: readonly XlaExecutable[];
  /** Which of the arguments each half takes. */
  private readonly taken: readonly (readonly number[])[];

  constructor(
    client: Client,
    halves: readonly [Half, Half],
    /** Which inputs, constants included, may be overwritten. */
    donated: readonly boolean[],
    { name, constants }: CompileOptions,
    compile: Compile,
  ) {
    const [first, second] = halves;
    const count = constants.length;
    // What both take the second may have.
    const flags = [
      first.inputs.map((at) => donated[at] && !second.inputs.includes(at)),
      [...second.inputs.map((at) => donated[at]), ...first.program.outputs.map(() => true)],
    ];
    const ready = compile(
      halves.map(({ program }) => program),
      flags,
    );
    this.halves = halves.map(({ program, inputs }, which) => {
      const own = inputs.filter((at) => at < count);
      return new XlaExecutable(
        client,
        name,
        ready[which],
        program,
        own.map((at) => constants[at]),
        flags[which].slice(own.length),
      );
    });
    this.taken = halves.map(({ inputs }) => inputs.filter((at) => at >= count).map((at) => at - count));
  }

  run(inputs: readonly Array[]): Array[] {
    const [first, second] = this.halves;
    const [early, late] = this.taken.map((own) => own.map((at) => inputs[at]));
    return second.run([...late, ...first.run(early)]);
  }
}

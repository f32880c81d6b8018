// Programs for several devices, made ready to run.
import {
  axes as deviceAxes,
  fail,
  type Backend,
  type Program,
  type SpmdOptions,
} from "../../../array/index.js";
import { compileSpmd, programKey, type Features, type WasmSpmdProgram } from "../../../compiler/index.js";
import { writeDumps } from "../../dump.js";
import { failRejected, memoryLimit, needFeatures } from "../limits.js";
import { Remembered } from "../../remembered.js";
import { WasmSpmdExecutable } from "./executable.js";
import { startMembers } from "./pool.js";

/** Machine code for all devices; that of the first device compiled by the engine, the others by their threads. */
interface Ready {
  readonly compiled: WasmSpmdProgram;
  readonly module: WebAssembly.Module;
}

const gibibytes = (bytes: number): string => `${(bytes / 2 ** 30).toFixed(2)} GiB`;

/** Makes the machine code of a program, refusing what cannot run. */
function generate(program: Program, options: SpmdOptions, features: Features | null): WasmSpmdProgram {
  const { name, axes, constants } = options;
  const devices = deviceAxes.countAlong(axes);
  const accept = (memoryBytes: number, deviceBytes: number): void => {
    if (memoryBytes <= memoryLimit) return;
    fail(
      "spmd",
      `the program needs ${gibibytes(deviceBytes)} on each of ${devices} devices, ${gibibytes(memoryBytes)} ` +
        "together; the WebAssembly memory that they share has 4 GiB: use fewer devices or smaller arrays " +
        "(a shorter rollout, a smaller buffer or batch)",
    );
  };
  return compileSpmd(program, constants.length, axes, needFeatures(features), accept, (forms) =>
    writeDumps(name, forms),
  );
}

/** What a backend with the given features has for programs on several devices. */
export function spmdOf(features: Features | null): Required<Pick<Backend, "spmd" | "spmdAsync">> {
  const remembered = new Remembered<Ready>();
  const keyOf = (program: Program, { axes, constants }: SpmdOptions): string =>
    `${constants.length} ${JSON.stringify(axes)} ${programKey(program)}`;
  const finish = ({ compiled, module }: Ready, { constants, donated }: SpmdOptions) =>
    new WasmSpmdExecutable(compiled, module, constants, donated);
  return {
    spmd: (program, options) => {
      const key = keyOf(program, options);
      const known = remembered.recall(key);
      if (known !== undefined) return finish(known, options);
      const ready = compile(generate(program, options, features));
      return finish(remembered.remember(key, ready), options);
    },
    spmdAsync: async (program, options) => {
      const key = keyOf(program, options);
      const known = remembered.recall(key);
      const ready = known ?? (await compileAsync(generate(program, options, features)));
      await startMembers(deviceAxes.countAlong(options.axes));
      return finish(remembered.remember(key, ready), options);
    },
  };
}

function compile(compiled: WasmSpmdProgram): Ready {
  const [bytes] = compiled.modules;
  try {
    return { compiled, module: new WebAssembly.Module(bytes as BufferSource) };
  } catch (cause) {
    failRejected(cause, bytes);
  }
}

async function compileAsync(compiled: WasmSpmdProgram): Promise<Ready> {
  const [bytes] = compiled.modules;
  const module = await WebAssembly.compile(bytes as BufferSource).catch((cause: unknown) =>
    failRejected(cause, bytes),
  );
  return { compiled, module };
}

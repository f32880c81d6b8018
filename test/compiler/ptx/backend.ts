// A device that runs the PTX of programs on the CPU, for tests: `jit(f, { device: "emulated ptx" })`.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { registerBackend, type Backend, type Executable } from "../../../src/array/index.js";
import { ptxRenderer, type CProgram, type PtxTarget, type Renderer } from "../../../src/compiler/index.js";
import { nativeBackend } from "../../../src/device/native/backend.js";
import { emulatorFlags, unoptimised } from "./emulate.js";
import { ptxToC } from "./translate.js";

/** A GPU that is small enough for fibers. */
export const target: PtxTarget = { multiprocessors: 4, sharedBytes: 96 * 1024 };

/** A renderer whose C does what the PTX of another one says. */
function emulated(renderer: ReturnType<typeof ptxRenderer>): Renderer<CProgram> {
  const { render, suited, ...rest } = renderer;
  return {
    ...rest,
    ...(suited !== undefined && { suited: (program) => emulated(suited(program)) }),
    render: (steps, plan) => {
      const { text, ...launch } = render(steps, plan);
      return { sources: [ptxToC(text, { ...launch, memoryBytes: plan.bytes })], parallelWork: "none" };
    },
    list: () => ({}),
  };
}

/** Changes with the emulator: programs are kept by what they were made from. */
function ownVersion(): string {
  const hash = createHash("sha256");
  const folder = import.meta.dirname;
  for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" }).sort())
    if (file.endsWith(".ts")) hash.update(readFileSync(path.join(folder, file)));
  return hash.digest("hex").slice(0, 16);
}

const flags = [...emulatorFlags, `-DEMULATOR=${ownVersion()}`];

/** What went wrong in a program comes as a message that cannot be printed, and its text by the environment. */
function explained<T>(run: () => T): T {
  delete process.env.VIBE_RL_PTX_FAULT;
  try {
    return run();
  } catch (error) {
    const fault = process.env.VIBE_RL_PTX_FAULT;
    if (fault === undefined) throw error;
    throw new Error(fault, { cause: error });
  }
}

const explaining = (executable: Executable): Executable => ({
  run: (inputs) => explained(() => executable.run(inputs)),
});

/** The device with programs of another target, or divided in a way of their own, which has a name. */
export function emulatedPtx(
  name: string,
  of: PtxTarget,
  division?: { readonly name: string } & Pick<Renderer<unknown>, "divide" | "onceFrom">,
): Backend {
  const renderer = ptxRenderer(of);
  const variant = createHash("sha256")
    .update(JSON.stringify([of, division?.name]))
    .digest("hex");
  const native = nativeBackend(
    () => emulated(division === undefined ? renderer : { ...renderer, ...division, name: renderer.name }),
    () => [
      ...flags,
      `-DTARGET=${variant.slice(0, 16)}`,
      // Divided at random, programs are small and wait a lot.
      ...(division === undefined ? unoptimised() : []),
    ],
  );
  const { resident } = native;
  return {
    ...{ name, accepts: native.accepts },
    compile: (program, options) => explaining(native.compile(program, options)),
    ...(resident === undefined
      ? {}
      : {
          resident: (program, options) => {
            const { run, ...rest } = resident(program, options);
            return { ...rest, run: () => explained(run) };
          },
        }),
  };
}

registerBackend(emulatedPtx("emulated ptx", target), { isDefault: false });

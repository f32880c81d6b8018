// The device "gpu": programs as StableHLO, compiled and run by XLA behind a PJRT plugin.
import type { Backend, CompileOptions, Executable, Program } from "../../array/index.js";
import { inHalves, isCompilable, programKey, stablehlo } from "../../compiler/index.js";
import { writeDumps } from "../dump.js";
import { Remembered } from "../remembered.js";
import { findClient, needClient, type Client, type CompiledProgram } from "./client.js";
import { XlaExecutable, type Ready } from "./executable.js";
import { donatedToHalves, XlaPair } from "./pair.js";
import { programsAside, programsOf } from "./programs.js";
import { defaultPrecision } from "../precision.js";
import { xlaSettings } from "./settings.js";
import { XlaShardedExecutable } from "./sharded.js";

/** Why programs cannot run on XLA here, and what to do; null if they can. */
export function xlaProblem(): string | null {
  const client = findClient();
  return "problem" in client ? client.problem : null;
}

/** The programs that one is compiled as, which of their inputs may be overwritten, and what runs them. */
interface Parts {
  readonly programs: readonly Program[];
  /** Whether it matters how fast their products are. */
  readonly tuned: readonly boolean[];
  readonly donated: readonly (readonly boolean[])[];
  readonly executable: (client: Client, ready: readonly Ready[]) => Executable;
}

function partsOf(program: Program, { name, constants, donated }: CompileOptions): Parts {
  const flags = [...constants.map(() => false), ...donated];
  const halves = inHalves(program);
  if (halves === null) {
    return {
      ...{ programs: [program], tuned: [true], donated: [flags] },
      executable: (client, [ready]) => new XlaExecutable(client, name, ready, program, constants, donated),
    };
  }
  const own = donatedToHalves(halves, flags);
  const both = [halves.first, halves.second];
  return {
    programs: both.map((half) => half.program),
    tuned: both.map(({ hardlyMultiplies }) => !hardlyMultiplies),
    donated: own,
    executable: (client, ready) => new XlaPair(client, name, halves, ready, constants, own),
  };
}

export function xlaBackend(): Backend {
  const remembered = new Remembered<readonly Ready[]>();

  /** Programs that are known, or what they have to be compiled from. */
  function ask({ programs, tuned, donated }: Parts, { name, matmulPrecision: asked }: CompileOptions) {
    const matmulPrecision = asked ?? defaultPrecision();
    const settings = xlaSettings();
    const keys = programs.map((program, at) => `${donated[at].join()} ${programKey(program)}`);
    const key = [matmulPrecision, JSON.stringify(settings), ...keys].join(" ");
    const known = remembered.recall(key);
    if (known !== undefined) return { known };
    const written = programs.map((program, at) =>
      stablehlo(program, { name, donated: donated[at], matmulPrecision }),
    );
    for (const { text, simplified } of written)
      writeDumps(name, { simplified, listings: { stablehlo: () => ({ suffix: "mlir", text }) } });
    return {
      known: null,
      sources: written.map(({ text }, at) => ({
        text,
        options: { partitions: 1, settings, isTuned: tuned[at] },
      })),
      ready: (compiled: readonly CompiledProgram[]) =>
        remembered.remember(
          key,
          written.map(({ messages, logSize }, at) => ({ compiled: compiled[at], messages, logSize })),
        ),
    };
  }

  return {
    name: "gpu",
    accepts: isCompilable,
    compile: (program, options) => {
      const client = needClient();
      const parts = partsOf(program, options);
      const asked = ask(parts, options);
      const ready = asked.known ?? asked.ready(programsOf(client, options.name, asked.sources));
      return parts.executable(client, ready);
    },
    compileAsync: async (program, options) => {
      const client = needClient();
      const parts = partsOf(program, options);
      const asked = ask(parts, options);
      const ready = asked.known ?? asked.ready(await programsAside(client, options.name, asked.sources));
      return parts.executable(client, ready);
    },
    sharded: (program, options) => new XlaShardedExecutable(needClient(), program, options),
  };
}

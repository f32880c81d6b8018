// The device "gpu": programs as StableHLO, compiled and run by XLA behind a PJRT plugin.
import type { Backend, CompileOptions, Program } from "../../array/index.js";
import { inHalves, isCompilable, programKey, stablehlo } from "../../compiler/index.js";
import { writeDumps } from "../dump.js";
import { Remembered } from "../remembered.js";
import { findClient, needClient, type Client } from "./client.js";
import { XlaExecutable, type Ready } from "./executable.js";
import { XlaPair } from "./pair.js";
import { programsOf } from "./programs.js";
import { defaultPrecision } from "../precision.js";
import { xlaSettings } from "./settings.js";
import { XlaShardedExecutable } from "./sharded.js";

/** Why programs cannot run on XLA here, and what to do; null if they can. */
export function xlaProblem(): string | null {
  const client = findClient();
  return "problem" in client ? client.problem : null;
}

export function xlaBackend(): Backend {
  const remembered = new Remembered<readonly Ready[]>();

  /** A program, or its halves, compiled. */
  function ready(
    client: Client,
    programs: readonly Program[],
    donated: readonly (readonly boolean[])[],
    { name, matmulPrecision: asked }: CompileOptions,
  ): readonly Ready[] {
    const matmulPrecision = asked ?? defaultPrecision();
    const settings = xlaSettings();
    const keys = programs.map((program, at) => `${donated[at].join()} ${programKey(program)}`);
    const key = [matmulPrecision, JSON.stringify(settings), ...keys].join(" ");
    const before = remembered.recall(key);
    if (before !== undefined) return before;
    const written = programs.map((program, at) =>
      stablehlo(program, { name, donated: donated[at], matmulPrecision }),
    );
    for (const { text, simplified } of written)
      writeDumps(name, { simplified, listings: { stablehlo: () => ({ suffix: "mlir", text }) } });
    const texts = written.map(({ text }) => text);
    const compiled = programsOf(client, name, texts, { partitions: 1, settings });
    return remembered.remember(
      key,
      written.map(({ messages, logSize }, at) => ({ compiled: compiled[at], messages, logSize })),
    );
  }

  return {
    name: "gpu",
    accepts: isCompilable,
    compile: (program, options) => {
      const client = needClient();
      const { name, constants, donated } = options;
      const flags = [...constants.map(() => false), ...donated];
      const halves = inHalves(program);
      if (halves === null) {
        const [one] = ready(client, [program], [flags], options);
        return new XlaExecutable(client, name, one, program, constants, donated);
      }
      return new XlaPair(client, halves, flags, options, (programs, given) =>
        ready(client, programs, given, options),
      );
    },
    sharded: (program, options) => new XlaShardedExecutable(needClient(), program, options),
  };
}

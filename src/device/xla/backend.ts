// The device "gpu": programs as StableHLO, compiled and run by XLA behind a PJRT plugin.
import type { Backend, CompileOptions, Program } from "../../array/index.js";
import { isCompilable, programKey, stablehlo } from "../../compiler/index.js";
import { writeDumps } from "../dump.js";
import { Remembered } from "../remembered.js";
import { findClient, needClient, type Client } from "./client.js";
import { XlaExecutable, type Ready } from "./executable.js";
import { programOf } from "./programs.js";
import { defaultPrecision } from "../precision.js";
import { xlaSettings } from "./settings.js";
import { XlaShardedExecutable } from "./sharded.js";

/** Why programs cannot run on XLA here, and what to do; null if they can. */
export function xlaProblem(): string | null {
  const client = findClient();
  return "problem" in client ? client.problem : null;
}

export function xlaBackend(): Backend {
  const remembered = new Remembered<Ready>();

  function ready(client: Client, program: Program, options: CompileOptions): Ready {
    const { name, constants, donated } = options;
    const precision = options.matmulPrecision ?? defaultPrecision();
    const settings = xlaSettings();
    const flags = [...constants.map(() => false), ...donated];
    const key = [flags.join(), precision, JSON.stringify(settings), programKey(program)].join(" ");
    const before = remembered.recall(key);
    if (before !== undefined) return before;
    const written = stablehlo(program, { name, donated: flags, matmulPrecision: precision });
    const { text, simplified, messages, logSize } = written;
    writeDumps(name, { simplified, listings: { stablehlo: () => ({ suffix: "mlir", text }) } });
    const compiled = programOf(client, name, text, { partitions: 1, settings });
    return remembered.remember(key, { compiled, messages, logSize });
  }

  return {
    name: "gpu",
    accepts: isCompilable,
    compile: (program, options) => {
      const client = needClient();
      const { name, constants, donated } = options;
      return new XlaExecutable(client, name, ready(client, program, options), program, constants, donated);
    },
    sharded: (program, options) => new XlaShardedExecutable(needClient(), program, options),
  };
}

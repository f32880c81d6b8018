// What the environment says about a client of XLA and about how programs are compiled.
import { check, environment, fail, rules } from "../../array/index.js";
import type { Koffi } from "../koffi.js";
import { Bytes } from "./block.js";
import type { DistributedClient } from "./distributed/initialize.js";
import { offsets, valueTypes } from "./functions.js";

type Option =
  | { readonly name: string; readonly type: "bool"; readonly value: boolean }
  | { readonly name: string; readonly type: "float"; readonly value: number }
  | { readonly name: string; readonly type: "int64"; readonly value: number }
  | { readonly name: string; readonly type: "int64List"; readonly value: readonly number[] };

/** Options for the client of a GPU: a part of its memory, taken as it is needed, which GPUs there are, other processes. */
export function clientOptions(file: string, distributed: DistributedClient | null): Option[] {
  const fraction = environment("VIBE_RL_XLA_MEMORY_FRACTION");
  const devices = environment("VIBE_RL_XLA_DEVICES");
  const isGpu = /cuda|rocm/i.test(file);
  // Plugins of other kinds refuse options that they do not know, and are given those alone that somebody asked for.
  return [
    ...(isGpu ? [{ name: "preallocate", type: "bool", value: false } as const] : []),
    ...(fraction === undefined
      ? []
      : [{ name: "memory_fraction", type: "float", value: fractionIn(fraction) } as const]),
    ...(devices === undefined
      ? []
      : [{ name: "visible_devices", type: "int64List", value: numbersIn(devices) } as const]),
    ...(distributed === null
      ? []
      : ([
          { name: "node_id", type: "int64", value: distributed.processId },
          { name: "num_nodes", type: "int64", value: distributed.numProcesses },
        ] as const)),
  ];
}

function fractionIn(given: string): number {
  const value = Number(given);
  check("VIBE_RL_XLA_MEMORY_FRACTION", "it", value, rules.positiveFraction);
  return value;
}

function numbersIn(given: string): number[] {
  const parts = given.split(",").map((part) => part.trim());
  if (parts.every((part) => /^\d+$/.test(part))) return parts.map(Number);
  return fail("VIBE_RL_XLA_DEVICES", `it must be numbers of GPUs, such as 0,1, got ${JSON.stringify(given)}`);
}

const stride = 56;

/** Options as the C interface takes them, and what they point to, which must be kept during the call. */
export function packOptions(
  koffi: Koffi,
  options: readonly Option[],
): { readonly list: Bytes; readonly kept: readonly Bytes[] } {
  const list = new Bytes(koffi, stride * options.length);
  const kept: Bytes[] = [];
  const keep = (bytes: Bytes): bigint => {
    kept.push(bytes);
    return bytes.address;
  };
  const at = offsets.NamedValue;
  options.forEach(({ name, type, value }, index) => {
    const start = stride * index;
    const text = new TextEncoder().encode(name);
    list.setWord(start, stride);
    list.setWord(start + at.name, keep(new Bytes(koffi, text)));
    list.setWord(start + at.nameSize, text.length);
    list.view.setInt32(start + at.type, valueTypes[type], true);
    list.setWord(start + at.valueSize, type === "int64List" ? value.length : 1);
    if (type === "bool") list.view.setUint8(start + at.value, Number(value));
    else if (type === "float") list.view.setFloat32(start + at.value, value, true);
    else if (type === "int64") list.setWord(start + at.value, value);
    else list.setWord(start + at.value, keep(wordsOf(koffi, value)));
  });
  return { list, kept };
}

/** Words of eight bytes, one after the other. */
export function wordsOf(koffi: Koffi, numbers: readonly (number | bigint)[]): Bytes {
  const words = new Bytes(koffi, 8 * numbers.length);
  numbers.forEach((value, index) => words.setWord(8 * index, value));
  return words;
}

/**
 * Settings of XLA by their names, as in VIBE_RL_XLA_SETTINGS=xla_gpu_autotune_level=0,xla_gpu_deterministic_ops=true. Where a
 * value is a list with commas, settings are kept apart by semicolons.
 */
export function xlaSettings(): Record<string, boolean | number | string> {
  const settings: Record<string, boolean | number | string> = {};
  const text = environment("VIBE_RL_XLA_SETTINGS") ?? "";
  for (const part of text.split(text.includes(";") ? ";" : ",")) {
    if (part.trim() === "") continue;
    const [name, value] = part.split("=").map((side) => side.trim()) as [string, string | undefined];
    if (value === undefined)
      fail("VIBE_RL_XLA_SETTINGS", `each setting is name=value, got ${JSON.stringify(part)}`);
    settings[name] =
      value === "true" || value === "false"
        ? value === "true"
        : /^-?\d+$/.test(value)
          ? Number(value)
          : value;
  }
  return settings;
}

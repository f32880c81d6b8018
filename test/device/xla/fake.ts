// What tests of the XLA device share: a plugin without a device.
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, renameSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { findKoffi, type Koffi } from "../../../src/device/koffi.js";
import { findCompiler } from "../../../src/device/native/compiler.js";
import { Client } from "../../../src/device/xla/client.js";
import { Plugin } from "../../../src/device/xla/plugin.js";
import { temporaryFolder } from "../../temporary.js";

/** Why there can be no such plugin here; null if there can. */
export function fakeProblem(file: string): string | null {
  const [compiler, koffi] = [findCompiler(), findKoffi()];
  const missing =
    process.platform !== "linux"
      ? "the plugin without a device is made for Linux"
      : "problem" in compiler
        ? compiler.problem
        : "problem" in koffi
          ? koffi.problem
          : null;
  if (missing !== null) process.stderr.write(`${file} is skipped: ${missing}\n`);
  return missing;
}

/** The plugin, built once in a run of the tests, whose folder for temporary files this is. */
function builtPlugin(): string {
  const file = path.join(tmpdir(), "fakePjrt.so");
  if (existsSync(file)) return file;
  const compiler = findCompiler();
  if ("problem" in compiler) throw new Error(compiler.problem);
  const [program, ...flags] = compiler.command;
  const aside = path.join(temporaryFolder(), "fakePjrt.so");
  execFileSync(program, [
    ...flags,
    "-shared",
    "-fPIC",
    "-pthread",
    "-o",
    aside,
    path.join(import.meta.dirname, "fakePlugin.c"),
  ]);
  renameSync(aside, file);
  return file;
}

/** A plugin of which nobody has seen anything, with its settings and counters. */
export interface Fake {
  readonly file: string;
  readonly plugin: Plugin | { readonly problem: string };
  readonly client: () => Client;
  readonly get: (name: string) => number;
  readonly set: (name: string, value: number) => void;
}

export function newFake(settings: Readonly<Record<string, number>> = {}): Fake {
  const koffi = findKoffi() as Koffi;
  const file = path.join(temporaryFolder(), "fakePjrt.so");
  copyFileSync(builtPlugin(), file);
  const library = koffi.load(file);
  const [set, get] = [
    library.func("fake_set", "void", ["str", "int64"]),
    library.func("fake_get", "int64", ["str"]),
  ];
  for (const [name, value] of Object.entries(settings)) set(name, value);
  const plugin = Plugin.load(koffi, file);
  return {
    file,
    plugin,
    client: () => {
      if ("problem" in plugin) throw new Error(plugin.problem);
      const client = Client.start(plugin);
      if ("problem" in client) throw new Error(client.problem);
      return client;
    },
    get: (name) => Number(get(name)),
    set: (name, value) => void set(name, value),
  };
}

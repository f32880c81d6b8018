// What tests of the XLA device share: a plugin without a device.
import { copyFileSync } from "node:fs";
import path from "node:path";
import { findKoffi, type Koffi } from "../../../src/device/koffi.js";
import { Client } from "../../../src/device/xla/client.js";
import { Plugin } from "../../../src/device/xla/plugin.js";
import { temporaryFolder } from "../../temporary.js";
import { builtLibrary, libraryProblem } from "../fakeLibrary.js";

/** Why there can be no such plugin here; null if there can. */
export const fakeProblem = (file: string): string | null =>
  libraryProblem("the plugin without a device", file);

const builtPlugin = (): string =>
  builtLibrary("fakePjrt.so", path.join(import.meta.dirname, "fakePlugin.c"), ["-pthread"]);

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

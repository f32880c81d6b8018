// The program of a thread that has XLA compile a program.
import { doAside } from "../aside.js";
import { findKoffi } from "../koffi.js";
import { compileText } from "./client.js";
import type { CompileSetting, CompileTask } from "./compileHelper.js";
import { Plugin, PluginError } from "./plugin.js";

doAside(({ file, client }: CompileSetting) => {
  const koffi = findKoffi();
  const plugin = "problem" in koffi ? koffi : Plugin.load(koffi, file);
  return ({ text, options }: CompileTask): bigint | null => {
    if ("problem" in plugin) return null;
    try {
      return compileText(plugin, client, text, options);
    } catch (error) {
      // What is wrong with a text is told by the thread that asked.
      if (error instanceof PluginError) return null;
      throw error;
    }
  };
});

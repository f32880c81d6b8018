// Programs of XLA on disk, so that a later process loads what an earlier one has compiled.
import { environment } from "../../array/index.js";
import { fs, os, warnOnce } from "../../node/index.js";
import { sha256 } from "../cache/checksum.js";
import { readCode, writeCode } from "../cache/code.js";
import { removeEntry } from "../cache/entries.js";
import { cachePath, prepareFolder, reasonOf } from "../cache/folder.js";
import { withRoom } from "./buffers.js";
import type { Client, CompiledProgram } from "./client.js";
import { compileAside, startCompileHelper, type CompileTask } from "./compileHelper.js";
import { compileOptions, type BuildOptions } from "./compileOptions.js";
import { codes } from "./functions.js";
import { PluginError } from "./plugin.js";

/**
 * Settings for NVIDIA GPUs. XLA makes two kernels of each fusion and takes the faster one, which takes time and makes training
 * no faster (measured: docs/accelerators.md).
 */
const cudaSettings = { xla_gpu_experimental_enable_fusion_autotuner: false } as const;

/** Changes with what entries are made of besides what is in their key. */
const format = `1 ${JSON.stringify(cudaSettings)}`;
const codeName = "program.xla";

/** Clients of plugins that do not know these settings. */
const without = new WeakSet<Client>();

/**
 * Of how many threads each compilation has: otherwise all of a client share some, and the two halves of a program wait for each
 * other (measured: SAC 6.4 instead of 8.0 s). What is compiled does not depend on it.
 */
const threadSettings = () => ({ xla_gpu_force_compilation_parallelism: os.availableParallelism() });

const ownSettings = (client: Client): BuildOptions["settings"] =>
  client.platform === "cuda" && !without.has(client) ? { ...cudaSettings, ...threadSettings() } : {};

/** Compiles a text. XLA tries kernels out, in memory for which results of others may have to make room. */
export function compileProgram(
  client: Client,
  name: string,
  text: string,
  { partitions, settings }: BuildOptions,
): CompiledProgram {
  const compile = (own: BuildOptions["settings"]): CompiledProgram =>
    client.compile(text, { partitions, settings: { ...own, ...settings } });
  return withRoom(client, new Set(), `XLA cannot compile ${name}`, () => {
    try {
      return compile(ownSettings(client));
    } catch (error) {
      if (!(error instanceof PluginError) || !/no such compile option/i.test(error.message)) throw error;
      without.add(client);
      return compile({});
    }
  });
}

/** What XLA makes of a text: the program in the cache, or a new one, which is kept there. */
export const programOf = (
  client: Client,
  name: string,
  text: string,
  options: BuildOptions,
): CompiledProgram => programsOf(client, name, [text], options)[0];

/** The same for several texts. Of two that are new one is compiled in another thread. */
export function programsOf(
  client: Client,
  name: string,
  texts: readonly string[],
  options: BuildOptions,
): CompiledProgram[] {
  const { missing, filled } = cached(client, name, texts, options);
  return filled(compileAll(client, name, missing, options));
}

/** The same, with every new one compiled in a thread of its own, while the event loop turns. */
export async function programsAside(
  client: Client,
  name: string,
  texts: readonly string[],
  options: BuildOptions,
): Promise<CompiledProgram[]> {
  const { missing, filled } = cached(client, name, texts, options);
  return filled(
    await Promise.all(
      missing.map(async (text) => {
        const handle = await compileAside(client, taskOf(client, text, options));
        // What could not be compiled there says here why.
        return handle === null ? compileProgram(client, name, text, options) : client.described(handle);
      }),
    ),
  );
}

/** What the cache has of programs: the texts that it has not, and how all are put together, and kept, with these. */
function cached(
  client: Client,
  name: string,
  texts: readonly string[],
  options: BuildOptions,
): {
  readonly missing: readonly string[];
  readonly filled: (compiled: readonly CompiledProgram[]) => CompiledProgram[];
} {
  if (!isKept(client, options)) return { missing: texts, filled: (compiled) => [...compiled] };
  const cache = cachePath();
  const problem = prepareFolder(cache);
  const keys = texts.map((text) => keyOf(client, text, options));
  const kept = keys.map((key) => (problem === null ? loadKept(client, cache, key) : null));
  const places = kept.flatMap((one, at) => (one === null ? [at] : []));
  return {
    missing: places.map((at) => texts[at]),
    filled: (compiled) => {
      const all = [...kept];
      places.forEach((at, which) => {
        all[at] = compiled[which];
        keep(client, name, compiled[which], problem, keys[at]);
      });
      return all as CompiledProgram[];
    },
  };
}

/** Keeps a program in the cache, or says why that cannot be. */
function keep(
  client: Client,
  name: string,
  compiled: CompiledProgram,
  problem: string | null,
  key: string,
): void {
  const cache = cachePath();
  try {
    if (problem !== null) throw new Error(problem);
    const compiler = `${client.devices[0].kind}, PJRT ${client.plugin.version}`;
    writeCode(cache, key, codeName, client.serialize(compiled), { program: name, compiler });
  } catch (error) {
    // Some plugins have no such form of their programs.
    if (error instanceof PluginError && error.code === codes.unimplemented) return;
    warnOnce(
      `programs of XLA are compiled anew in every process, since ${cache} cannot keep them: ${reasonOf(error)}. ` +
        "VIBE_RL_CACHE_DIR names another folder",
      "XlaWarning",
    );
  }
}

function taskOf(client: Client, text: string, options: BuildOptions): CompileTask {
  const settings = { ...ownSettings(client), ...options.settings };
  return { text, options: compileOptions({ ...options, settings }) };
}

/** Compiles texts; while this thread does the last of several, another one does the first. */
function compileAll(
  client: Client,
  name: string,
  texts: readonly string[],
  options: BuildOptions,
): CompiledProgram[] {
  const here = (text: string) => compileProgram(client, name, text, options);
  if (texts.length < 2) return texts.map(here);
  const [first, ...others] = texts;
  const helper = startCompileHelper(client);
  try {
    helper.begin(taskOf(client, first, options));
    const compiled = others.map(here);
    const handle = helper.finish();
    return [handle === null ? here(first) : client.described(handle), ...compiled];
  } finally {
    helper.dismiss();
  }
}

/**
 * Several processes search for the fastest kernels together, and would wait for one that needs none; what XLA shall dump, it
 * must compile.
 */
const isKept = ({ devices, deviceCount }: Client, { partitions, settings }: BuildOptions): boolean =>
  partitions === 1 &&
  deviceCount === devices.length &&
  ![...Object.keys(settings), xlaFlags()].join(" ").includes("dump");

/** Settings that XLA itself takes from the environment. */
const xlaFlags = (): string => environment("XLA_FLAGS") ?? "";

/** Everything that a compiled program depends on: the text, how it is compiled, by what and for what. */
function keyOf({ plugin, platform, version, devices }: Client, text: string, options: BuildOptions): string {
  const { size, mtimeMs } = fs.statSync(plugin.file);
  const compiler = [plugin.version, platform, version, size, mtimeMs, devices[0].kind, xlaFlags()];
  return sha256(format, "stablehlo", JSON.stringify(compiler), compileOptions(options), text);
}

/** A program of the cache. One that the plugin does not take, for it is of another make, goes. */
function loadKept(client: Client, cache: string, key: string): CompiledProgram | null {
  const code = readCode(cache, key, codeName);
  if (code === null) return null;
  try {
    return client.load(code);
  } catch (error) {
    if (!(error instanceof PluginError)) throw error;
    try {
      if (!error.isOutOfMemory) removeEntry(cache, key);
    } catch {
      // The program is compiled anew all the same.
    }
    return null;
  }
}

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
/** Settings for programs whose products need not be fast: XLA compiles dozens of kernels for each shape to try them out. */
const untunedSettings = { xla_gpu_autotune_level: 0 } as const;

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

const ownSettings = (client: Client, { isTuned = true }: BuildOptions): BuildOptions["settings"] =>
  client.platform === "cuda" && !without.has(client)
    ? { ...cudaSettings, ...(isTuned ? {} : untunedSettings), ...threadSettings() }
    : {};

/** A text of StableHLO, and how it is compiled. */
export interface Source {
  readonly text: string;
  readonly options: BuildOptions;
}

/** Compiles a text. XLA tries kernels out, in memory for which results of others may have to make room. */
export function compileProgram(client: Client, name: string, { text, options }: Source): CompiledProgram {
  const { partitions, settings } = options;
  const compile = (own: BuildOptions["settings"]): CompiledProgram =>
    client.compile(text, { partitions, settings: { ...own, ...settings } });
  return withRoom(client, new Set(), `XLA cannot compile ${name}`, () => {
    try {
      return compile(ownSettings(client, options));
    } catch (error) {
      if (!(error instanceof PluginError) || !/no such compile option/i.test(error.message)) throw error;
      without.add(client);
      return compile({});
    }
  });
}

/**
 * What XLA makes of texts: programs in the cache, or new ones, which are kept there. Of two that are new one is compiled in
 * another thread.
 */
export function programsOf(client: Client, name: string, sources: readonly Source[]): CompiledProgram[] {
  const { missing, filled } = cached(client, name, sources);
  return filled(compileAll(client, name, missing));
}

/** The same, with every new one compiled in a thread of its own, while the event loop turns. */
export async function programsAside(
  client: Client,
  name: string,
  sources: readonly Source[],
): Promise<CompiledProgram[]> {
  const { missing, filled } = cached(client, name, sources);
  return filled(
    await Promise.all(
      missing.map(async (source) => {
        const handle = await compileAside(client, taskOf(client, source));
        // What could not be compiled there says here why.
        return handle === null ? compileProgram(client, name, source) : client.described(handle);
      }),
    ),
  );
}

/** What the cache has of programs: what it has not, and how all are put together, and kept, with these. */
function cached(
  client: Client,
  name: string,
  sources: readonly Source[],
): {
  readonly missing: readonly Source[];
  readonly filled: (compiled: readonly CompiledProgram[]) => CompiledProgram[];
} {
  if (!sources.every(({ options }) => isKept(client, options)))
    return { missing: sources, filled: (compiled) => [...compiled] };
  const cache = cachePath();
  const problem = prepareFolder(cache);
  const keys = sources.map((source) => keyOf(client, source));
  const kept = keys.map((key) => (problem === null ? loadKept(client, cache, key) : null));
  const places = kept.flatMap((one, at) => (one === null ? [at] : []));
  return {
    missing: places.map((at) => sources[at]),
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

function taskOf(client: Client, { text, options }: Source): CompileTask {
  const settings = { ...ownSettings(client, options), ...options.settings };
  return { text, options: compileOptions({ ...options, settings }) };
}

/** Compiles texts; while this thread does the last of several, another one does the first. */
function compileAll(client: Client, name: string, sources: readonly Source[]): CompiledProgram[] {
  const here = (source: Source) => compileProgram(client, name, source);
  if (sources.length < 2) return sources.map(here);
  const [first, ...others] = sources;
  const helper = startCompileHelper(client);
  try {
    helper.begin(taskOf(client, first));
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
function keyOf({ plugin, platform, version, devices }: Client, { text, options }: Source): string {
  const { isTuned = true } = options;
  const { size, mtimeMs } = fs.statSync(plugin.file);
  const compiler = [plugin.version, platform, version, size, mtimeMs, devices[0].kind, xlaFlags()];
  return sha256(format, "stablehlo", JSON.stringify([...compiler, isTuned]), compileOptions(options), text);
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

// Building C into a shared library, once for what it is made of.
import { fail } from "../../array/index.js";
import { fs, os, path, warnOnce } from "../../node/index.js";
import { buildFolder, findEntry, keepEntry, keepFailed } from "../cache/entries.js";
import { cachePath, prepareFolder, reasonOf, tellsOfPlace } from "../cache/folder.js";
import { pruneSometimes } from "../cache/keeping.js";
import { sha256 } from "../cache/checksum.js";
import { limitSeconds, type Command, type Outcome, type Steps } from "./commands.js";
import type { Compiler } from "./compiler.js";
import { firstLines, type Machine } from "./machine.js";

/** What a library is built from. */
export interface Source {
  /** As it is called in messages and in the cache: the jitted function. */
  readonly name: string;
  /** Translation units of C. */
  readonly units: readonly string[];
  readonly flags: readonly string[];
}

/** A built library. */
export interface Built {
  readonly file: string;
  /** Its name in the cache. */
  readonly key: string;
  /** A folder that is to be removed once the library is loaded; null if it stays in the cache. */
  readonly temporary: string | null;
}

export const libraryName = "library.so";

/** Changes with what entries are made of besides what is in their key. */
const format = "1";

/**
 * How much a compiler shall optimise, if not as much as others. Clang builds in half the time with -O1, and its programs
 * are as fast; those of GCC would be slower. (measured: PPO, DQN and SAC within 2 % for Clang, 12 to 21 % slower for GCC)
 */
const effortOf = ({ version }: Machine): readonly string[] => (/clang/i.test(version) ? ["-O1"] : []);

/** The library of a source: the one in the cache, or a new one. */
export function* libraryOf(source: Source, compiler: Compiler, machine: Machine): Steps<Built> {
  const flags = [...source.flags, ...machine.tuning, ...effortOf(machine)];
  const key = sha256(format, machine.identity, machine.version, ...flags, "sources", ...source.units);
  const cache = cachePath();
  let problem = prepareFolder(cache);
  if (problem === null) {
    const found = findEntry(cache, key, libraryName);
    if (found !== null) return { file: found, key, temporary: null };
    const built = yield* buildIn(cache, () => buildFolder(cache), source, flags, compiler, key);
    if ("folder" in built) return kept(cache, key, built.folder, source, machine);
    problem = built.problem;
  }
  tellUnkept(cache, problem);
  const place = os.tmpdir();
  const built = yield* buildIn(
    null,
    () => fs.mkdtempSync(path.join(place, "vibe-rl-")),
    source,
    flags,
    compiler,
    key,
  );
  if ("folder" in built) return temporary(built.folder, key);
  return fail(
    "native",
    `there is no place to build ${source.name}: ${cache}: ${problem}; ${place}: ${built.problem}. Make room, or ` +
      "name a folder in VIBE_RL_CACHE_DIR",
  );
}

const temporary = (folder: string, key: string): Built => ({
  file: path.join(folder, libraryName),
  key,
  temporary: folder,
});

/** Takes a build into the cache; where that fails it serves this process. */
function kept(cache: string, key: string, folder: string, { name }: Source, { version }: Machine): Built {
  try {
    const file = keepEntry(cache, key, folder, libraryName, { program: name, compiler: version });
    tidy(cache, key);
    return { file, key, temporary: null };
  } catch (error) {
    tellUnkept(cache, reasonOf(error));
    return temporary(folder, key);
  }
}

function tidy(cache: string, key: string): void {
  try {
    pruneSometimes(cache, key);
  } catch {
    // Too large a cache is no reason to do without the program; the next build tries again.
  }
}

const tellUnkept = (cache: string, problem: string): void =>
  warnOnce(
    `native programs are built anew in every process, since ${cache} cannot keep them: ${problem}. ` +
      "VIBE_RL_CACHE_DIR names another folder",
    "NativeWarning",
  );

/** Builds in a new folder; returns it, or what is wrong with the place. What is wrong with the source is an error. */
function* buildIn(
  cache: string | null,
  makeFolder: () => string,
  source: Source,
  flags: readonly string[],
  { command }: Compiler,
  key: string,
): Steps<{ readonly folder: string } | { readonly problem: string }> {
  let folder: string | null = null;
  try {
    folder = makeFolder();
    for (const [at, unit] of source.units.entries())
      fs.writeFileSync(path.join(folder, unitName(at)), unit, { mode: 0o600 });
  } catch (error) {
    if (folder !== null) fs.rmSync(folder, { recursive: true, force: true });
    return { problem: reasonOf(error) };
  }
  const outcome = yield buildCommand(source.units, [...command, ...flags], folder);
  if (outcome.isDone && fs.existsSync(path.join(folder, libraryName))) return { folder };
  if (outcome.problem === null && tellsOfPlace(outcome.output)) {
    fs.rmSync(folder, { recursive: true, force: true });
    return { problem: firstLines(outcome.output) };
  }
  const keptAt = cache === null ? folder : keepFailed(cache, key, folder);
  return failBuild(source.name, command.join(" "), outcome, keptAt);
}

const unitName = (at: number): string => `unit${at}.c`;

/** Compiles the units on all processors, then links them. */
function buildCommand(units: readonly string[], compiler: readonly string[], folder: string): Command {
  const link = `-shared -o ${libraryName}`;
  const libraries = "-lm -pthread";
  if (units.length === 1) {
    return { script: `"$@" ${link} ${unitName(0)} ${libraries}`, args: compiler, folder };
  }
  const groups = groupUnits(units, os.availableParallelism());
  const script = [
    ...groups.map((group, at) => `"$@" -c ${group.map(unitName).join(" ")} & p${at}=$!`),
    "s=0",
    ...groups.map((_, at) => `wait $p${at} || s=1`),
    "[ $s = 0 ] || exit 1",
    `"$@" ${link} unit*.o ${libraries}`,
  ];
  return { script: script.join("\n"), args: compiler, folder };
}

/** The units as at most so many groups that take about as long: the largest first, each to the smallest group. */
function groupUnits(units: readonly string[], most: number): number[][] {
  const groups = Array.from({ length: Math.min(most, units.length) }, () => ({
    size: 0,
    units: [] as number[],
  }));
  const bySize = [...units.keys()].sort((a, b) => units[b].length - units[a].length);
  for (const unit of bySize) {
    const group = groups.reduce((smallest, one) => (one.size < smallest.size ? one : smallest));
    group.units.push(unit);
    group.size += units[unit].length;
  }
  return groups.map((group) => group.units);
}

function failBuild(name: string, compiler: string, { output, problem }: Outcome, folder: string): never {
  if (problem === "slow") {
    fail(
      "native",
      `the C compiler ${compiler} has not finished ${name} in ${limitSeconds()} s and was stopped; the source is in ` +
        `${folder}. Give it more time (VIBE_RL_COMPILER_TIMEOUT, in seconds), set CC to another compiler, or use ` +
        'device: "wasm"',
    );
  }
  const reason = problem?.reason ?? (firstLines(output) || "it said nothing, and left no library");
  fail(
    "native",
    `the C compiler ${compiler} failed on ${name}, whose source is in ${folder}:\n${reason}\nSet CC to another ` +
      'compiler, or use device: "wasm"; if the compiler is a usual one, please report this',
  );
}

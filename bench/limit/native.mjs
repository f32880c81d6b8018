// Compiles the hand-written C of this folder into a library for the processor at hand, with the compiler that builds
// native programs: the peer that these are measured against.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { arch } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { findCompiler } from "../../dist/device/native/compiler.js";
import { findKoffi } from "../../dist/device/koffi.js";

const here = path.dirname(fileURLToPath(import.meta.url));
const cache = path.resolve(here, "../../.cache/limit");

const flags = [
  ...["-O3", "-march=native", "-ffp-contract=fast", "-fno-math-errno", "-fno-trapping-math"],
  ...["-w", "-DNOMAIN", "-fPIC", "-shared"],
];

/** Runs the compiler; throws with its complaint if it fails. */
function runCompiler([program, ...first], args) {
  const { status, error, stderr, stdout } = spawnSync(program, [...first, ...args], { encoding: "utf8" });
  if (error) throw new Error(`${program} cannot be started (${error.message})`);
  if (status !== 0) throw new Error(`${program} failed: ${stderr.trim().split("\n")[0]}`);
  return stdout;
}

/** What it is that builds: `clang version 14.0.6 …`. */
export function compilerVersion() {
  const { command, problem } = findCompiler();
  if (problem !== undefined) throw new Error(problem);
  return runCompiler(command, ["--version"]).split("\n")[0];
}

/** The file of a library; built where it is not there yet. */
function libraryFile(name, defines) {
  // Its vectors are AVX2's, written with that processor family's own functions.
  if (arch() !== "x64") throw new Error(`limit/${name} is native code for x64 only, and this is ${arch()}`);
  const { command, identity, problem } = findCompiler();
  if (problem !== undefined) throw new Error(problem);
  const macros = runCompiler(command, ["-march=native", "-dM", "-E", "-x", "c", "/dev/null"]);
  if (!/__AVX2__/.test(macros) || !/__FMA__/.test(macros))
    throw new Error("this processor has no AVX2 with FMA");
  const hash = createHash("sha256").update(identity).update(macros);
  hash.update([...flags, ...defines].join());
  for (const file of readdirSync(here).filter((file) => file.endsWith(".c"))) {
    hash.update(readFileSync(path.join(here, file)));
  }
  const to = path.join(cache, `${path.basename(name, ".c")}-${hash.digest("hex").slice(0, 12)}.so`);
  if (!existsSync(to)) {
    mkdirSync(cache, { recursive: true });
    const aside = `${to}.${process.pid}`;
    runCompiler(command, [...flags, ...defines, path.join(here, name), "-o", aside, "-lm", "-pthread"]);
    renameSync(aside, to);
  }
  return to;
}

/** Libraries stay loaded as long as somebody holds them. */
const loaded = [];

/**
 * A C file (`kernels.c`) as native code, with some `-D` options: `call(name, ...numbers)` calls a function of it, and
 * `view(name, like)` is the array that a function of that name points to. Null, and a word why, where that is not
 * possible.
 */
export function buildNativeLimit(name, ...defines) {
  try {
    const koffi = findKoffi();
    if (koffi.problem !== undefined) throw new Error(koffi.problem);
    const library = koffi.load(libraryFile(name, defines));
    loaded.push(library);
    const functions = new Map();
    const remember = (symbol, make) =>
      functions.get(symbol) ?? functions.set(symbol, make(symbol)).get(symbol);
    return {
      call: (symbol, ...numbers) =>
        remember(symbol, () =>
          library.func(
            symbol,
            "void",
            numbers.map(() => "int"),
          ),
        )(...numbers),
      view: (symbol, like) => {
        const address = remember(symbol, () => library.func(symbol, "void *", []))();
        return new like.constructor(koffi.view(address, like.byteLength));
      },
    };
  } catch (error) {
    console.error(`No native C to compare with: ${error.message}.`);
    return null;
  }
}

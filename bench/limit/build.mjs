// Compiles the hand-written C of this folder to WebAssembly SIMD with clang, the peer that we measure against.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { detectFeatures } from "../../dist/device/wasm/features.js";

const { WebAssembly } = globalThis;
const here = path.dirname(fileURLToPath(import.meta.url));
const cache = path.resolve(here, "../../.cache/limit");
const clang = process.env.CLANG ?? "clang";

const flags = [
  ...["--target=wasm32", "-O3", "-msimd128", "-nostdlib", "-ffreestanding"],
  ...["-fno-math-errno", "-fno-trapping-math", "-Wl,--no-entry", "-Wl,-z,stack-size=262144"],
];

/** Runs clang; throws with its complaint if it fails or is not there. */
function runClang(args) {
  const { status, error, stderr, stdout } = spawnSync(clang, args, { encoding: "utf8" });
  if (error) throw new Error(`${clang} is missing (${error.message})`);
  if (status !== 0) throw new Error(`${clang} failed: ${stderr.trim().split("\n")[0]}`);
  return stdout;
}

/** clang up to 15 writes relaxed_madd with its draft opcode fd af 01; the final one is fd 85 02. */
function mendOpcodes(bytes, assembly) {
  const written = assembly.match(/\bf32x4\.fma\b/g)?.length ?? 0;
  let mended = 0;
  for (let at = 0; written > 0 && at + 2 < bytes.length; at++) {
    if (bytes[at] !== 0xfd || bytes[at + 1] !== 0xaf || bytes[at + 2] !== 0x01) continue;
    bytes.set([0x85, 0x02], at + 1);
    mended++;
  }
  // Other bytes might look the same; then the module would be wrong without a sign of it.
  if (mended !== written) throw new Error(`found ${mended} draft opcodes, clang wrote ${written}`);
}

function compile(source, options, to) {
  runClang([...flags, ...options, source, "-o", to]);
  const bytes = readFileSync(to);
  if (options.includes("-DRELAXED")) {
    const compileFlags = flags.filter((flag) => !flag.startsWith("-Wl"));
    mendOpcodes(bytes, runClang([...compileFlags, ...options, "-S", source, "-o", "-"]));
    writeFileSync(to, bytes);
  }
}

/**
 * The module of a C file (`kernels.c`) compiled with some `-D` options, or null, and a word why, where that is
 * not possible. It uses fused multiply-add exactly where the library's own code does.
 */
export function buildLimit(name, ...defines) {
  const relaxed = detectFeatures()?.fma ? ["-mrelaxed-simd", "-DRELAXED"] : [];
  const options = [...relaxed, ...defines];
  try {
    const sources = readdirSync(here)
      .filter((file) => file.endsWith(".c"))
      .map((file) => readFileSync(path.join(here, file)));
    const hash = createHash("sha256")
      .update(runClang(["--version"]))
      .update([...flags, ...options].join());
    sources.forEach((source) => hash.update(source));
    const to = path.join(cache, `${path.basename(name, ".c")}-${hash.digest("hex").slice(0, 12)}.wasm`);
    mkdirSync(cache, { recursive: true });
    if (!existsSync(to) || !WebAssembly.validate(readFileSync(to))) {
      compile(path.join(here, name), options, to);
    }
    return new WebAssembly.Module(readFileSync(to));
  } catch (error) {
    console.log(
      `No C to compare with: ${error.message}. It needs clang and wasm-ld (packages clang and lld).`,
    );
    return null;
  }
}

/** The exports of a fresh instance. */
export const instantiate = (module) => new WebAssembly.Instance(module, {}).exports;

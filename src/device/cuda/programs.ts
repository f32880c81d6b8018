// Programs for a GPU on disk: what the driver's compiler has made of them, and what compiling them came to.
import { buffer, warnOnce } from "../../node/index.js";
import { sha256 } from "../cache/checksum.js";
import { readCode, writeCode } from "../cache/code.js";
import { cachePath, prepareFolder, reasonOf } from "../cache/folder.js";
import { recallProgram, type KnownProgram } from "../cache/programs.js";
import type { CudaDevice } from "./device.js";
import { versionText } from "./driver.js";
import type { Launch } from "./module.js";

/** Changes with what entries are made of besides what is in their key. */
const format = "2";
const codeName = "program.cubin";

/** The machine code of a program's parts, and the entry of the cache that has it; null where none does. */
export interface Cubin {
  readonly codes: readonly Uint8Array[];
  readonly key: string | null;
}

/** How many codes there are, how long each is, and the codes. */
function packed(codes: readonly Uint8Array[]): Uint8Array {
  const head = new Uint8Array(Uint32Array.of(codes.length, ...codes.map(({ length }) => length)).buffer);
  return buffer.Buffer.concat([head, ...codes]);
}

function unpacked(bytes: Uint8Array): Uint8Array[] {
  const word = (at: number): number => new DataView(bytes.buffer, bytes.byteOffset).getUint32(4 * at, true);
  let end = 4 * (1 + word(0));
  return Array.from({ length: word(0) }, (_, at) => bytes.slice(end, (end += word(1 + at))));
}

type Compiler = Pick<CudaDevice, "driver" | "card">;

/** What machine code depends on besides its text: the compiler, which is the driver's, and the kind of GPU. */
export const compilerOf = ({ driver, card }: Compiler): string =>
  `CUDA ${versionText(driver.version)} sm_${card.capability.join("")}`;

const keyOf = (compiler: Compiler, texts: readonly string[]): string =>
  sha256(format, "ptx", compilerOf(compiler), String(compiler.driver.version), ...texts);

/** The machine code of texts that is in the cache. */
export function knownCubin(compiler: Compiler, texts: readonly string[]): Cubin | null {
  const cache = cachePath();
  if (prepareFolder(cache) !== null) return null;
  const key = keyOf(compiler, texts);
  const kept = readCode(cache, key, codeName);
  return kept === null ? null : { codes: unpacked(kept), key };
}

/** New machine code of texts, which is kept in the cache where that can be. */
export function keepCubin(
  compiler: Compiler,
  name: string,
  texts: readonly string[],
  codes: readonly Uint8Array[],
): Cubin {
  const cache = cachePath();
  const problem = prepareFolder(cache);
  const key = keyOf(compiler, texts);
  try {
    if (problem !== null) throw new Error(problem);
    writeCode(cache, key, codeName, packed(codes), { program: name, compiler: compilerOf(compiler) });
    return { codes, key };
  } catch (error) {
    warnOnce(
      `programs for the GPU are linked anew in every process, since ${cache} cannot keep them: ${reasonOf(error)}. ` +
        "VIBE_RL_CACHE_DIR names another folder",
      "CudaWarning",
    );
    return { codes, key: null };
  }
}

/** A program of which the cache knows everything. */
export function keptProgram(
  memo: string,
): (Pick<KnownProgram<Launch>, "layout" | "launch"> & Pick<Cubin, "codes">) | null {
  const cache = cachePath();
  const known = prepareFolder(cache) === null ? recallProgram<Launch>(cache, memo) : null;
  const code = known === null ? null : readCode(cache, known.library, codeName);
  return known === null || code === null
    ? null
    : { layout: known.layout, launch: known.launch, codes: unpacked(code) };
}

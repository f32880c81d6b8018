// Programs for a GPU on disk: what the driver's compiler has made of them, and what compiling them came to.
import { warnOnce } from "../../node/index.js";
import { sha256 } from "../cache/checksum.js";
import { readCode, writeCode } from "../cache/code.js";
import { cachePath, prepareFolder, reasonOf } from "../cache/folder.js";
import { recallProgram, type KnownProgram } from "../cache/programs.js";
import type { CudaDevice } from "./device.js";
import { versionText } from "./driver.js";
import type { Launch } from "./module.js";

/** Changes with what entries are made of besides what is in their key. */
const format = "3";
const codeName = "program.cubin";

/** The machine code of a program, and the entry of the cache that has it; null where none does. */
export interface Cubin {
  readonly code: Uint8Array;
  readonly key: string | null;
}

type Compiler = Pick<CudaDevice, "driver" | "card">;

/** What machine code depends on besides its text: the compiler, which is the driver's, and the kind of GPU. */
export const compilerOf = ({ driver, card }: Compiler): string =>
  `CUDA ${versionText(driver.version)} sm_${card.capability.join("")}`;

const keyOf = (compiler: Compiler, text: string): string =>
  sha256(format, "ptx", compilerOf(compiler), String(compiler.driver.version), text);

/** The machine code of a text that is in the cache. */
export function knownCubin(compiler: Compiler, text: string): Cubin | null {
  const cache = cachePath();
  if (prepareFolder(cache) !== null) return null;
  const key = keyOf(compiler, text);
  const code = readCode(cache, key, codeName);
  return code === null ? null : { code, key };
}

/** New machine code of a text, which is kept in the cache where that can be. */
export function keepCubin(compiler: Compiler, name: string, text: string, code: Uint8Array): Cubin {
  const cache = cachePath();
  const problem = prepareFolder(cache);
  const key = keyOf(compiler, text);
  try {
    if (problem !== null) throw new Error(problem);
    writeCode(cache, key, codeName, code, { program: name, compiler: compilerOf(compiler) });
    return { code, key };
  } catch (error) {
    warnOnce(
      `programs for the GPU are linked anew in every process, since ${cache} cannot keep them: ${reasonOf(error)}. ` +
        "VIBE_RL_CACHE_DIR names another folder",
      "CudaWarning",
    );
    return { code, key: null };
  }
}

/** A program of which the cache knows everything. */
export function keptProgram(
  memo: string,
): (Pick<KnownProgram<Launch>, "layout" | "launch"> & Pick<Cubin, "code">) | null {
  const cache = cachePath();
  const known = prepareFolder(cache) === null ? recallProgram<Launch>(cache, memo) : null;
  const code = known === null ? null : readCode(cache, known.library, codeName);
  return known === null || code === null ? null : { layout: known.layout, launch: known.launch, code };
}

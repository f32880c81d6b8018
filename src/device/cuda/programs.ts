// Programs for a GPU on disk: what the driver's compiler has made of them, and what compiling them came to.
import { warnOnce } from "../../node/index.js";
import { sha256 } from "../cache/checksum.js";
import { readCode, writeCode } from "../cache/code.js";
import { cachePath, prepareFolder, reasonOf } from "../cache/folder.js";
import { recallProgram, type KnownProgram } from "../cache/programs.js";
import type { CudaDevice } from "./device.js";
import { versionText } from "./driver.js";
import { linked } from "./link.js";
import type { Launch } from "./module.js";

/** Changes with what entries are made of besides what is in their key. */
const format = "1";
const codeName = "program.cubin";

/** Machine code, and the entry of the cache that has it; null where none does. */
export interface Cubin {
  readonly code: Uint8Array;
  readonly key: string | null;
}

/** What machine code depends on besides its text: the compiler, which is the driver's, and the kind of GPU. */
export const compilerOf = ({ driver, card }: CudaDevice): string =>
  `CUDA ${versionText(driver.version)} sm_${card.capability.join("")}`;

/** The machine code of a text: the one in the cache, or new. */
export function cubinOf(device: CudaDevice, name: string, text: string): Cubin {
  const cache = cachePath();
  const problem = prepareFolder(cache);
  const key = sha256(format, "ptx", compilerOf(device), String(device.driver.version), text);
  const kept = problem === null ? readCode(cache, key, codeName) : null;
  if (kept !== null) return { code: kept, key };
  const code = linked(device, name, text);
  try {
    if (problem !== null) throw new Error(problem);
    writeCode(cache, key, codeName, code, { program: name, compiler: compilerOf(device) });
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
): (Pick<KnownProgram<Launch>, "layout" | "launch"> & { readonly code: Uint8Array }) | null {
  const cache = cachePath();
  const known = prepareFolder(cache) === null ? recallProgram<Launch>(cache, memo) : null;
  const code = known === null ? null : readCode(cache, known.library, codeName);
  return known === null || code === null ? null : { layout: known.layout, launch: known.launch, code };
}

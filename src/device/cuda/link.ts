// PTX to machine code of a GPU, by the compiler in the driver.
import { fail } from "../../array/index.js";
import { viewMemory } from "../koffi.js";
import type { CudaDevice } from "./device.js";
import { versionText, type Driver } from "./driver.js";
import { status } from "./functions.js";
import { linkAside, type LinkHelper } from "./linkHelper.js";
import { explain } from "./statuses.js";

/** Options of the linker (CUjit_option): where it writes what it has against a text. */
const errorLog = 5;
const errorLogBytes = 6;
/** Its input is PTX (CUjitInputType). */
const ptxInput = 1;

const logBytes = 2 ** 14;

/** The linker writes here as long as there is one, so that these must be in their place for good. */
const log = new Uint8Array(new ArrayBuffer(logBytes));
const options = new Int32Array(new ArrayBuffer(8));
const values = new BigUint64Array(new ArrayBuffer(16));

/** The status with which a text was refused. */
interface Refusal {
  readonly refused: number;
}

/** The machine code of a text, made in this thread, whose context must be current. */
export function link({ call, koffi }: Driver, name: string, text: string): Uint8Array | Refusal {
  log.fill(0);
  options.set([errorLog, errorLogBytes]);
  values.set([koffi.address(log), BigInt(logBytes)]);
  const out = new BigUint64Array(2);
  const created = call.cuLinkCreate_v2(options.length, koffi.address(options), koffi.address(values), out);
  if (created !== status.success) return { refused: created };
  const linker = out[0];
  try {
    const source = new TextEncoder().encode(`${text}\0`);
    const added = call.cuLinkAddData_v2(linker, ptxInput, source, source.length, name, 0, null, null);
    if (added !== status.success) return { refused: added };
    const completed = call.cuLinkComplete(linker, out.subarray(0, 1), out.subarray(1));
    if (completed !== status.success) return { refused: completed };
    return new Uint8Array(viewMemory(koffi, out[0], Number(out[1]))).slice();
  } finally {
    // What was linked is the linker's, and goes with it.
    call.cuLinkDestroy(linker);
  }
}

/** The machine code of the parts of a program; while the first is made here, a helper makes the last. */
export function linked(
  device: CudaDevice,
  name: string,
  texts: readonly string[],
  helper: LinkHelper | null,
): Uint8Array[] {
  device.needIdle();
  const here = (text: string): Uint8Array => linkHere(device, name, text);
  if (texts.length === 1 || helper === null) return texts.map(here);
  const last = texts[texts.length - 1];
  helper.begin({ name, text: last });
  const codes = texts.slice(0, -1).map(here);
  // What it could not make says here why.
  return [...codes, helper.finish() ?? here(last)];
}

function linkHere(device: CudaDevice, name: string, text: string): Uint8Array {
  const made = link(device.driver, name, text);
  return "refused" in made ? failLink(device, name, text, made.refused) : made;
}

/** A text that is as long takes the driver's compiler as long as it takes a thread to start. */
const worthAThread = 2 ** 15;

/** The machine code of the parts of a program, each made in a thread of its own if it is long. */
export const linkedAside = (
  device: CudaDevice,
  name: string,
  texts: readonly string[],
): Promise<Uint8Array[]> =>
  Promise.all(
    texts.map(async (text) => {
      const made = text.length < worthAThread ? null : await linkAside(device.card, { name, text });
      // What could not be made there says here why.
      return made ?? linkHere(device, name, text);
    }),
  );

function failLink({ driver }: CudaDevice, name: string, text: string, code: number): never {
  const asked = /^\s*\.version\s+([\d.]+)/m.exec(text)?.[1] ?? "of no version";
  if (code === status.unsupportedPtx) {
    fail(
      "cuda",
      `the driver is too old for ${name}: it is for CUDA ${versionText(driver.version)} and does not know PTX ${asked} ` +
        `(${explain(driver, code)}); update NVIDIA's driver, or use device: "wasm"`,
    );
  }
  const said = (driver.koffi.decode.string(driver.koffi.address(log)) ?? "").trim();
  fail(
    "cuda",
    `the compiler in the driver (CUDA ${versionText(driver.version)}) failed on ${name}, PTX ${asked}: ` +
      `${explain(driver, code)}:\n${said === "" ? "it said nothing" : said}\nVIBE_RL_DUMP=ptx writes the text to a ` +
      'file; device: "wasm" runs the program',
  );
}

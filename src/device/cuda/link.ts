// PTX to machine code of a GPU, by the compiler in the driver.
import { fail } from "../../array/index.js";
import { viewMemory } from "../koffi.js";
import type { CudaDevice } from "./device.js";
import { versionText } from "./driver.js";
import { status } from "./functions.js";
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

/** The machine code of a text. */
export function linked(device: CudaDevice, name: string, text: string): Uint8Array {
  device.needIdle();
  const { call, koffi } = device.driver;
  log.fill(0);
  options.set([errorLog, errorLogBytes]);
  values.set([koffi.address(log), BigInt(logBytes)]);
  const out = new BigUint64Array(2);
  const created = call.cuLinkCreate_v2(options.length, koffi.address(options), koffi.address(values), out);
  device.check(created, `starting to link ${name}`);
  const linker = out[0];
  try {
    const source = new TextEncoder().encode(`${text}\0`);
    const added = call.cuLinkAddData_v2(linker, ptxInput, source, source.length, name, 0, null, null);
    if (added !== status.success) failLink(device, name, text, added);
    const completed = call.cuLinkComplete(linker, out.subarray(0, 1), out.subarray(1));
    if (completed !== status.success) failLink(device, name, text, completed);
    return new Uint8Array(viewMemory(koffi, out[0], Number(out[1]))).slice();
  } finally {
    // What was linked is the linker's, and goes with it.
    call.cuLinkDestroy(linker);
  }
}

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

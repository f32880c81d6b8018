// PTX to machine code of a GPU, by the compiler in the driver.
import { fail } from "../../array/index.js";
import { viewMemory } from "../koffi.js";
import type { CudaDevice } from "./device.js";
import { versionText, type Driver } from "./driver.js";
import { status } from "./functions.js";
import type { LinkHelper, LinkTask } from "./linkHelper.js";
import { explain } from "./statuses.js";

/**
 * Options of the linker (CUjit_option): how many registers a thread may have, where it writes what it has against a text, and how
 * many threads compile functions, which drivers know from CUDA 13.0 on; 0 for as many as there are cores.
 */
const option = { registers: 0, errorLog: 5, errorLogBytes: 6, threads: 34 } as const;
/** Its input is PTX (CUjitInputType). */
const ptxInput = 1;

const logBytes = 2 ** 14;

/** The linker writes here as long as there is one, so that these must be in their place for good. */
const log = new Uint8Array(new ArrayBuffer(logBytes));
const options = new Int32Array(new ArrayBuffer(16));
const values = new BigUint64Array(new ArrayBuffer(32));

/** The status with which a text was refused. */
interface Refusal {
  readonly refused: number;
}

/** The machine code of a text, made in this thread, whose context must be current. */
export function link({ call, koffi }: Driver, { name, text, registers }: LinkTask): Uint8Array | Refusal {
  log.fill(0);
  const asked: [option: number, value: bigint][] = [
    [option.errorLog, koffi.address(log)],
    [option.errorLogBytes, BigInt(logBytes)],
  ];
  if (registers !== null) asked.push([option.registers, BigInt(registers)], [option.threads, 0n]);
  options.set(asked.map(([which]) => which));
  values.set(asked.map(([, value]) => value));
  const out = new BigUint64Array(2);
  const created = call.cuLinkCreate_v2(asked.length, koffi.address(options), koffi.address(values), out);
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

/** The machine code of a program. */
export function linked(device: CudaDevice, task: LinkTask): Uint8Array {
  device.needIdle();
  const made = link(device.driver, task);
  return "refused" in made ? failLink(device, task, made.refused) : made;
}

/** The same, made by a helper if there is one. What that could not make says here why. */
export const linkedAside = async (
  device: CudaDevice,
  task: LinkTask,
  helper: LinkHelper | null,
): Promise<Uint8Array> => (await helper?.ask(task)) ?? linked(device, task);

function failLink({ driver }: CudaDevice, { name, text }: LinkTask, code: number): never {
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

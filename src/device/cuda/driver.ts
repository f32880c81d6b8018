// CUDA's driver, the library that comes with the drivers of NVIDIA's cards: found, loaded, its functions bound.
import { environment } from "../../array/index.js";
import { hasFiles, platform, setDefaultVariable } from "../../node/index.js";
import { findKoffi, type Koffi, type KoffiFunction, type KoffiLibrary } from "../koffi.js";
import { functions, status, type FunctionName } from "./functions.js";
import { explain } from "./statuses.js";

interface Call extends KoffiFunction {
  (...args: readonly unknown[]): number;
}

/** The driver's library, whose functions can be called. */
interface Loaded {
  readonly koffi: Koffi;
  /** What was loaded. */
  readonly file: string;
  /** Its functions; each returns a status. */
  readonly call: Readonly<Record<FunctionName, Call>>;
}

export interface Driver extends Loaded {
  /** The newest CUDA that it is for, as 13000 for 13.0. */
  readonly version: number;
}

interface Problem {
  readonly problem: string;
}

/** Ways to the GPU, one for each stream. The driver makes eight by default, which takes it 50 ms longer (measured). */
const connections = 2;

/** Libraries stay loaded: their code would go with the handle. */
const kept = new Map<string, { readonly library: KoffiLibrary; readonly loaded: Loaded }>();
const started = new WeakMap<Loaded, Driver>();

/** Where the driver may be: the system's own search path, containers, the Windows Subsystem for Linux. */
const usual = ["libcuda.so.1", "/usr/local/nvidia/lib64/libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"];

/** The driver, ready to be called, or why there is none. */
export function findDriver(): Driver | Problem {
  const loaded = loadDriver();
  return "problem" in loaded ? loaded : (started.get(loaded) ?? start(loaded));
}

/** Has the driver, if there is one, start in another thread, which takes it a tenth of a second. */
export function startDriverAhead(then: (driver: Driver) => void): void {
  const loaded = loadDriver();
  if ("problem" in loaded) return;
  loaded.call.cuInit.async(0, () => {
    const driver = started.get(loaded) ?? start(loaded);
    // What is wrong is told to who wants to use it.
    if (!("problem" in driver)) then(driver);
  });
}

function loadDriver(): Loaded | Problem {
  if (!hasFiles()) return { problem: "it needs Node 20.16 or newer, and there is none here" };
  const koffi = findKoffi();
  if ("problem" in koffi) return koffi;
  const asked = environment("VIBE_RL_LIBCUDA");
  if (asked === undefined && platform() === "darwin")
    return {
      problem: "NVIDIA has no CUDA for macOS; a machine with Linux or Windows and an NVIDIA GPU has it",
    };
  const names = asked !== undefined ? [asked] : platform() === "win32" ? ["nvcuda.dll"] : usual;
  const reasons: Record<string, string> = {};
  for (const name of names) {
    const known = kept.get(name);
    if (known !== undefined) return known.loaded;
    try {
      return bind(koffi, name, koffi.load(name));
    } catch (error) {
      reasons[name] = error instanceof Error ? error.message : String(error);
    }
  }
  return { problem: asked === undefined ? withoutDriver(reasons) : withoutAsked(asked, reasons[asked]) };
}

const withoutAsked = (asked: string, reason: string): string =>
  `VIBE_RL_LIBCUDA is ${JSON.stringify(asked)}, which cannot be loaded (${reason}); set it to NVIDIA's libcuda.so.1, or ` +
  "unset it";

/** That there is no library at all under a name needs no words. */
const withoutDriver = (reasons: Readonly<Record<string, string>>): string => {
  const tried = Object.entries(reasons).map(([name, reason]) =>
    /no such file/i.test(reason) ? name : `${name}: ${reason}`,
  );
  return (
    `there is no CUDA driver (${tried.join(", ")}); install NVIDIA's driver for the card (nvidia-smi tells whether it ` +
    "works), start a container with --gpus all, or name the library in VIBE_RL_LIBCUDA"
  );
};

function bind(koffi: Koffi, file: string, library: KoffiLibrary): Loaded | Problem {
  const call: Partial<Record<FunctionName, Call>> = {};
  for (const [name, parameters] of Object.entries(functions)) {
    try {
      call[name as FunctionName] = library.func(name, "int", parameters) as Call;
    } catch {
      return {
        problem: `${file} has no ${name}: it is too old (CUDA 11 is needed), or no CUDA driver; update it`,
      };
    }
  }
  setDefaultVariable("CUDA_DEVICE_MAX_CONNECTIONS", String(connections));
  const loaded = { koffi, file, call: call as Loaded["call"] };
  kept.set(file, { library, loaded });
  return loaded;
}

function start(loaded: Loaded): Driver | Problem {
  const { file, call } = loaded;
  const word = new Int32Array(1);
  const begun = call.cuInit(0);
  if (begun !== status.success)
    return { problem: `the CUDA driver ${file} does not start: ${explain(loaded, begun)}` };
  const asked = call.cuDriverGetVersion(word);
  if (asked !== status.success)
    return { problem: `the CUDA driver ${file} does not tell its version: ${explain(loaded, asked)}` };
  const driver = { ...loaded, version: word[0] };
  started.set(loaded, driver);
  return driver;
}

/** A version as people write it: 13.0. */
export const versionText = (version: number): string =>
  `${Math.floor(version / 1000)}.${Math.floor((version % 1000) / 10)}`;

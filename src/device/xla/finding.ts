// Where a PJRT plugin is: named by the user, or in the usual places of an installed JAX.
import { environment } from "../../array/index.js";
import { fs, hasFiles, os, path, platform } from "../../node/index.js";
import { findKoffi, type Koffi } from "../koffi.js";
import { Plugin } from "./plugin.js";

interface Problem {
  readonly problem: string;
}

/** Plugins inside of Python's packages, the best known first. */
const packaged = [
  "jax_plugins/xla_cuda13/xla_cuda_plugin.so",
  "jax_plugins/xla_cuda12/xla_cuda_plugin.so",
  "jax_plugins/xla_rocm7/xla_rocm_plugin.so",
  "jax_plugins/xla_rocm60/xla_rocm_plugin.so",
  "libtpu/libtpu.so",
  "jax_plugins/intel_extension_for_openxla/pjrt_plugin_xpu.so",
  "jax_plugins/metal_plugin/pjrt_plugin_metal_14.dylib",
];

const known = new Map<string, Plugin | Problem>();

/** The plugin, ready to be called, or why there is none. */
export function findPlugin(): Plugin | Problem {
  if (!hasFiles()) return { problem: "it needs Node 20.16 or newer, and there is none here" };
  const koffi = findKoffi();
  if ("problem" in koffi) return koffi;
  const asked = environment("VIBE_RL_PJRT_PLUGIN");
  if (asked !== undefined) return findAsked(koffi, asked);
  const file = packagesFolders()
    .flatMap((folder) => packaged.map((name) => path.join(folder, name)))
    .find(fs.existsSync);
  return file === undefined ? { problem: withoutPlugin } : loadOnce(koffi, file);
}

function findAsked(koffi: Koffi, asked: string): Plugin | Problem {
  if (!fs.existsSync(asked)) {
    return {
      problem: `VIBE_RL_PJRT_PLUGIN is ${JSON.stringify(asked)}, and there is no such file; ${howToGetOne}`,
    };
  }
  return loadOnce(koffi, asked);
}

const howToGetOne =
  "the plugin for NVIDIA GPUs is xla_cuda_plugin.so in the package jax-cuda13-pjrt or jax-cuda12-pjrt (pip install " +
  '"jax[cuda13]", or unpack the wheel, which is a zip file; docs/accelerators.md tells how)';

const withoutPlugin =
  `there is no PJRT plugin in VIBE_RL_PJRT_PLUGIN, nor in the packages of Python that were looked through: ${howToGetOne}. ` +
  "Name its path in VIBE_RL_PJRT_PLUGIN";

function loadOnce(koffi: Koffi, file: string): Plugin | Problem {
  const before = known.get(file);
  if (before !== undefined) return before;
  const loaded = Plugin.load(koffi, file);
  known.set(file, loaded);
  return loaded;
}

/** Where the Pythons that a shell would find are installed. */
const pythonsOnPath = (): string[] =>
  (environment("PATH") ?? "")
    .split(path.delimiter)
    .filter((folder) => folder !== "" && fs.existsSync(path.join(folder, "python3")))
    .map((folder) => path.dirname(folder));

/** The folders in which Python has its packages: of an active environment, the user's, the shell's, the system's. */
function packagesFolders(): string[] {
  const roots = [
    environment("VIRTUAL_ENV"),
    environment("CONDA_PREFIX"),
    path.resolve(".venv"),
    path.join(os.homedir(), ".local"),
    ...pythonsOnPath(),
    "/usr/local",
    "/usr",
  ].filter((root) => root !== undefined);
  return roots.flatMap((root) => {
    if (platform() === "win32") return [path.join(root, "Lib", "site-packages")];
    const library = path.join(root, "lib");
    return namesIn(library)
      .filter((name) => name.startsWith("python3"))
      .sort()
      .reverse()
      .flatMap((name) => ["site-packages", "dist-packages"].map((last) => path.join(library, name, last)));
  });
}

function namesIn(folder: string): string[] {
  try {
    return fs.readdirSync(folder);
  } catch {
    return [];
  }
}

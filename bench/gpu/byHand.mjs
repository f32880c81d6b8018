// The training runs as CUDA by hand (limit/limit.cu), where nvcc can build them.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const source = fileURLToPath(new URL("../limit/limit.cu", import.meta.url));
const cache = fileURLToPath(new URL("../../.cache/limit/", import.meta.url));
const flags = ["-O3", "-arch=sm_90a", "-w"];
const run = (command, args) => spawnSync(command, args, { encoding: "utf8", maxBuffer: 2 ** 26 });
const lastLines = (text) => text.trim().split("\n").slice(-3).join("\n");

/** nvcc, or null where there is none. */
const compiler = () =>
  [process.env.NVCC, "nvcc", "/usr/local/cuda/bin/nvcc"].find(
    (command) => command !== undefined && run(command, ["--version"]).status === 0,
  ) ?? null;

/** The file of the program, built where it is not there yet. */
function built(nvcc) {
  const hash = createHash("sha256").update(readFileSync(source)).update(flags.join(" "));
  const file = path.join(cache, `limit-${hash.digest("hex").slice(0, 16)}`);
  if (existsSync(file)) return file;
  mkdirSync(cache, { recursive: true });
  const unfinished = `${file}.${process.pid}`;
  const { status, stderr } = run(nvcc, [...flags, "-o", unfinished, source]);
  if (status !== 0) throw new Error(`nvcc failed: ${lastLines(stderr)}`);
  renameSync(unfinished, file);
  return file;
}

/** The best rate of each precision in what the program prints, a line of JSON for each variant. */
export function bestRates(output) {
  const best = {};
  for (const line of output.split("\n").filter((text) => text.startsWith("{"))) {
    const { variant, sps } = JSON.parse(line);
    if (variant.includes("prof")) continue;
    const precision = variant.includes("fp32") ? "fp32" : "tf32";
    best[precision] = Math.max(best[precision] ?? 0, sps);
  }
  return best;
}

/** `measure(run)` to steps a second by precision, or why there is none. */
export function findByHand() {
  const nvcc = compiler();
  if (nvcc === null) return { problem: "No CUDA by hand: there is no nvcc here. NVCC names one." };
  let file = null;
  return {
    measure: ({ algorithm, envs }) => {
      file ??= built(nvcc);
      const { status, stdout, stderr } = run(
        file,
        envs === undefined ? [algorithm] : [algorithm, `E${envs} `],
      );
      if (status !== 0) throw new Error(`limit.cu failed: ${lastLines(stdout + stderr)}`);
      return bestRates(stdout);
    },
  };
}

// The same training runs in JAX, where there is one: pinned to one core with one thread, and on all cores. Ours run in
// processes of their own beside them, pinned alike.
import { spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { largeRuns, trainingRuns } from "../agentPrograms.mjs";
import { digits, row } from "../measure.mjs";

const python = process.env.PYTHON ?? "python3";
const peer = fileURLToPath(new URL("../peers/jaxPeer.py", import.meta.url));
const oneRun = fileURLToPath(new URL("oneRun.mjs", import.meta.url));
const rounds = 2;

const run = (command, args, env = {}) =>
  spawnSync(command, args, { encoding: "utf8", env: { ...process.env, ...env } });

/** The version of JAX, or null. */
function jaxVersion() {
  const { status, stdout } = run(python, ["-c", "import jax; print(jax.__version__)"], {
    JAX_PLATFORMS: "cpu",
  });
  return status === 0 ? stdout.trim() : null;
}

/** Pins what follows to the first core, where the system can. */
const pin = run("taskset", ["-c", "0", "true"]).status === 0 ? ["taskset", "-c", "0"] : [];

/** The last line that a command prints, as JSON. */
function report(words, env) {
  const [command, ...args] = words;
  const { status, stdout, stderr } = run(command, args, env);
  if (status !== 0)
    throw new Error(`${words.join(" ")} failed:\n${stderr.trim().split("\n").slice(-5).join("\n")}`);
  return JSON.parse(stdout.trim().split("\n").at(-1));
}

/** How each is held to one core, or let go. */
const modes = [
  {
    name: "one core",
    ...{ prefix: pin, threads: 1 },
    flags: "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
  },
  { name: `${availableParallelism()} cores`, prefix: [], threads: availableParallelism(), flags: "" },
];

/** What jaxPeer.py is told: an algorithm, how long, how large. */
const peerArguments = ({ name, count, peer = [] }) => {
  const algorithm = name.slice(0, 3);
  return [algorithm, algorithm === "ppo" ? "--updates" : "--steps", count, ...peer].map(String);
};
const widths = [24, 10, 12, 12, 7, 12, 14];

/** Prints a row for each run with a word in its name, and returns them; null where there is no JAX. */
export async function jax(word, print) {
  const version = jaxVersion();
  if (version === null) {
    print(`No JAX here: ${python} cannot import it. PYTHON names another Python.`);
    return null;
  }
  if (pin.length === 0) print("There is no taskset here: what has one thread is not held to one core.");
  const heads = ["on", "native", `JAX ${version}`, "ratio", "ready in s", "JAX ready in s"];
  print(row(widths, ["steps/s", ...heads]));
  const rows = [];
  for (const training of [...trainingRuns, ...largeRuns]) {
    const { name, task } = training;
    if (!`${name} ${task}`.includes(word)) continue;
    for (const { name: mode, prefix, threads, flags } of modes) {
      const best = { ours: { sps: 0 }, theirs: { sps: 0 } };
      for (let round = 0; round < rounds; round++) {
        const ours = report([...prefix, process.execPath, oneRun, name, String(threads)]);
        const theirs = report([...prefix, python, peer, ...peerArguments(training)], {
          ...{ JAX_PLATFORMS: "cpu", XLA_FLAGS: flags },
        });
        if (ours.sps > best.ours.sps) best.ours = ours;
        if (theirs.sps > best.theirs.sps) best.theirs = theirs;
      }
      const { ours, theirs } = best;
      const ratio = ours.sps / theirs.sps;
      rows.push({ name, mode, threads, native: ours, jax: theirs, ratio });
      const cells = [digits(ours.sps), digits(theirs.sps), ratio.toFixed(2)];
      print(row(widths, [task, mode, ...cells, digits(ours.compile_s), digits(theirs.compile_s)]));
    }
  }
  return rows;
}

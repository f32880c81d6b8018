// The training runs in JAX, where there is one that sees a GPU.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { rateOf } from "./runs.mjs";

const python = process.env.PYTHON ?? "python3";
const peer = fileURLToPath(new URL("../peers/jaxPeer.py", import.meta.url));
// By default JAX takes three quarters of the GPU's memory for itself.
const env = { ...process.env, XLA_PYTHON_CLIENT_PREALLOCATE: "false" };
const run = (args) => spawnSync(python, args, { encoding: "utf8", env });

/** The last line that Python prints, as JSON. */
function report(args) {
  const { status, stdout, stderr } = run(args);
  if (status !== 0)
    throw new Error(`${args.join(" ")} failed:\n${stderr.trim().split("\n").slice(-5).join("\n")}`);
  return JSON.parse(stdout.trim().split("\n").at(-1));
}

const question =
  "import jax, json; d = jax.devices()[0]; print(json.dumps([jax.__version__, d.platform, d.device_kind]))";

/** `measure(run)` to steps a second and the GPU's name, or why there is none. */
export function findJax() {
  const { status, stdout } = run(["-c", question]);
  if (status !== 0)
    return { problem: `No JAX here: ${python} cannot import it. PYTHON names another Python.` };
  const [version, platform, device] = JSON.parse(stdout.trim().split("\n").at(-1));
  if (platform !== "gpu")
    return { problem: `JAX ${version} is here and sees no GPU: pip install "jax[cuda12]".` };
  return {
    device: `${device}, JAX ${version}`,
    measure: (training) => {
      const { algorithm, envs } = training;
      return rateOf(training, (count) => {
        const length = envs === undefined ? ["--steps", count] : ["--envs", envs, "--updates", count];
        return 1000 * report([peer, algorithm, ...length.map(String)]).run_s;
      });
    },
  };
}

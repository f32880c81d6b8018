// config.json of a run directory: what a run is made of, so that the command line can look at it and go on with it.
import { fs, path } from "../node/index.js";
import { isRecord } from "../files/index.js";
import type { RunDir } from "../runDir/index.js";
import type { Change } from "./changes.js";
import type { RunnerConfig } from "./config.js";
import type { RunTraits } from "./runFiles.js";

/** What is in the file: `null` if it is not there or not of a run, which is then left as it is. */
function savedIn(runDir: RunDir): Readonly<Record<string, unknown>> | null {
  if (!fs.existsSync(path.join(runDir.root, "config.json"))) return {};
  const saved = runDir.loadConfig();
  return typeof saved.algo === "string" && isRecord(saved.algoConfig) ? saved : null;
}

/** A checkpoint directory as it is saved: one inside the run's own moves with it. */
function portable(directory: string | null, runDir: RunDir): string | null {
  if (directory === null) return null;
  const inside = path.relative(runDir.root, path.resolve(directory));
  const isOutside = inside === "" || inside.startsWith("..") || path.isAbsolute(inside);
  return isOutside ? path.resolve(directory) : inside;
}

/** Saves what a run is made of. What else is in the file stays; a file of somebody's own is left alone. */
export function saveRunConfig(
  runDir: RunDir,
  runner: RunnerConfig,
  { identity, origin, givenConfig }: RunTraits,
  changes: readonly Change[],
  device: string | null,
): void {
  const saved = savedIn(runDir);
  if (saved === null) return;
  const { algorithm, environment, config, seed, networks } = identity;
  runDir.saveConfig({
    preset: null,
    ...saved,
    ...(origin ?? { envId: null, environment }),
    algo: String(algorithm).toLowerCase(),
    algoConfig: givenConfig ?? config,
    // How a run begins; whether it goes on is said anew each time.
    runner: {
      ...runner,
      checkpointDir: portable(runner.checkpointDir, runDir),
      resume: false,
      overwrite: false,
    },
    ...(Array.isArray(seed) ? { seeds: seed } : {}),
    ...(networks === undefined ? {} : { networks }),
    ...(changes.length === 0 ? {} : { changes }),
    // What has trained; what was asked for is one of the runner's settings.
    ...(device === null ? {} : { device }),
  });
}

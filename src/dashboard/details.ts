// What the page shows of an opened run: how to go on with it, and whether it can be played in the page.
import { ConfigError, configFrom } from "../config/index.js";
import { listEnvs } from "../env/index.js";
import { toCamelCase } from "../files/index.js";
import { path } from "../node/index.js";
import type { DashboardRun } from "./run.js";
import type { RunConfig } from "./runConfig.js";
import type { RunDetails } from "./types.js";

/** The environments that come with vibe-rl, before anything else registers its own. */
const known: ReadonlySet<string> = new Set(listEnvs());

/** A word of a command line as a shell takes it. */
const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;

/** How to go on with a run, from where the server was started. */
function resumeOf(run: DashboardRun, base: string): RunDetails["resume"] {
  const { config } = run;
  if (config.plain === null) return { problem: config.problem ?? "it has no config" };
  try {
    configFrom(toCamelCase(config.plain) as Record<string, unknown>, `${run.id}/config.json`);
  } catch (error) {
    // Whatever is wrong with a config, the command would say the same.
    if (error instanceof ConfigError || error instanceof Error) return { problem: error.message };
    throw error;
  }
  if (run.checkpointFolder === null)
    return { problem: "its checkpoints are outside of the directory of all runs" };
  const where = path.relative(process.cwd(), path.join(base, run.id));
  return { command: `npx vibe-rl resume ${quoted(where)}` };
}

/** Why the page cannot play a run; null if it can. */
function whyUnplayable({ plain, problem, envId, env, imports, hasOwnNetworks }: RunConfig): string | null {
  if (plain === null) return problem;
  if (envId === null)
    return `it was trained by a program on ${env ?? "an environment"}, which the page cannot make: only that program has it`;
  if (!known.has(envId)) {
    const from = imports.length === 0 ? "a program" : imports.map((file) => path.basename(file)).join(", ");
    return `its environment, ${envId}, was registered by ${from}; the page has only those that come with vibe-rl`;
  }
  return hasOwnNetworks ? "it was trained with networks of a program's own, which no checkpoint holds" : null;
}

export function detailsOf(run: DashboardRun, base: string): RunDetails {
  const { id, config, checkpoints, videos } = run;
  const problem = whyUnplayable(config);
  return {
    ...{ id, checkpoints, videos },
    config: config.plain,
    configProblem: config.problem,
    resume: resumeOf(run, base),
    play:
      problem !== null || config.envId === null
        ? { problem: problem ?? "" }
        : { envId: config.envId, envParams: config.envParams, members: config.seeds?.length ?? null },
  };
}

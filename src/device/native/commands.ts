// Running compilers: a command is data, so that the same steps can wait for it or go on meanwhile.
import { environment, fail } from "../../array/index.js";
import { childProcess, endGroup, onThreadEnd, processVariables } from "../../node/index.js";

/** A script of the shell, with its arguments, in a folder. */
export interface Command {
  readonly script: string;
  readonly args: readonly string[];
  readonly folder: string;
}

export interface Outcome {
  readonly isDone: boolean;
  /** What it wrote, errors and all. */
  readonly output: string;
  /** What kept it from its end, if something did. */
  readonly problem: "slow" | { readonly reason: string } | null;
}

/** Steps of which some are commands. */
export type Steps<T> = Generator<Command, T, Outcome>;

const defaultSeconds = 120;

/** How long a command may take. */
export function limitSeconds(): number {
  const text = environment("VIBE_RL_COMPILER_TIMEOUT");
  if (text === undefined) return defaultSeconds;
  const seconds = Number(text);
  if (seconds > 0 && Number.isFinite(seconds)) return seconds;
  return fail("VIBE_RL_COMPILER_TIMEOUT", `must be a number of seconds, got ${JSON.stringify(text)}`, null);
}

const options = ({ folder }: Command) => ({
  cwd: folder,
  // A group of their own: a compiler has processes of its own, which end with it.
  detached: true,
  // Messages that we know, and intermediate files where they are cleared away.
  env: { ...processVariables(), LC_ALL: "C", TMPDIR: folder },
  stdio: ["ignore", "pipe", "pipe"] as ["ignore", "pipe", "pipe"],
});

const shell = ({ script, args }: Command): [string, string[]] => ["sh", ["-c", script, "sh", ...args]];

/** Takes all steps, waiting for each command. */
export function takeSteps<T>(steps: Steps<T>): T {
  for (let step = steps.next(); ;) {
    if (step.done === true) return step.value;
    step = steps.next(runNow(step.value));
  }
}

/** The same without holding up the thread. */
export async function takeStepsAside<T>(steps: Steps<T>): Promise<T> {
  for (let step = steps.next(); ;) {
    if (step.done === true) return step.value;
    step = steps.next(await runAside(step.value));
  }
}

function runNow(command: Command): Outcome {
  const { pid, status, stdout, stderr, error } = childProcess.spawnSync(...shell(command), {
    ...options(command),
    ...{ timeout: 1000 * limitSeconds(), killSignal: "SIGKILL", encoding: "utf8", maxBuffer: 2 ** 26 },
  } as object) as ReturnType<typeof childProcess.spawnSync> & {
    readonly stdout: string;
    readonly stderr: string;
  };
  const output = `${stderr ?? ""}${stdout ?? ""}`;
  if (error === undefined) return { isDone: status === 0, output, problem: null };
  if (pid > 0) endGroup(pid);
  const isSlow = (error as { readonly code?: string }).code === "ETIMEDOUT";
  return { isDone: false, output, problem: isSlow ? "slow" : { reason: error.message } };
}

/** Groups of processes that are under way: they end with this one. */
const running = new Set<number>();
let isWatching = false;

function watch(pid: number): void {
  running.add(pid);
  if (isWatching) return;
  isWatching = true;
  onThreadEnd(() => running.forEach(endGroup));
}

const runAside = (command: Command): Promise<Outcome> =>
  new Promise((resolve) => {
    const child = childProcess.spawn(...shell(command), options(command));
    const { pid } = child;
    if (pid !== undefined) watch(pid);
    const output: string[] = [];
    let isSlow = false;
    const timer = setTimeout(() => {
      isSlow = true;
      if (pid !== undefined) endGroup(pid);
    }, 1000 * limitSeconds());
    const end = (outcome: Omit<Outcome, "output">): void => {
      clearTimeout(timer);
      if (pid !== undefined) running.delete(pid);
      resolve({ ...outcome, output: output.join("") });
    };
    for (const stream of [child.stderr, child.stdout]) {
      stream.setEncoding("utf8");
      stream.on("data", (text: string) => output.push(text));
    }
    child.on("error", ({ message }) => end({ isDone: false, problem: { reason: message } }));
    child.on("close", (status) => end({ isDone: status === 0, problem: isSlow ? "slow" : null }));
  });

// What the compiler's machine can do. It is asked once and its answer is kept, so that later processes start none.
import { fail } from "../../array/index.js";
import type { CTarget } from "../../compiler/index.js";
import { crypto, fs, os, path } from "../../node/index.js";
import { cachePath, prepareFolder } from "../cache/folder.js";
import { sha256 } from "../cache/checksum.js";
import { limitSeconds, type Outcome, type Steps } from "./commands.js";
import type { Compiler } from "./compiler.js";

export interface Machine {
  /** What the compiler calls itself. */
  readonly version: string;
  /** Flags by which it compiles for the processor at hand. */
  readonly tuning: readonly string[];
  readonly target: CTarget;
  /** What tells the compiler and the processor from others. */
  readonly identity: string;
}

type Answer = Omit<Machine, "identity">;

/** What tells processors apart that code may be made for: the model, and what the system says that it can do. */
function processorIdentity(): string {
  const model = os.cpus()[0]?.model ?? "";
  let flags = "";
  try {
    flags = /^(?:flags|Features)\s*:.*$/m.exec(fs.readFileSync("/proc/cpuinfo", "utf8"))?.[0] ?? "";
  } catch {
    // Elsewhere than on Linux the model says it all.
  }
  return `${os.arch()} ${model} ${flags}`;
}

let processor: string | null = null;
const answers = new Map<string, Answer>();

/** The machine that a compiler makes code for; `known` are the answers that this process has had. */
export function* machineOf(compiler: Compiler, known = answers): Steps<Machine> {
  processor ??= processorIdentity();
  const identity = sha256(compiler.identity, processor);
  const answer = known.get(identity) ?? recall(identity) ?? (yield* ask(compiler, identity));
  known.set(identity, answer);
  return { ...answer, identity };
}

const memoFile = (identity: string): string => path.join(cachePath(), `compiler-${identity}.json`);

function recall(identity: string): Answer | null {
  try {
    if (prepareFolder(cachePath()) !== null) return null;
    return checked(JSON.parse(fs.readFileSync(memoFile(identity), "utf8")));
  } catch {
    return null;
  }
}

/** An answer that was kept, if it is one. */
function checked(value: unknown): Answer | null {
  const { version, tuning, target } = value as Partial<Answer>;
  const isSound =
    typeof version === "string" &&
    Array.isArray(tuning) &&
    tuning.every((flag) => typeof flag === "string" && flag.startsWith("-m")) &&
    [4, 8, 16].includes(target?.lanes ?? 0) &&
    [16, 32].includes(target?.registers ?? 0);
  return isSound ? (value as Answer) : null;
}

function remember(identity: string, answer: Answer): void {
  try {
    if (prepareFolder(cachePath()) !== null) return;
    const file = memoFile(identity);
    const aside = `${file}.${crypto.randomBytes(4).toString("hex")}`;
    fs.writeFileSync(aside, JSON.stringify(answer), { mode: 0o600 });
    fs.renameSync(aside, file);
  } catch {
    // It is asked again next time.
  }
}

/** Ways to name the processor at hand: compilers for ARM have known the second one for longer. */
const tunings = [["-march=native"], ["-mcpu=native"], []];

function* ask({ command }: Compiler, identity: string): Steps<Answer> {
  let outcome: Outcome | null = null;
  for (const tuning of tunings) {
    outcome = yield {
      script: '"$@" -dM -E -x c /dev/null',
      args: [...command, ...tuning],
      folder: os.tmpdir(),
    };
    if (outcome.problem !== null) break;
    if (!outcome.isDone) continue;
    const { output } = outcome;
    const answer = { version: versionOf(output), tuning, target: targetOf(output) };
    remember(identity, answer);
    return answer;
  }
  const { output = "", problem = null } = outcome ?? {};
  fail(
    "native",
    problem === "slow"
      ? `the C compiler ${command.join(" ")} has not answered for ${limitSeconds()} s; look at what it waits for, set ` +
          "CC to another one, or give it more time: VIBE_RL_COMPILER_TIMEOUT, in seconds"
      : `the C compiler ${command.join(" ")} does not work: ${problem?.reason ?? firstLines(output)}. Set CC to ` +
          "another one",
  );
}

/** The beginning of what a compiler wrote. */
export const firstLines = (output: string): string => {
  const lines = output.trim().split("\n");
  return lines.length <= 8
    ? lines.join("\n")
    : `${lines.slice(0, 8).join("\n")}\n… (${lines.length - 8} more lines)`;
};

/** What a compiler is called: gcc tells its number only. */
function versionOf(macros: string): string {
  const version = /^#define __VERSION__ "(.*)"$/m.exec(macros)?.[1] ?? "of no version";
  return /^#define __clang__\b/m.test(macros) ? version : `gcc ${version}`;
}

/** Vectors of the processor that a compiler's own macros tell of. */
function targetOf(macros: string): CTarget {
  const has = (name: string) => new RegExp(`^#define ${name}\\b`, "m").test(macros);
  if (has("__AVX512F__")) return { lanes: 16, registers: 32 };
  if (has("__AVX2__")) return { lanes: 8, registers: 16 };
  if (has("__ARM_NEON")) return { lanes: 4, registers: 32 };
  return { lanes: 4, registers: 16 };
}

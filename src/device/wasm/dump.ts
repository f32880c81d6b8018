// Writing what the compiler's passes made of programs to files, where VIBE_RL_DUMP asks for it.
import { environment, fail } from "../../array/index.js";

/** The passes that VIBE_RL_DUMP names, separated by commas. */
export function parsePasses<P extends string>(wanted: string, known: readonly P[]): P[] {
  const names = wanted.split(",").map((name) => name.trim());
  return names
    .filter((name) => name !== "")
    .map(
      (name) =>
        known.find((pass) => pass === name) ??
        fail("VIBE_RL_DUMP", `there is no pass ${JSON.stringify(name)}; there are ${known.join(", ")}`, null),
    );
}

/** The little of Node that dumps need. */
interface FileSystem {
  readonly mkdirSync: (folder: string, options: { readonly recursive: true }) => void;
  readonly writeFileSync: (file: string, text: string) => void;
}
interface Paths {
  readonly join: (...parts: readonly string[]) => string;
}
interface Host {
  readonly process?: { readonly getBuiltinModule?: (name: string) => unknown };
}

/** Node's own modules, without importing what browsers do not have. */
function nodeModule(name: string): unknown {
  const { process }: Host = globalThis;
  return (
    process?.getBuiltinModule?.(name) ??
    fail("VIBE_RL_DUMP", "dumps are files, and need Node 20.16 or newer; unset the variable here", null)
  );
}

let compilations = 0;

/**
 * Counts a compilation, and writes what VIBE_RL_DUMP asks for to `<number>-<name>.<pass>.txt` (machine code:
 * `.wat`) in the folder VIBE_RL_DUMP_DIR, by default `vibe-rl-dump`. Does nothing if the variable is not set.
 */
export function writeDumps<P extends string>(
  name: string,
  passes: readonly P[],
  textOf: (pass: P) => { readonly suffix: string; readonly text: string },
): void {
  const number = ++compilations;
  const wanted = environment("VIBE_RL_DUMP");
  if (wanted === undefined) return;
  const chosen = parsePasses(wanted, passes);
  const folder = environment("VIBE_RL_DUMP_DIR") ?? "vibe-rl-dump";
  const files = nodeModule("node:fs") as FileSystem;
  const paths = nodeModule("node:path") as Paths;
  files.mkdirSync(folder, { recursive: true });
  for (const pass of chosen) {
    const { suffix, text } = textOf(pass);
    files.writeFileSync(paths.join(folder, `${number}-${fileName(name)}.${suffix}`), text);
  }
}

/** A name without what file systems do not take. */
const fileName = (name: string): string =>
  name.replace(/[^\w.-]+/g, "_").replace(/^_+|_+$/g, "") || "program";

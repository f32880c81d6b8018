// Writing what the compiler's passes made of programs to files, where VIBE_RL_DUMP asks for it.
import { environment, fail } from "../array/index.js";
import { dumpPasses, dumpText, type CompiledForms, type HandedOn } from "../compiler/index.js";
import { fs, hasFiles, path } from "../node/index.js";

/** The passes that VIBE_RL_DUMP names, separated by commas. */
export function parsePasses(wanted: string, known: readonly string[]): string[] {
  const names = wanted.split(",").map((name) => name.trim());
  return names
    .filter((name) => name !== "")
    .map(
      (name) =>
        known.find((pass) => pass === name) ??
        fail("VIBE_RL_DUMP", `there is no pass ${JSON.stringify(name)}; there are ${known.join(", ")}`, null),
    );
}

let compilations = 0;

/**
 * Counts a compilation, and writes what VIBE_RL_DUMP asks for to `<number>-<name>.<pass>.txt` (machine code:
 * `.wat`) in the folder VIBE_RL_DUMP_DIR, by default `vibe-rl-dump`. Does nothing if the variable is not set.
 */
export function writeDumps(name: string, forms: CompiledForms | HandedOn): void {
  const number = ++compilations;
  const wanted = environment("VIBE_RL_DUMP");
  if (wanted === undefined) return;
  const chosen = parsePasses(wanted, dumpPasses);
  if (!hasFiles()) {
    fail("VIBE_RL_DUMP", "dumps are files, and need Node 20.16 or newer; unset the variable here", null);
  }
  const folder = environment("VIBE_RL_DUMP_DIR") ?? "vibe-rl-dump";
  fs.mkdirSync(folder, { recursive: true });
  for (const pass of chosen) {
    const dump = dumpText(pass, forms);
    if (dump === null) continue;
    fs.writeFileSync(path.join(folder, `${number}-${fileName(name)}.${dump.suffix}`), dump.text);
  }
}

/** A name without what file systems do not take. */
const fileName = (name: string): string =>
  name.replace(/[^\w.-]+/g, "_").replace(/^_+|_+$/g, "") || "program";

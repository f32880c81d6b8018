// What compiling a program has come to, kept beside its code: with both of them a later process neither compiles the
// program nor renders it. This holds for the code of one build of this package.
import { environment } from "../../array/index.js";
import type { Compiled } from "../../compiler/index.js";
import { crypto, fs, path, url } from "../../node/index.js";
import { sha256 } from "./checksum.js";

/** A program without its code: where things lie, and which entry of the cache has it. */
export interface KnownProgram<Launch> {
  readonly layout: Omit<Compiled<unknown>, "code">;
  /** What its device must know to start it. */
  readonly launch: Launch;
  readonly library: string;
}

let stamp: string | null | undefined;

/** What tells this build of the package from others; null where that cannot be told, as in bundles. */
export function packageStamp(): string | null {
  if (stamp === undefined) stamp = findStamp(import.meta.url);
  return stamp;
}

function findStamp(here: string): string | null {
  if (!here.endsWith("/dist/device/cache/programs.js")) return null;
  try {
    const root = path.resolve(url.fileURLToPath(here), "..", "..", "..", "..");
    const manifest = fs.readFileSync(path.join(root, "package.json"), "utf8");
    // In a clone, code changes and the version does not; packages have no such file.
    const built = fs.statSync(path.join(root, "dist", ".built"), { throwIfNoEntry: false });
    return sha256(manifest, String(built?.mtimeMs ?? 0));
  } catch {
    return null;
  }
}

/** The key of a program; null where it must be compiled anyway. */
export const knownKey = (...parts: readonly string[]): string | null => {
  const own = packageStamp();
  return own === null || environment("VIBE_RL_DUMP") !== undefined ? null : sha256(own, ...parts);
};

export const isProgramFile = (name: string): boolean =>
  /^program-[0-9a-f]{64}\.json(\.[0-9a-f]{8})?$/.test(name);

const fileOf = (folder: string, key: string): string => path.join(folder, `program-${key}.json`);

/** A program that was compiled before; null if there is none, or it is damaged. */
export function recallProgram<Launch>(folder: string, key: string): KnownProgram<Launch> | null {
  return readProgram<Launch>(fileOf(folder, key));
}

export function readProgram<Launch>(file: string): KnownProgram<Launch> | null {
  try {
    const [sum, text] = JSON.parse(fs.readFileSync(file, "utf8")) as readonly [string, string];
    return sha256(text) === sum ? (JSON.parse(text) as KnownProgram<Launch>) : null;
  } catch {
    return null;
  }
}

/** Keeps a program, where the folder can. */
export function rememberProgram<Launch>(
  folder: string,
  key: string,
  { layout, launch, library }: KnownProgram<Launch>,
): void {
  const { memoryBytes, inputs, outputs, messages } = layout;
  const text = JSON.stringify({ layout: { memoryBytes, inputs, outputs, messages }, launch, library });
  const file = fileOf(folder, key);
  const aside = `${file}.${crypto.randomBytes(4).toString("hex")}`;
  try {
    fs.writeFileSync(aside, JSON.stringify([sha256(text), text]), { mode: 0o600 });
    fs.renameSync(aside, file);
  } catch {
    // It is compiled again next time.
  }
}

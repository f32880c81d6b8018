// The code of one entry as bytes: read where it is whole, kept where the folder can.
import { fs, path } from "../../node/index.js";
import { buildFolder, findEntry, keepEntry, type CodeName, type EntryRecord } from "./entries.js";
import { pruneSometimes } from "./keeping.js";

/** The code of an entry that is whole; null if there is none. */
export function readCode(folder: string, key: string, name: CodeName): Uint8Array | null {
  const file = findEntry(folder, key, name);
  try {
    return file === null ? null : fs.readFileSync(file);
  } catch {
    // Somebody has just cleared it away.
    return null;
  }
}

/** Keeps code as an entry, which appears whole or not at all; what keeps it from that is thrown. */
export function writeCode(
  folder: string,
  key: string,
  name: CodeName,
  code: Uint8Array,
  record: Omit<EntryRecord, "sha256">,
): void {
  const built = buildFolder(folder);
  try {
    fs.writeFileSync(path.join(built, name), code, { mode: 0o600 });
    keepEntry(folder, key, built, name, record);
  } catch (error) {
    fs.rmSync(built, { recursive: true, force: true });
    throw error;
  }
  try {
    pruneSometimes(folder, key);
  } catch {
    // Too large a cache is no reason to do without the program; the next one tries again.
  }
}

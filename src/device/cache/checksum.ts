// Checksums, by which files are found and held to be whole.
import { crypto } from "../../node/index.js";

export const sha256 = (...parts: readonly (string | Uint8Array)[]): string => {
  const hash = crypto.createHash("sha256");
  for (const part of parts) {
    // Lengths keep parts apart.
    hash.update(`${part.length} `);
    hash.update(part);
  }
  return hash.digest("hex");
};

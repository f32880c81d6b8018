// Pictures on disk.
import { explainFailure, replaceFile } from "../files/index.js";
import { fail } from "./error.js";

/** Writes a file, and its folder if there is none. Who looks at it meanwhile sees the old one or the new one. */
export function writePicture(operation: string, file: string, content: string | Uint8Array): void {
  try {
    replaceFile(file, typeof content === "string" ? content : [content]);
  } catch (error) {
    fail(operation, `cannot write ${file}: ${explainFailure(error)}`);
  }
}

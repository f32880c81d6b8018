// Policies for other programs; loaded when one is asked for.
import { exportPolicy } from "vibe-rl/policy";

/** The file that acts, as ONNX or as a JavaScript module. */
export async function exported(bytes: Uint8Array, format: "onnx" | "js"): Promise<Uint8Array> {
  return (await exportPolicy(bytes, { format })).bytes;
}

// What the JavaScript engine's WebAssembly can do.
import type { Features } from "../../compiler/index.js";

/** A module with one function that takes nothing, has the given body, and returns a vector. */
const moduleWith = (...body: number[]): Uint8Array<ArrayBuffer> =>
  Uint8Array.of(
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...[0x01, 0x05, 0x01, 0x60, 0x00, 0x01, 0x7b],
    ...[0x03, 0x02, 0x01, 0x00],
    ...[0x0a, body.length + 4, 0x01, body.length + 2, 0x00, ...body, 0x0b],
  );

/** i32.const 0, i32x4.splat. */
const vector = [0x41, 0x00, 0xfd, 0x11];

/** What compiled programs can use here; null where they cannot run at all. */
export function detectFeatures(): Features | null {
  if (typeof WebAssembly !== "object" || !WebAssembly.validate(moduleWith(...vector))) return null;
  // f32x4.relaxed_madd is part of newer engines only.
  return { fma: WebAssembly.validate(moduleWith(...vector, ...vector, ...vector, 0xfd, 0x85, 0x02)) };
}

// How exact products of float32 are on devices that have faster ones.
import { environment, fail, matmulPrecisions, type MatmulPrecision } from "../array/index.js";

/** How exact they shall be where a program does not say. */
export function defaultPrecision(): MatmulPrecision {
  const asked = environment("VIBE_RL_MATMUL_PRECISION");
  if (asked === undefined) return "highest";
  const found = matmulPrecisions.find((one) => one === asked);
  return (
    found ??
    fail(
      "VIBE_RL_MATMUL_PRECISION",
      `it must be ${matmulPrecisions.join(", ")}, got ${JSON.stringify(asked)}`,
    )
  );
}

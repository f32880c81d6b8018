// Functions of numbers, and grids of them.
import { lax, nn, np } from "vibe-rl/array";
import type { MoreCases } from "./cases.js";

export const elementwiseCases: MoreCases = {
  arcsinh: np.asinh,
  arccosh: np.acosh,
  arctanh: np.atanh,
  cbrt: np.cbrt,
  rint: np.rint,
  erfc: lax.erfc,
  signbit: np.signbit,
  logit: nn.logit,
  sinc: np.sinc,
  lgamma: lax.lgamma,
  digamma: lax.digamma,
  fmod: np.fmod,
  copysign: np.copysign,
  fmax: np.fmax,
  fmin: np.fmin,
  "fmax'": (x, y) => [np.fmax(x, y), np.fmin(x, y), np.copysign(x, y), np.fmod(x, y)],
  divmod: (x, y) => [...np.divmod(x, y), ...np.divmod(np.int32([7, -7]), 3)],
  cross: (x, y) => [
    np.cross(x, y),
    np.cross(x.slice(":", ":2"), y),
    np.cross(x.slice(":", ":2"), y.slice(":", ":2")),
    np.cross(x, y.slice(0)),
    np.cross(x.T, y.T, { axis: 0 }),
  ],
  trapezoid: (y, t) => [
    np.trapezoid(y),
    np.trapezoid(y, null, 0.5, 0),
    np.trapezoid(y, t),
    np.trapezoid(y, y.abs()),
  ],
  grids: () => [
    np.tri(3),
    np.tri(2, 4, 1, { dtype: "int32" }),
    np.indices([2, 3]),
    np.logspace(0, 2, 5),
    np.logspace(-1, 1, 3, { base: 2 }),
    np.geomspace(1, 256, 9),
    np.geomspace(-8, -1, 4, { endpoint: false }),
  ],
};

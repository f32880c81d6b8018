// Derivatives of branches that a batch takes in part.
import { grad, jvp, lax, np, vmap, type Array } from "vibe-rl/array";
import type { Cases } from "./cases.js";

export const branchCases: Cases = new Map();

const safeLog = (x: Array): Array =>
  lax.cond(
    x.greater(0),
    (v: Array) => np.log(v),
    (v: Array) => v.mul(2),
    x,
  );
const safeRoot = (x: Array): Array =>
  lax.switch(x.greater(0).astype("int32"), [(v: Array) => v, (v: Array) => np.sqrt(v)], x);
const safeScan = (x: Array): Array => lax.scan((c: Array) => [safeLog(c), null], x, null, { length: 1 })[0];
const points = np.array([1, 0, -1]);
for (const [name, f] of [
  ["cond", safeLog],
  ["switch", safeRoot],
  ["cond in scan", safeScan],
] as const) {
  branchCases.set(`gradient of vmapped ${name}`, () => grad((x: Array) => vmap(f)(x).sum())(points));
  branchCases.set(`vmapped gradient of ${name}`, () => vmap(grad(f))(points));
  branchCases.set(`jvp of vmapped ${name}`, () => jvp(vmap(f), [points], [np.ones([3])])[1]);
}
branchCases.set("gradient of what a batch shares", () =>
  grad((w: Array) =>
    vmap((x: Array) =>
      lax.cond(
        x.greater(0),
        () => x.div(w),
        () => x.mul(w),
      ),
    )(np.array([0, -1, -2])).sum(),
  )(np.float32(0)),
);

// Compiled derivatives of loops and branches equal interpreted ones.
import { describe } from "vitest";
import { grad, lax, np, vmap, type Array } from "vibe-rl/array";
import { itIsSame, type Triple } from "./loops.js";

describe("gradients", () => {
  const small = (v: Array) => v.mul(0.1);
  itIsSame(
    {
      "of a scan with several carries": grad(
        (a: Array, b: Array, v: Array) => {
          const [last, all] = lax.scan(
            (c: Triple, r: Array) => [
              [np.tanh(c[1].add(r)), c[2].mul(0.9), c[0].add(c[1])] as Triple,
              c[0].mul(c[2]),
            ],
            [v, small(v), small(b.slice(0))] as Triple,
            small(a),
          );
          return last[0].mul(last[1]).sum().add(all.sum()).add(last[2].sum());
        },
        { argnums: [0, 1, 2] },
      ),
      "of a scan backwards": grad(
        (a: Array, _b: Array, v: Array) =>
          lax
            .scan((c: Array, r: Array) => [np.sin(c).add(small(r)), c.mul(r)], small(v), a, {
              reverse: true,
            })[1]
            .sum(),
        { argnums: [0, 2] },
      ),
      "of nested scans": grad(
        (a: Array, b: Array, v: Array) =>
          lax
            .scan(
              (c: Array, r: Array) => [
                lax.scan((d: Array, s: Array) => [np.tanh(d.mul(s)).add(small(r)), null], c, small(b))[0],
                c.sum(),
              ],
              small(v),
              a,
            )[1]
            .sum(),
        { argnums: [0, 1, 2] },
      ),
      "of a scan with updates": grad(
        (a: Array, _b: Array, v: Array) =>
          lax
            .foriLoop(
              0,
              5,
              (i, c: Array) => c.at(i).set(c.slice(i.add(1)).mul(small(a).slice(i)).sum()),
              small(v),
            )
            .sum(),
        { argnums: [0, 2] },
      ),
      "of branches in a scan": grad(
        (a: Array, _b: Array, v: Array) =>
          lax
            .scan(
              (c: Array, r: Array) => [
                lax.cond(
                  r.sum().greater(0),
                  (p: Array) => np.tanh(p),
                  (p: Array) => p.mul(small(r)),
                  c,
                ),
                null,
              ],
              small(v),
              a,
            )[0]
            .sum(),
        { argnums: [0, 2] },
      ),
      "of every example": (a) =>
        vmap(
          grad((r: Array) =>
            lax.scan((c: Array, s: Array) => [np.tanh(c.add(s).mul(0.5)), c], np.float32(0), r)[1].sum(),
          ),
        )(a),
      "of a recurrent network": grad(
        (a: Array, b: Array) =>
          lax
            .scan(
              (h: Array, r: Array) => [np.tanh(small(b).T.matmul(small(b)).matmul(h).add(small(r))), h.sum()],
              np.zeros([10]),
              a,
            )[1]
            .sum(),
        { argnums: [0, 1] },
      ),
    },
    { rtol: 5e-5, atol: 1e-5 },
  );
});

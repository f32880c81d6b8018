// Flags and names: transforms pass plain booleans, strings and null through as they are.
import { describe, expect, it, vi } from "vitest";
import {
  checkGrads,
  evalShape,
  grad,
  jacfwd,
  jacrev,
  jit,
  jvp,
  lax,
  makeProgram,
  np,
  precompile,
  valueAndGrad,
  vjp,
  vmap,
  type Array,
} from "vibe-rl/array";

interface Options {
  readonly explore?: boolean;
  readonly kind?: string;
  readonly nested?: { readonly scale: number; readonly flags: readonly boolean[] };
}

/** x or −x by a flag, twice that by a name. */
const choose = (x: Array, { explore = true, kind = "plain", nested }: Options = {}): Array => {
  const signed = explore ? x : x.neg();
  const named = kind === "twice" ? signed.mul(2) : signed;
  return nested?.flags[0] === true ? named.mul(nested.scale) : named;
};
const x = np.array([1, 2]);

describe("jit", () => {
  it("takes a flag for what it is, and traces anew when it changes", () => {
    let traces = 0;
    const f = jit((v: Array, options?: Options) => {
      traces++;
      return choose(v, options);
    });
    const calls: readonly (readonly [Options | undefined, number[]])[] = [
      [undefined, [1, 2]],
      [{ explore: false }, [-1, -2]],
      [{ explore: true }, [1, 2]],
      [{ explore: false, kind: "twice" }, [-2, -4]],
      [{ kind: "plain", nested: { scale: 3, flags: [true, false] } }, [3, 6]],
      [{ kind: "plain", nested: { scale: 3, flags: [false, false] } }, [1, 2]],
    ];
    for (const [options, expected] of [...calls, ...calls]) expect(f(x, options).toArray()).toEqual(expected);
    expect(traces).toBe(calls.length);
    // A number is data: no new trace.
    expect(f(x, { kind: "plain", nested: { scale: 5, flags: [true, false] } }).toArray()).toEqual([5, 10]);
    expect(traces).toBe(calls.length);
  });

  it("tells a string from what it looks like", () => {
    const f = jit((value: unknown) => (value === null ? 0 : typeof value === "string" ? value.length : 1));
    expect([null, "null", "undefined", undefined, true, "true", "*"].map((value) => f(value))).toEqual([
      0, 4, 9, 1, 1, 4, 1,
    ]);
  });

  it("gives plain values in results back as they were", () => {
    const f = jit((v: Array, name: string) => ({
      v: v.mul(2),
      name,
      done: false,
      nothing: null,
      count: 3,
      list: [name.toUpperCase(), v] as const,
    }));
    for (const name of ["a", "b", "a"]) {
      const { v, list, ...plain } = f(x, name);
      expect(plain).toEqual({ name, done: false, nothing: null, count: 3 });
      expect([v.toArray(), list[0], list[1].toArray()]).toEqual([[2, 4], name.toUpperCase(), [1, 2]]);
    }
  });

  it("works ahead of time and inside other traces", async () => {
    const f = jit(choose);
    await precompile(f, x, { explore: false });
    expect(f(x, { explore: false }).toArray()).toEqual([-1, -2]);
    expect(jit((v: Array) => f(v, { explore: false }).add(1))(x).toArray()).toEqual([0, -1]);
  });

  it("says so when there are ever more signatures", () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    try {
      const f = jit(function label(v: Array, name: string) {
        return name === "" ? v : v.add(1);
      });
      for (let step = 0; step < 63; step++) f(x, `step ${step}`);
      expect(warn).not.toHaveBeenCalled();
      for (let step = 0; step < 100; step++) f(x, `step ${step}`);
      expect(warn.mock.calls).toEqual([
        [
          expect.stringMatching(
            /jit\(label\) has been compiled for 64 signatures and keeps them all.*as a number or an array/,
          ),
        ],
      ]);
    } finally {
      warn.mockRestore();
    }
  });
});

describe("the other transforms", () => {
  const loss = (params: { w: Array; name: string; trained: boolean }, v: Array) => {
    const value = choose(v, { explore: params.trained, kind: params.name }).mul(params.w).sum();
    return [value, { name: params.name, flipped: !params.trained, none: null, value }] as [
      Array,
      { name: string; flipped: boolean; none: null; value: Array },
    ];
  };
  const params = { w: np.float32(3), name: "twice", trained: false };

  it("grad and valueAndGrad: in arguments, gradients and aux", () => {
    const [gradient, aux] = grad(loss, { hasAux: true })(params, x);
    expect(gradient).toEqual({ w: expect.anything() as Array, name: "twice", trained: false });
    expect(gradient.w.item()).toBe(-6);
    expect([aux.name, aux.flipped, aux.none, aux.value.item()]).toEqual(["twice", true, null, -18]);
    const [[value], both] = valueAndGrad(loss, { argnums: [0, 1], hasAux: true })(params, x);
    expect([value.item(), both[0].name, both[1].toArray()]).toEqual([-18, "twice", [-6, -6]]);
  });

  it("vmap: shared by all examples", () => {
    const f = vmap((v: Array, options: Options) => ({
      y: choose(v, options),
      kind: options.kind,
      done: true,
    }));
    const { y, kind, done } = f(x, { explore: false, kind: "twice" });
    expect([y.toArray(), kind, done]).toEqual([[-2, -4], "twice", true]);
    expect(vmap(choose, [0, null])(x, { explore: false }).toArray()).toEqual([-1, -2]);
    expect(vmap(choose, [0, { explore: null }])(x, { explore: false }).toArray()).toEqual([-1, -2]);
  });

  it("jvp, vjp and jacobians", () => {
    const options: Options = { explore: false };
    const f = (v: Array, given: Options) => ({ y: choose(v, given), tag: "y" });
    const [value, tangent] = jvp(f, [x, options], [np.ones([2]), options]);
    expect([value.tag, tangent.tag, tangent.y.toArray()]).toEqual(["y", "y", [-1, -1]]);
    const [result, back] = vjp(f, x, options);
    expect(back(result)[0].toArray()).toEqual([1, 2]);
    expect(() => jvp(f, [x, options], [x, { explore: true }])).toThrow(
      /the tangents .* differ at \[1\]\.explore/,
    );
    for (const jacobian of [jacfwd, jacrev]) {
      expect(jacobian(f)(x, options).y.sum(0).toArray()).toEqual([-1, -1]);
      expect(jacobian(f)(x, options).tag).toBe("y");
    }
    checkGrads(f, [x.astype("float64"), options]);
  });

  it("makeProgram and evalShape", () => {
    expect(String(makeProgram(choose)(x, { explore: false }))).toContain("neg");
    expect(String(makeProgram(choose)(x, { explore: true }))).not.toContain("neg");
    expect(evalShape((v: Array, name: string) => ({ v, name }), x, "a")).toEqual({
      v: { shape: [2], dtype: "float32" },
      name: "a",
    });
  });

  it("cond and switch: in operands", () => {
    const f = (p: Array, explore: boolean) =>
      lax
        .cond(
          p,
          (v: Array, flag: boolean) => (flag ? v : v.neg()),
          (v: Array) => v.mul(0),
          x,
          explore,
        )
        .toArray();
    expect([f(np.bool(true), false), f(np.bool(true), true), f(np.bool(false), true)]).toEqual([
      [-1, -2],
      [1, 2],
      [0, 0],
    ]);
  });

  it("loops take booleans for data, as they do numbers", () => {
    const start = { done: false as unknown as Array, n: 0 as unknown as Array };
    const { done, n } = lax.whileLoop(
      (c) => c.done.not(),
      (c) => ({ done: c.n.greater(2), n: c.n.add(1) }),
      start,
    );
    expect([done.item(), n.item()]).toEqual([true, 4]);
    const [, ys] = lax.scan((c: Array) => [c, true], x, null, { length: 2 });
    expect((ys as unknown as Array).toArray()).toEqual([true, true]);
  });
});

// Environments by id: what there is, with which parameters, and what is refused.
import { execFileSync } from "node:child_process";
import { afterAll, describe, expect, expectTypeOf, it } from "vitest";
import { np, random, type Array } from "vibe-rl/array";
import {
  cartPole,
  listEnvs,
  make,
  register,
  type CartPoleParams,
  type CartPoleState,
  type Environment,
} from "vibe-rl/env";
import { builtIn } from "./builtIn.js";
import { errorOf } from "./rollout.js";

describe("make", () => {
  it("knows the built-in environments", () => {
    // In a process of its own: other tests register environments in this one.
    const script = `import { listEnvs } from "vibe-rl/env"; console.log(JSON.stringify(listEnvs()))`;
    const output = execFileSync(process.execPath, ["--input-type=module", "-e", script], {
      encoding: "utf8",
    });
    expect(JSON.parse(output)).toEqual(builtIn);
    for (const id of builtIn) expect(make(id)[0].name).toBe(id);
  });

  it("gives an environment and its parameters, with their types", () => {
    const [env, params] = make("CartPole-v1", { gravity: 1.6, maxSteps: 20 });
    expectTypeOf(env).toEqualTypeOf<Environment<CartPoleState, CartPoleParams>>();
    expectTypeOf(params).toEqualTypeOf<CartPoleParams>();
    expect(params.gravity.item()).toBeCloseTo(1.6);
    expect([params.maxSteps.dtype, params.maxSteps.item()]).toEqual(["int32", 20]);
    expect(params.force.item()).toBe(10);
    expect(make("CartPole-v1", { gravity: np.float32(2) })[1].gravity.item()).toBe(2);
  });

  it("answers an unknown id with the nearest known ones", () => {
    expect(errorOf(() => make("Cartpole-v0"))).toMatch(
      /make: there is no environment "Cartpole-v0"; the nearest is CartPole-v1/,
    );
    expect(errorOf(() => make("mountain_car"))).toContain(
      "the nearest are MountainCar-v0, MountainCarContinuous-v0",
    );
    expect(errorOf(() => make("zzz"))).toContain("PixelGridWorld-v0");
  });

  it("answers an unknown parameter with the nearest known ones", () => {
    const call = () => make("CartPole-v1", { masspole: 1 } as object);
    expect(errorOf(call)).toContain(
      'CartPole-v1 has no parameter "masspole"; the nearest are massPole, massCart',
    );
    const mistake = () =>
      // @ts-expect-error there is no such parameter
      make("CartPole-v1", { gravitation: 1 });
    expect(errorOf(mistake)).toContain("gravity");
  });

  it("refuses values that are no numbers, no whole numbers, or batches", () => {
    const withGravity = (gravity: unknown) => () => make("CartPole-v1", { gravity } as object);
    expect(errorOf(withGravity("9.8"))).toContain(
      'parameter gravity of CartPole-v1 must be a number, got "9.8"',
    );
    expect(errorOf(withGravity(NaN))).toContain("must be a number");
    expect(errorOf(withGravity(np.ones([3])))).toMatch(/is float32, got float32\[3\].*vmap over/);
    expect(errorOf(() => make("CartPole-v1", { maxSteps: 1.5 }))).toContain("must be a whole number");
    expect(errorOf(() => make("CartPole-v1", 3 as unknown as object))).toContain(
      "overrides must be an object",
    );
  });
});

describe("register", () => {
  interface Nested {
    readonly outer: { readonly inner: Array };
  }
  const nested = (): Environment<CartPoleState, Nested> => ({
    ...(cartPole() as unknown as Environment<CartPoleState, Nested>),
    name: "Nested-v0",
    defaultParams: () => ({ outer: { inner: np.float32(1) } }),
  });
  afterAll(() => register("Nested-v0", nested, { replace: true }));

  it("makes an environment known, with nested parameters", () => {
    register("Nested-v0", nested);
    expect(listEnvs()).toContain("Nested-v0");
    const [env, params] = make("Nested-v0", { outer: { inner: 4 } });
    expect((params as Nested).outer.inner.item()).toBe(4);
    expect(env.reset(random.key(0), params)[0].shape).toEqual([4]);
    expect(errorOf(() => make("Nested-v0", { outer: { iner: 4 } }))).toContain(
      'no parameter "outer.iner"; the nearest is inner',
    );
  });

  it("refuses an id that is taken, and what is no factory", () => {
    expect(errorOf(() => register("CartPole-v1", cartPole))).toContain("there is a CartPole-v1 already");
    expect(errorOf(() => register("", cartPole))).toContain("the id must be a text");
    expect(errorOf(() => register("X-v0", cartPole() as unknown as () => Environment))).toContain(
      "must be a function",
    );
  });
});

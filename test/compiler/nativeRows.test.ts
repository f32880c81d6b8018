// Threads of programs in C own rows: they wait for each other where data crosses rows, not at every kernel, and have the
// bits of one thread.
import { describe, expect, it } from "vitest";
import { grad, jit, lax, makeProgram, nn, np, random, registerBackend, type Array } from "vibe-rl/array";
import { compile, cRenderer, neverMeeting, type CTarget } from "../../src/compiler/index.js";
import { nativeBackend } from "../../src/device/native/backend.js";
import { flagsNow } from "../../src/device/native/flags.js";
import { differences } from "../closeness.js";
import { bitsOf } from "./bits.js";
import type { Computation } from "./compare.js";
import { isWithoutNative } from "../device/native.js";
import { isLong } from "../long.js";
import { rowCases } from "./rowPrograms.js";

const target = { lanes: 16, registers: 32 } as const;

/** How often threads meet in a program, or in the innermost of its loops; meetings cost nothing unless they are said to. */
function meetingsIn(f: Computation, args: readonly Array[], meeting = 0): number {
  const { program, constants } = makeProgram(f)(...args);
  const [first] = compile(program, constants.length, cRenderer(target, { meeting })).code.sources;
  const body = first.slice(first.indexOf("static void body"));
  return body.slice(Math.max(0, body.lastIndexOf("for (long t"))).split("meet(pool);").length - 1;
}

const normal = (seed: number, ...shape: number[]): Array => random.normal(random.key(seed), shape);
const x = normal(1, 256, 64);
const [w, v] = [normal(2, 64, 64).mul(0.1), normal(3, 64, 8).mul(0.1)];

describe("threads meet", () => {
  it("nowhere in what keeps to its rows", () => {
    const forward = (x: Array, w: Array, v: Array) => {
      const hidden = np.tanh(nn.relu(x.matmul(w)).matmul(w));
      return [hidden.sum(1), hidden.matmul(v), hidden.matmul(w.T), np.argmax(hidden, 1)];
    };
    expect(meetingsIn(forward, [x, w, v])).toBe(0);
  });

  it.for<[name: string, f: Computation]>([
    ["a sum over all rows", (x) => x.sub(np.tanh(x).sum(0))],
    ["a product over the batch", (x) => np.tanh(x).T.matmul(x)],
    ["the row before", (x) => [np.tanh(x.matmul(w))].map((y) => y.slice("1:").sub(y.slice(":-1")))],
  ])("once where rows are crossed: %s", ([, f]) => {
    expect(meetingsIn(f, [x])).toBe(1);
  });

  it("twice in a step of gradient descent: before the products over the batch, and behind the update", () => {
    const loss = ([first, second]: Array[], x: Array) =>
      np.square(nn.relu(x.matmul(first)).matmul(second)).mean();
    const descend = (x: Array, w: Array, v: Array) =>
      lax.foriLoop(
        0,
        100,
        (_, params: Array[]) => {
          const gradients = grad(loss)(params, x);
          return params.map((param, at) => param.sub(gradients[at].mul(0.1)));
        },
        [w, v],
      );
    expect(meetingsIn(descend, [x, w, v])).toBe(2);
  });

  it("nowhere if a meeting costs more than it saves", () => {
    const both: Computation = (x) => [np.tanh(x).sum(0), np.roll(np.sin(x), 1, 0)];
    expect(meetingsIn(both, [x], 1e9)).toBe(0);
    expect(meetingsIn(both, [x], neverMeeting.meeting)).toBe(0);
    expect(meetingsIn(both, [x])).toBeGreaterThan(0);
  });
});

describe.skipIf(isWithoutNative("test/compiler/nativeRows.test.ts"))("rows", { timeout: 600_000 }, () => {
  it("have the same bits with any number of threads, in random programs that share all they can", () => {
    const device = "eager native";
    const renderer = (machine: CTarget, isForOneThread: boolean) =>
      cRenderer(machine, isForOneThread ? neverMeeting : { meeting: 0 });
    const flags = () => [...flagsNow(), "-DEAGER"];
    registerBackend({ ...nativeBackend(renderer, flags), name: device }, { isDefault: false });
    const cases = rowCases(6 * Number(process.env.PROPERTY_RUNS ?? (isLong ? 4 : 1)), 21);
    const all = (...args: Array[]) => cases.map(({ f }, at) => f(...args.slice(2 * at, 2 * at + 2)));
    const args = cases.flatMap((one) => [...one.args]);
    const alone = jit(all, { device, threads: 1 })(...args);
    for (const threads of [2, 3, 5, 16]) {
      const shared = jit(all, { device, threads })(...args);
      cases.forEach(({ name }, at) =>
        expect(bitsOf(shared[at]), `${name}, ${threads} threads`).toEqual(bitsOf(alone[at])),
      );
    }
    const interpreted = jit(all, { device: "interpreter" })(...args);
    cases.forEach(({ name, tolerance = {} }, at) =>
      expect(differences(alone[at], interpreted[at], tolerance), name).toEqual([]),
    );
  });
});

// Replay rings: what was pushed is what is drawn, the oldest goes first, in jit and outside, in arrays and on the host.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HostReplayBuffer, ReplayBuffer, type Transition } from "vibe-rl/agent";
import { jit, lax, np, random, type Array } from "vibe-rl/array";

/** A transition that can be told from others by its number. */
const numbered = (i: number) => ({
  obs: np.array([i, -i]),
  action: np.int32(i),
  reward: np.float32(i),
  nextObs: np.array([i + 1, -i - 1]),
  done: np.bool(i % 2 === 0),
});

const stackOf = (numbers: readonly number[]): Transition => ({
  obs: np.array(numbers.map((i) => [i, -i])),
  action: np.int32(numbers),
  reward: np.array([...numbers]),
  nextObs: np.array(numbers.map((i) => [i + 1, -i - 1])),
  done: np.array(numbers.map((i) => i % 2 === 0)),
});

const rewardsIn = ({ data }: ReplayBuffer<Transition>) => data.reward.toArray();

describe("ReplayBuffer", () => {
  it("keeps the newest transitions and overwrites the oldest", () => {
    let buffer: ReplayBuffer<Transition> = ReplayBuffer.init(4, numbered(0));
    const sizes: number[] = [];
    for (let i = 1; i <= 6; i++) {
      buffer = ReplayBuffer.push(buffer, numbered(i));
      sizes.push(ReplayBuffer.size(buffer).item());
    }
    expect(sizes).toEqual([1, 2, 3, 4, 4, 4]);
    expect(rewardsIn(buffer)).toEqual([5, 6, 3, 4]);
  });

  it("holds the same after any mixture of pushes, compiled or not", () => {
    const pushMany = jit(ReplayBuffer.pushBatch<Transition>);
    const pushOne = jit(ReplayBuffer.push<Transition>);
    const pushes = fc.array(fc.record({ count: fc.integer({ min: 1, max: 5 }), compiled: fc.boolean() }), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(pushes, (list) => {
        let buffer: ReplayBuffer<Transition> = ReplayBuffer.init(5, numbered(0));
        const pushed: number[] = [];
        for (const { count, compiled } of list) {
          const numbers = [1, 2, 3, 4, 5].slice(0, count).map((at) => pushed.length + at);
          pushed.push(...numbers);
          buffer =
            count === 1
              ? (compiled ? pushOne : ReplayBuffer.push)(buffer, numbered(numbers[0]))
              : (compiled ? pushMany : ReplayBuffer.pushBatch)(buffer, stackOf(numbers));
        }
        const expected = [0, 0, 0, 0, 0];
        pushed.forEach((number, at) => (expected[at % 5] = number));
        expect(rewardsIn(buffer)).toEqual(expected);
        expect(buffer.data.action.toArray()).toEqual(expected);
        expect(buffer.size.item()).toBe(Math.min(pushed.length, 5));
      }),
      { numRuns: 25 },
    );
  });

  it("draws whole transitions that were pushed, all of them in the long run", () => {
    let buffer: ReplayBuffer<Transition> = ReplayBuffer.init(100, numbered(0));
    for (let i = 1; i <= 5; i++) buffer = ReplayBuffer.push(buffer, numbered(i));
    const batch = ReplayBuffer.sample(buffer, random.key(0), 200);
    const drawn = batch.reward.toArray() as number[];
    expect(new Set(drawn)).toEqual(new Set([1, 2, 3, 4, 5]));
    expect(batch.obs.toArray()).toEqual(drawn.map((i) => [i, -i]));
    expect(batch.done.toArray()).toEqual(drawn.map((i) => i % 2 === 0));
    const compiled = jit((b: typeof buffer, key: Array) => ReplayBuffer.sample(b, key, 200));
    expect(compiled(buffer, random.key(0)).reward.toArray()).toEqual(drawn);
  });

  it("wraps around inside a compiled loop", () => {
    const run = jit((start: ReplayBuffer<Transition>) =>
      lax.foriLoop(
        0,
        25,
        (i, buffer) =>
          ReplayBuffer.push(buffer, {
            obs: np.stack([i, i.neg()]).astype("float32"),
            action: i,
            reward: i.astype("float32"),
            nextObs: np.zeros([2]),
            done: i.equal(24),
          }),
        start,
      ),
    );
    const buffer = run(ReplayBuffer.init(10, numbered(0)));
    expect(rewardsIn(buffer)).toEqual([20, 21, 22, 23, 24, 15, 16, 17, 18, 19]);
    expect(buffer.size.item()).toBe(10);
    expect(buffer.next.item()).toBe(5);
  });

  it("holds images as bytes and continuous actions as floats", () => {
    const example = { obs: np.zeros([4, 4, 3], { dtype: "uint8" }), action: np.zeros([2]) };
    const push = jit(ReplayBuffer.push<typeof example>);
    let buffer = ReplayBuffer.init(3, example);
    for (let i = 0; i < 4; i++) {
      const obs = np.full([4, 4, 3], 250 + i, { dtype: "uint8" });
      buffer = push(buffer, { obs, action: np.array([i, 0.5]) });
    }
    const { obs, action } = ReplayBuffer.sample(buffer, random.key(3), 16);
    expect([obs.dtype, obs.shape]).toEqual(["uint8", [16, 4, 4, 3]]);
    const first = obs.slice(":", 0, 0, 0).toArray() as number[];
    expect(action.toArray()).toEqual(first.map((brightness) => [brightness - 250, 0.5]));
    expect(new Set(first)).toEqual(new Set([251, 252, 253]));
  });

  it("says what does not fit", () => {
    const buffer: ReplayBuffer<Transition> = ReplayBuffer.init(4, numbered(0));
    expect(() => ReplayBuffer.sample(buffer, random.key(0), 2)).toThrow("the buffer is empty");
    expect(() => ReplayBuffer.push(buffer, { ...numbered(0), obs: np.zeros([3]) })).toThrow(
      "obs has shape [3], the buffer was made for [2]",
    );
    expect(() => ReplayBuffer.pushBatch(buffer, stackOf([1, 2, 3, 4, 5]))).toThrow(
      "5 transitions do not fit into a ring of 4",
    );
    expect(() => ReplayBuffer.init(0, numbered(0))).toThrow("capacity must be a whole number of at least 1");
  });
});

describe("HostReplayBuffer", () => {
  it("draws for a key what the traceable ring draws", () => {
    let traced: ReplayBuffer<Transition> = ReplayBuffer.init(5, numbered(0));
    const host = new HostReplayBuffer(5, numbered(0));
    for (let i = 0; i < 8; i++) {
      traced = ReplayBuffer.push(traced, numbered(i));
      host.push({ obs: [i, -i], action: i, reward: i, nextObs: [i + 1, -i - 1], done: i % 2 === 0 });
    }
    const [key, count] = [random.key(7), 12];
    const [ours, theirs] = [host.sample(key, count), ReplayBuffer.sample(traced, key, count)];
    for (const name of ["obs", "action", "reward", "nextObs", "done"] as const) {
      expect([ours[name].dtype, ours[name].toArray()]).toEqual([theirs[name].dtype, theirs[name].toArray()]);
    }
    expect(host.size).toBe(5);
  });

  it("takes typed arrays, several at a time, and images as bytes", () => {
    const host = new HostReplayBuffer(4, { obs: new Uint8Array(2), action: np.zeros([1]) });
    host.pushBatch({ obs: Uint8Array.of(1, 2, 3, 4, 255, 6), action: [0.1, 0.3, 0.5] });
    host.pushBatch({ obs: Uint8Array.of(7, 8, 9, 10), action: [0.7, 0.9] });
    expect(host.size).toBe(4);
    const { obs, action } = host.sample(random.key(0), 32);
    expect(obs.dtype).toBe("uint8");
    const rows = obs.toArray() as number[][];
    const expected: Record<number, number> = { 3: 0.3, 255: 0.5, 7: 0.7, 9: 0.9 };
    expect(new Set(rows.map(([first]) => first))).toEqual(new Set([3, 255, 7, 9]));
    rows.forEach(([first], at) => {
      expect(action.slice(at, 0).item()).toBeCloseTo(expected[first], 6);
    });
  });

  it("says what does not fit", () => {
    const host = new HostReplayBuffer(2, { obs: [0, 0], reward: 0 });
    expect(() => host.sample(random.key(0), 1)).toThrow("the buffer is empty");
    expect(() => host.push({ obs: [1, 2, 3], reward: 0 })).toThrow("`obs` has 3 elements instead of 2");
    // @ts-expect-error the reward is missing
    expect(() => host.push({ obs: [1, 2] })).toThrow("no field `reward`");
  });
});

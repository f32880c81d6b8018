// Programs that stay in memory: what their typed arrays are, on the device and in the interpreter.
import { describe, expect, it } from "vitest";
import "../../src/device/index.js";
import { nn, np, random, residentProgram, type Array } from "../../src/array/index.js";

interface Params {
  readonly w: Array;
  readonly b: Array;
}
const layer = ({ w, b }: Params, x: Array): Array => np.tanh(nn.relu(x.matmul(w)).add(b));
const params = { w: random.normal(random.key(0), [3, 2]), b: np.array([0.5, -0.5]) };

describe.each(["wasm", "interpreter"])("a resident program on %s", (device) => {
  const make = () =>
    residentProgram(
      (p: Params, x: Array, rng: Array) => {
        const [next, key] = random.split(rng);
        return [layer(p, x), random.uniform(key, [2]), next];
      },
      [params, np.zeros([1, 3]), random.key(7)] as const,
      { device },
    );

  it("computes what the function does, from what was written into its inputs", () => {
    const program = make();
    program.inputs[1][0].set([1, 2, 3]);
    program.run();
    const wanted = layer(params, np.array([[1, 2, 3]]));
    expect([...program.outputs[0]]).toEqual([...wanted.data()].map((x) => expect.closeTo(x, 6) as number));
  });

  it("keeps its inputs from run to run", () => {
    const program = make();
    program.inputs[1][0].set([1, 2, 3]);
    program.run();
    const first = program.outputs.map((output) => output.slice());
    program.run();
    expect(program.outputs.map((output) => output.slice())).toEqual(first);
    expect([...program.inputs[1][0]]).toEqual([1, 2, 3]);
  });

  it("goes on with a random key that is copied from its results", () => {
    const program = make();
    const draws = [0, 1].map(() => {
      program.run();
      const drawn = [...program.outputs[1]];
      program.inputs[2][0].set(program.outputs[2]);
      return drawn;
    });
    let rng = random.key(7);
    for (const drawn of draws) {
      const [next, key] = random.split(rng);
      expect(drawn).toEqual([...random.uniform(key, [2]).data()]);
      rng = next;
    }
  });

  it("takes whole trees as arguments, and refuses those that are not like the first", () => {
    const program = make();
    program.set(0, { w: np.zeros([3, 2]), b: np.array([1, 2]) });
    program.run();
    expect([...program.outputs[0]]).toEqual(
      [Math.tanh(1), Math.tanh(2)].map((x) => expect.closeTo(x, 6) as number),
    );
    expect(() => program.set(0, { w: np.zeros([3, 3]), b: np.zeros([2]) })).toThrow(
      /argument 0 must be like the one it was made with, float32\[3,2\], got float32\[3,3\]/,
    );
    expect(() => program.set(0, { w: np.zeros([3, 2]) })).toThrow(/argument 0 must be like/);
    expect(() => program.set(3, {})).toThrow(/there is no argument 3/);
  });
});

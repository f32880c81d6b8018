// What the browser test runs, in Node and in a page. Plain JavaScript, so that both run this very text.
// A program takes the exports of vibe-rl/array and returns plain data.

/* global WebAssembly */

const plain = (arrays) =>
  Object.fromEntries(
    Object.entries(arrays).map(([name, array]) => [
      name,
      { dtype: array.dtype, shape: [...array.shape], values: [...array.data()] },
    ]),
  );

/** Whole numbers only: every bit is defined. */
export function integers({ jit, lax, np, random }) {
  const f = jit((key, start) => {
    const turn = ({ key, hash, sum }, step) => {
      const [next, first, second, third] = random.split(key, 4);
      const drawn = random.randint(first, [7], -50, 1000);
      const bits = random.bits(second, [7]);
      // Products and sums wrap around at 32 bits.
      const mixed = hash.mul(1664525).add(bits).xor(np.rightShift(hash, 13));
      const total = sum
        .mul(31)
        .add(drawn)
        .sub(lax.div(sum, drawn.abs().add(1)));
      const order = random.permutation(third, 7);
      const carry = { key: next, hash: mixed.take(order), sum: total };
      return [
        carry,
        { bits, drawn, order, isOdd: total.and(1).equal(1), remainder: lax.rem(total, step.add(3)) },
      ];
    };
    const [{ hash, sum }, history] = lax.scan(turn, { key, hash: start, sum: np.arange(7) }, np.arange(40));
    return { hash, sum, ...history };
  });
  return plain(f(random.key(2024), np.arange(7).astype("uint32")));
}

/** Trains a small recurrent network. Its last bits differ where only one engine has a fused multiply-add. */
export function floats({ grad, jit, lax, nn, np, random, tree, valueAndGrad }) {
  const uniform = (seed, shape) => random.uniform(random.key(seed), shape, { minval: -0.5, maxval: 0.5 });
  const inputs = uniform(0, [9, 6, 5]);
  const targets = nn.softmax(uniform(1, [6, 3]).mul(8));
  const loss = ({ recurrent, input, output }) => {
    const turn = (state, x) => [np.tanh(state.matmul(recurrent).add(x.matmul(input))), null];
    const [state] = lax.scan(turn, np.zeros([6, 16]), inputs);
    return np.square(nn.softmax(state.matmul(output)).sub(targets)).sum();
  };
  const train = jit((start) => {
    const step = (params) => {
      const [value, gradient] = valueAndGrad(loss)(params);
      return [tree.map((p, g) => p.sub(g.mul(0.02)), params, gradient), value];
    };
    const [params, losses] = lax.scan(step, start, null, { length: 5 });
    return { ...params, losses, gradient: grad(loss)(params).recurrent };
  });
  return plain(
    train({ recurrent: uniform(2, [16, 16]), input: uniform(3, [5, 16]), output: uniform(4, [16, 3]) }),
  );
}

/** A program that asks for the interpreter. */
export function interpreted({ jit, np }) {
  const f = jit((x) => x.mul(x).sum(), { device: "interpreter" });
  return plain({ sum: f(np.arange(5)) });
}

/** Calls a function in an engine that refuses to compile at once, as browsers do for large programs. */
export async function precompiled({ jit, np, precompile }, { ahead }) {
  const { Module } = WebAssembly;
  WebAssembly.Module = function () {
    throw new Error("compiled at once");
  };
  try {
    // Another program each time: the device remembers those it has compiled.
    const f = jit((x) =>
      x
        .mul(x)
        .sum()
        .add(ahead ? 0 : 1),
    );
    if (ahead) await precompile(f, np.arange(5));
    return plain({ sum: f(np.arange(5)) });
  } catch (error) {
    return error.message;
  } finally {
    WebAssembly.Module = Module;
  }
}

export const called = "machine code was called";

/** Runs an action while all machine code throws when called; returns the message, or what the action gave. */
export function withoutMachineCode(action) {
  const { Instance } = WebAssembly;
  const refuse = () => {
    throw new Error(called);
  };
  WebAssembly.Instance = function (...args) {
    const { exports } = new Instance(...args);
    const isFunction = (value) => typeof value === "function";
    return {
      exports: Object.fromEntries(
        Object.entries(exports).map(([name, value]) => [name, isFunction(value) ? refuse : value]),
      ),
    };
  };
  try {
    return action();
  } catch (error) {
    return error.message;
  } finally {
    WebAssembly.Instance = Instance;
  }
}

// The kernels that bench/kernels.mjs and bench/native.mjs measure, as programs. limit/kernels.c has the same ones by hand.
// Each kernel runs many times in one loop whose carry holds its operands and takes a little of its result, so that
// the compiler can neither leave a turn out nor move it out of the loop. limit/kernels.c does exactly the same.
import { lax, nn, np, random } from "vibe-rl/array";

/** How long one measurement should take, in seconds, at about the speed (`rate`) expected. */
const runSeconds = 0.025;

/** The same numbers in every run: uniform in ±scale. */
function numbers(count, scale, seed) {
  let state = seed;
  return Float32Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state / 2 ** 31 - 1) * scale;
  });
}

const matrix = (rows, columns, scale, seed) =>
  np.array(numbers(rows * columns, scale, seed)).reshape([rows, columns]);

/** Products of [m,k] and [k,n], with one operand stored transposed or neither. */
const forms = {
  nn: { label: "A·B", multiply: (a, b) => a.matmul(b) },
  nt: { label: "A·Bᵀ", multiply: (a, b) => a.matmul(b.transpose()) },
  tn: { label: "Aᵀ·B", multiply: (a, b) => a.transpose().matmul(b) },
};

function product(form, m, k, n) {
  const { label, multiply } = forms[form];
  return {
    name: `${label} ${m}×${k}×${n}`,
    entry: `${form}_${m}x${k}x${n}`,
    work: 2 * m * k * n,
    unit: "GFLOP/s",
    rate: 40e9,
    inputs: {
      left: form === "tn" ? matrix(k, m, 1, 1) : matrix(m, k, 1, 1),
      right: form === "nt" ? matrix(n, k, 1, 2) : matrix(k, n, 1, 2),
    },
    start: (inputs) => ({ ...inputs, result: np.zeros([m, n]) }),
    turn: ({ left, right }) => {
      const result = multiply(left, right);
      const first = result.slice(0, 0).mul(0.01);
      return { left: left.at(0, 0).set(first), right: right.at(0, 0).set(first), result };
    },
    results: ["result"],
  };
}

const tanhLayers = {
  name: "tanh(x·W + b) twice, 128×64×64",
  entry: "tanh_layers",
  work: 2 * 2 * 128 * 64 * 64,
  unit: "GFLOP/s",
  rate: 30e9,
  inputs: {
    left: matrix(128, 64, 1, 1),
    right: matrix(64, 64, 0.2, 2),
    bias: np.array(numbers(64, 0.5, 3)),
  },
  start: ({ left, right }) => ({ left, right, result: np.zeros([128, 64]) }),
  turn: ({ left, right }, { bias }) => {
    const layer = (x) => np.tanh(x.matmul(right).add(bias));
    const result = layer(layer(left));
    const first = result.slice(0, 0);
    return { left: left.at(0, 0).set(first.mul(0.5)), right: right.at(0, 0).set(first.mul(0.1)), result };
  },
  results: ["result"],
};

const softmax = (rows, columns) => ({
  name: `softmax over rows of [${rows},${columns}]`,
  entry: `softmax_${rows}x${columns}`,
  work: rows * columns,
  unit: "M elements/s",
  rate: 600e6,
  inputs: { left: matrix(rows, columns, 3, 1) },
  start: ({ left }) => ({ left, result: np.zeros([rows, columns]) }),
  turn: ({ left }) => {
    const result = nn.softmax(left);
    return { left: left.at(0, 0).set(result.slice(0, 0)), result };
  },
  results: ["result"],
});

const parameters = 100_000;
const adam = {
  name: "Adam, 100,000 parameters",
  entry: "adam",
  work: parameters,
  unit: "M elements/s",
  rate: 1e9,
  inputs: {
    params: np.array(numbers(parameters, 1, 1)),
    gradient: np.array(numbers(parameters, 1, 2)),
  },
  start: (inputs) => ({
    ...inputs,
    mean: np.zeros([parameters]),
    square: np.zeros([parameters]),
    decay1: np.float32(1),
    decay2: np.float32(1),
  }),
  turn: ({ gradient, ...carry }) => {
    const decay1 = carry.decay1.mul(0.9);
    const decay2 = carry.decay2.mul(0.999);
    const rate = np.divide(1e-3, np.subtract(1, decay1));
    const correction = np.divide(1, np.subtract(1, decay2));
    const mean = carry.mean.mul(0.9).add(gradient.mul(0.1));
    const square = carry.square.mul(0.999).add(gradient.mul(0.001).mul(gradient));
    const params = carry.params.sub(rate.mul(mean).div(np.sqrt(square.mul(correction)).add(1e-5)));
    return { params, gradient: gradient.at(0).set(params.slice(0).mul(0.1)), mean, square, decay1, decay2 };
  },
  results: ["params"],
};

const words = 65_536;
const threefry = {
  name: "threefry2x32, 65,536 words",
  entry: "threefry",
  work: words,
  unit: "M elements/s",
  rate: 300e6,
  inputs: { key: random.key(7) },
  start: ({ key }) => ({ key, bits: np.zeros([words], { dtype: "uint32" }) }),
  turn: ({ key }) => {
    const bits = random.bits(key, [words]);
    return { key: bits.slice(":2"), bits };
  },
  results: ["bits"],
};

const permutation = (count) => ({
  name: `permutation of ${count.toLocaleString("en")}`,
  entry: `permutation_${count}`,
  work: count,
  unit: "M elements/s",
  rate: 50e6,
  inputs: { key: random.key(7) },
  start: ({ key }) => ({ key, permuted: np.zeros([count], { dtype: "int32" }) }),
  turn: ({ key }) => {
    const permuted = random.permutation(key, count);
    return { key: permuted.slice(":2").astype("uint32"), permuted };
  },
  results: ["permuted"],
});

const sizes = [
  [4, 64, 64],
  [128, 64, 64],
  [64, 128, 128],
  [256, 256, 256],
];
export const kernels = [
  ...Object.keys(forms).flatMap((form) => sizes.map((size) => product(form, ...size))),
  tanhLayers,
  softmax(512, 8),
  softmax(256, 128),
  adam,
  threefry,
  permutation(512),
  permutation(65_536),
];

/** How many turns make one measurement. `faster` is how much faster than the expected rate they may be. */
export const turnsOf = ({ rate, work }, faster = 1) => Math.ceil((runSeconds * rate * faster) / work);

/** So many turns of a kernel: from its inputs to its results. */
export const programOf =
  ({ start, turn }, turns) =>
  (given) =>
    lax.foriLoop(0, turns, (_, carry) => turn(carry, given), start(given));

/** Kernels with a word in their name. */
export const kernelsWith = (word) => kernels.filter(({ name, entry }) => `${name} ${entry}`.includes(word));

/** What a kernel has done in so many milliseconds, in its unit. */
export const speedOf = ({ work, unit }, turns, ms) => (work * turns) / ms / (unit === "GFLOP/s" ? 1e6 : 1e3);

/**
 * Runs a kernel's hand-written version once and fails if its result is not that of our program. `view(name, like)` is
 * the array of that name in the memory of the C, `like` one of ours.
 */
export function compare({ name, inputs, results }, ours, run, view) {
  for (const [input, array] of Object.entries(inputs)) {
    const elements = array.data();
    view(input, elements).set(elements);
  }
  run();
  for (const result of results) {
    const expected = ours[result].data();
    const got = view(result, expected);
    const largest = expected.reduce((size, value) => Math.max(size, Math.abs(value)), 0);
    const difference = expected.reduce((size, value, at) => Math.max(size, Math.abs(value - got[at])), 0);
    const allowed = expected instanceof Float32Array ? 1e-4 * largest : 0;
    if (!(difference <= allowed)) {
      throw new Error(`${name}: ours and the C differ by ${difference} where values go up to ${largest}`);
    }
  }
}

// Initial weights: functions of a key and a shape. Those that JAX has draw the same numbers as there.
import {
  check,
  fail,
  jit,
  np,
  random,
  rules,
  sizeOf,
  type Array,
  type DType,
  type Shape,
} from "../array/index.js";
import { showShape } from "./check.js";
import { orthonormalized } from "./orthonormal.js";

/** Makes an array of a shape from a key. The last two axes of a kernel are its inputs and its outputs. */
export type Initializer = (key: Array, shape: Shape, dtype?: DType) => Array;

const zeros = (): Initializer => constant(0);

/** The same value everywhere. */
function constant(value: number): Initializer {
  check("initializers.constant", "value", value, rules.finite);
  return (_, shape, dtype = "float32") => np.full(shape, value, { dtype });
}

/** Normal with mean 0. */
function normal(std = 0.01): Initializer {
  check("initializers.normal", "std", std, rules.positive);
  return (key, shape, dtype = "float32") => random.normal(key, shape).mul(std).astype(dtype);
}

/** Uniform between −scale and scale. */
function uniform(scale = 0.01): Initializer {
  check("initializers.uniform", "scale", scale, rules.positive);
  return (key, shape, dtype = "float32") =>
    random.uniform(key, shape, { minval: -scale, maxval: scale }).astype(dtype);
}

/** How many inputs an output has and how many outputs an input has; the axes before the last two are a window. */
function fans(operation: string, shape: Shape): { readonly inputs: number; readonly outputs: number } {
  if (shape.length < 2) {
    fail(operation, `needs a shape [..., inputs, outputs] of at least 2 axes, got ${showShape(shape)}`);
  }
  const window = sizeOf(shape.slice(0, -2));
  const [inputs, outputs] = shape.slice(-2) as [number, number];
  return { inputs: inputs * window, outputs: outputs * window };
}

type Fan = (fan: { readonly inputs: number; readonly outputs: number }) => number;
const fanIn: Fan = ({ inputs }) => inputs;
const fanAverage: Fan = ({ inputs, outputs }) => (inputs + outputs) / 2;

// The standard deviation of the standard normal distribution cut off at ±2.
const truncatedStd = 0.87962566103423978;

/** A normal distribution of variance gain / fan, cut off at two standard deviations. */
const scaledNormal =
  (name: string, gain: number, fan: Fan) =>
  (): Initializer =>
  (key, shape, dtype = "float32") => {
    const std = Math.sqrt(gain / Math.max(1, fan(fans(`initializers.${name}`, shape))));
    return random
      .truncatedNormal(key, -2, 2, shape)
      .mul(std / truncatedStd)
      .astype(dtype);
  };

/** A uniform distribution around 0 of variance gain / fan. */
const scaledUniform =
  (name: string, gain: number, fan: Fan) =>
  (): Initializer =>
  (key, shape, dtype = "float32") => {
    const limit = Math.sqrt((3 * gain) / Math.max(1, fan(fans(`initializers.${name}`, shape))));
    return random.uniform(key, shape, { minval: -1, maxval: 1 }).mul(limit).astype(dtype);
  };

/**
 * Orthonormal rows or columns, whichever are fewer, times `scale`. The last axis are the columns, all others
 * together the rows.
 */
function orthogonal(scale = 1): Initializer {
  check("initializers.orthogonal", "scale", scale, rules.finite);
  return (key, shape, dtype = "float32") => {
    const { length } = shape;
    if (length < 2) {
      fail("initializers.orthogonal", `needs a shape of at least 2 axes, got ${showShape(shape)}`);
    }
    const columns = shape[length - 1];
    const rows = sizeOf(shape.slice(0, -1));
    const [many, few] = [Math.max(rows, columns), Math.min(rows, columns)];
    const vectors = few === 0 ? np.zeros([few, many]) : orthonormalRows(key, few, many);
    return (rows < columns ? vectors : vectors.T).mul(scale).reshape(shape).astype(dtype);
  };
}

/**
 * Random rows made orthonormal: the Q of the QR decomposition whose R has a rules.positive diagonal, as JAX has it.
 * Compiled, even where the rest is not: it is a lot of arithmetic.
 */
const orthonormalRows = jit(
  function orthonormalRows(key: Array, rows: number, columns: number): Array {
    return orthonormalized(random.normal(key, [columns, rows]).T);
  },
  { staticArgnums: [1, 2] },
);

/** Initialisers for the weights of layers. */
export const initializers = {
  orthogonal,
  /** Variance 1 / inputs: keeps the size of signals through linear and tanh layers. */
  lecunNormal: scaledNormal("lecunNormal", 1, fanIn),
  lecunUniform: scaledUniform("lecunUniform", 1, fanIn),
  /** Variance 2 / (inputs + outputs): a compromise between signals and gradients. */
  xavierNormal: scaledNormal("xavierNormal", 1, fanAverage),
  xavierUniform: scaledUniform("xavierUniform", 1, fanAverage),
  /** Variance 2 / inputs: for relu, which loses half of the signal. */
  heNormal: scaledNormal("heNormal", 2, fanIn),
  heUniform: scaledUniform("heUniform", 2, fanIn),
  uniform,
  normal,
  zeros,
  constant,
} as const;

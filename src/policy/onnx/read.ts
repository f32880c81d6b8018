// Networks of ONNX files as ours: dense layers and convolutions in a chain, with what may stand before and behind them.
import { np, sizeOf, type Array, type Shape } from "../../array/index.js";
import type { Layer } from "../../nn/index.js";
import type { ActivationName, LayerConfig } from "../network.js";
import type { Refuse, Step } from "./chain.js";
import type { Attribute, OnnxTensor } from "./model.js";

/** What a chain says. */
export interface ReadNetwork {
  readonly layers: readonly Layer[];
  readonly configs: readonly LayerConfig[];
  readonly mean: Array | null;
  readonly deviation: Array | null;
  readonly clipObs: number | null;
  /** `null` where the chain ends with the last layer. */
  readonly head: "discrete" | "squashed" | null;
  readonly bounds: { readonly low: Array; readonly high: Array } | null;
}

const activations: Readonly<Record<string, ActivationName>> = {
  Tanh: "tanh",
  Relu: "relu",
  Sigmoid: "sigmoid",
  Elu: "elu",
  LeakyRelu: "leakyRelu",
  Gelu: "gelu",
  Softplus: "softplus",
};

/** The parameter of an activation that ours has as well. */
const slopes: Readonly<Record<string, number>> = { Elu: 1, LeakyRelu: 0.01 };

/** What changes nothing, as far as it comes where these files have it. */
const skipped = ["Identity", "Cast", "Dropout", "Flatten", "Reshape", "Squeeze", "Unsqueeze"];

/** The largest stays the largest. */
const monotone = ["Softmax", "LogSoftmax"];

const arrayOf = ({ shape, elements }: OnnxTensor): Array =>
  np.array(Float32Array.from(elements)).reshape(shape);

const numberOf = (attribute: Attribute | undefined, otherwise: number): number =>
  typeof attribute === "number"
    ? attribute
    : typeof attribute === "object" && "float" in attribute
      ? attribute.float
      : otherwise;

const listOf = (attribute: Attribute | undefined, otherwise: readonly number[]): readonly number[] =>
  globalThis.Array.isArray(attribute) ? (attribute as readonly number[]) : otherwise;

/** Reads a chain from its first step to its last. */
export class ChainReader {
  private readonly layers: Layer[] = [];
  private readonly configs: { activation: ActivationName; strides?: readonly [number, number] }[] = [];
  private mean: Array | null = null;
  private deviation: Array | null = null;
  private clipObs: number | null = null;
  private head: ReadNetwork["head"] = null;
  private low: Array | null = null;
  private high: Array | null = null;
  private scale: Array | null = null;
  private middle: Array | null = null;
  private isChannelsFirst = false;
  /** Whether the file scales bytes to 0 … 1 itself. */
  private isScaled = false;
  /** Whether the next Add is the bias of a MatMul, which was read with it. */
  private isBiasNext = false;

  constructor(
    /** Whether observations are bytes, which count as 0 to 1 here and as they are there. */
    private readonly isBytes: boolean,
    private readonly refuse: Refuse,
  ) {}

  read(steps: readonly Step[]): ReadNetwork {
    steps.forEach((step, at) => this.take(step, steps[at + 1]));
    if (this.layers.length === 0) this.refuse("it has no dense layers (Gemm, or MatMul and Add)");
    this.rescale();
    const { layers, configs, mean, deviation, clipObs, head, low, high } = this;
    return { layers, configs, mean, deviation, clipObs, head, bounds: low && high && { low, high } };
  }

  private take(step: Step, next: Step | undefined): void {
    const { op, attributes, operands } = step;
    const constant = operands.find((operand) => operand !== null) ?? null;
    const isFirst = operands[0] === null;
    if (this.head === "discrete") {
      this.afterChoice(step);
      return;
    }
    if (skipped.includes(op)) return;
    if (op === "Transpose") {
      this.transpose(listOf(attributes.perm, []));
      return;
    }
    if (op === "Conv") {
      this.convolution(step);
      return;
    }
    if (op === "Gemm" || op === "MatMul") {
      this.dense(step, next);
      return;
    }
    if (op === "Dueling") {
      this.dueling();
      return;
    }
    if (op in activations) {
      this.activate(step);
      return;
    }
    if (op === "ArgMax") {
      this.head = "discrete";
      return;
    }
    if (monotone.includes(op) && next !== undefined && ["ArgMax", "Cast"].includes(next.op)) return;
    if (op === "Slice") {
      this.half(step);
      return;
    }
    if (op === "Clip") {
      this.clip(operands[1] ?? null, operands[2] ?? null, attributes);
      return;
    }
    if (constant !== null && isFirst && op === "Sub" && this.layers.length === 0) {
      this.mean = arrayOf(constant);
      return;
    }
    if (constant !== null && ["Add", "Mul", "Div", "Max", "Min"].includes(op)) {
      this.withConstant(op, constant, isFirst);
      return;
    }
    this.refuse(this.unknown(op));
  }

  private unknown = (op: string): string =>
    `it has ${op} ${this.layers.length === 0 ? "before the first layer" : `behind layer ${this.layers.length - 1}`}, ` +
    "which is not read there; dense layers (Gemm, or MatMul and Add) with " +
    `${Object.keys(activations).join(", ")} between them are`;

  /** Behind ArgMax there is only the type of its result. */
  private afterChoice({ op }: Step): void {
    if (!skipped.includes(op)) this.refuse(this.unknown(op));
  }

  private transpose(order: readonly number[]): void {
    const text = order.join();
    const isKnown = text === (this.isChannelsFirst ? "0,2,3,1" : "0,3,1,2");
    if (!isKnown) this.refuse(`it has Transpose to [${text}], which is not read`);
    this.isChannelsFirst = !this.isChannelsFirst;
  }

  private convolution({ attributes, operands }: Step): void {
    const [, kernel, bias] = operands;
    if (kernel === null || kernel === undefined) return this.refuse("the kernel of a Conv is not a constant");
    if (!this.isChannelsFirst) {
      this.refuse("its images have the channels first; we read those of [height, width, channels]");
    }
    const ones = listOf(attributes.dilations, [1, 1]).every((one) => one === 1);
    const isPlain = numberOf(attributes.group, 1) === 1 && ones && kernel.shape.length === 4;
    if (!isPlain || listOf(attributes.pads, []).some((pad) => pad !== 0)) {
      this.refuse("it has a Conv with padding, groups or dilation, which is not read");
    }
    const [height, width] = listOf(attributes.strides, [1, 1]);
    const w = arrayOf(kernel).transpose([2, 3, 1, 0]);
    this.add(w, bias ?? null);
    this.configs[this.configs.length - 1].strides = [height, width];
  }

  private dense({ op, attributes, operands }: Step, next: Step | undefined): void {
    const weight = operands[1] ?? null;
    if (operands[0] !== null || weight === null) {
      return this.refuse(`the second operand of a ${op} must be its constant weights`);
    }
    if (this.isChannelsFirst)
      this.refuse("a dense layer looks at images with the channels first; we read those with them last");
    if (weight.shape.length !== 2)
      this.refuse(`weights of ${op} have shape [${weight.shape.join()}], a matrix is read`);
    if (numberOf(attributes.transA, 0) !== 0) this.refuse("a Gemm with transA is not read");
    const [alpha, beta] = [numberOf(attributes.alpha, 1), numberOf(attributes.beta, 1)];
    const matrix = arrayOf(weight);
    const w = numberOf(attributes.transB, 0) === 1 ? matrix.transpose() : matrix;
    const behind = op === "MatMul" ? this.biasIn(next) : null;
    this.add(alpha === 1 ? w : w.mul(alpha), operands[2] ?? behind, beta);
    this.isBiasNext = behind !== null;
  }

  /** The bias that an Add behind a MatMul is. */
  private biasIn(next: Step | undefined): OnnxTensor | null {
    return next?.op === "Add" ? (next.operands.find((operand) => operand !== null) ?? null) : null;
  }

  private add(w: Array, bias: OnnxTensor | null, beta = 1): void {
    const outputs = w.shape[w.ndim - 1];
    const before = this.layers.at(-1);
    if ([this.scale, this.middle, this.low, this.high, this.head].some((part) => part !== null)) {
      this.refuse(
        "a layer follows what scales, clips or cuts the outputs of another; that is read at the end only",
      );
    }
    if (w.ndim === 2 && before?.w.ndim === 2 && before.w.shape[1] !== w.shape[0]) {
      this.refuse(
        `layer ${this.layers.length} takes ${w.shape[0]} numbers, the one before it gives ${before.w.shape[1]}`,
      );
    }
    if (bias !== null && sizeOf(bias.shape) !== outputs) {
      this.refuse(
        `the bias of layer ${this.layers.length} has shape [${bias.shape.join()}], ${outputs} numbers are read`,
      );
    }
    const b = bias === null ? np.zeros([outputs]) : arrayOf(bias).reshape([outputs]);
    const isRaw = this.isBytes && !this.isScaled && this.layers.length === 0;
    this.layers.push({ w: isRaw ? w.mul(255) : w, b: beta === 1 ? b : b.mul(beta) });
    this.configs.push({ activation: "none" });
  }

  /** Outputs [value, advantages…] to values of actions, as one more layer. */
  private dueling(): void {
    const outputs = this.layers.at(-1)?.b.shape[0] ?? this.refuse("it has no layers before it is dueling");
    const actions = outputs - 1;
    const rows = globalThis.Array.from({ length: outputs }, (_, row) =>
      globalThis.Array.from({ length: actions }, (_, action) =>
        row === 0 ? 1 : (row - 1 === action ? 1 : 0) - 1 / actions,
      ),
    );
    this.layers.push({ w: np.array(rows), b: np.zeros([actions]) });
    this.configs.push({ activation: "none" });
  }

  private activate({ op, attributes }: Step): void {
    const last = this.configs.at(-1);
    if (last === undefined) return this.refuse(this.unknown(op));
    if (this.head === "squashed") return;
    const slope = numberOf(attributes.alpha, slopes[op] ?? 0);
    if (op in slopes && Math.abs(slope - slopes[op]) > 1e-6) {
      this.refuse(`${op} has alpha ${slope}; ours has ${slopes[op]}`);
    }
    if (last.activation !== "none")
      this.refuse(`${op} follows ${last.activation} without a layer between them`);
    last.activation = activations[op];
  }

  /** The first half of the outputs: a squashed policy's means. */
  private half({ operands }: Step): void {
    const outputs = this.layers.at(-1)?.b.shape[0] ?? 0;
    const [start, end] = [operands[1]?.elements[0], operands[2]?.elements[0]];
    if (start !== 0 || end === undefined || 2 * end !== outputs) this.refuse(this.unknown("Slice"));
    this.head = "squashed";
  }

  private clip(low: OnnxTensor | null, high: OnnxTensor | null, { min, max }: Step["attributes"]): void {
    const side = (tensor: OnnxTensor | null, attribute: Attribute | undefined, sign: number): Array =>
      tensor === null ? np.float32(numberOf(attribute, sign * Infinity)) : arrayOf(tensor);
    this.bound(side(low, min, -1), side(high, max, 1));
  }

  /** Bounds of normalised observations, or of actions. */
  private bound(low: Array | null, high: Array | null): void {
    if (this.layers.length > 0) {
      this.low = low ?? this.low;
      this.high = high ?? this.high;
      return;
    }
    const edges = [...(low?.data() ?? []), ...(high?.data() ?? [])].map(Math.abs);
    const [first] = edges;
    if (edges.some((edge) => edge !== first)) this.refuse("observations are clipped to other bounds than ±c");
    this.clipObs = first;
  }

  private withConstant(op: string, constant: OnnxTensor, isFirst: boolean): void {
    const value = arrayOf(constant);
    const isBehind = this.layers.length > 0;
    if (op === "Max") {
      this.bound(value, null);
      return;
    }
    if (op === "Min") {
      this.bound(null, value);
      return;
    }
    if (!isBehind && (op === "Mul" || (op === "Div" && isFirst)) && this.deviation === null) {
      const deviation = op === "Mul" ? np.divide(1, value) : value;
      const isScaling = this.isBytes && deviation.data().every((one) => Math.abs(one / 255 - 1) < 1e-5);
      if (isScaling) this.isScaled = true;
      else this.deviation = deviation;
      return;
    }
    if (op === "Mul" && isBehind && this.scale === null && this.middle === null) {
      this.scale = value;
      return;
    }
    if (op === "Add" && this.isBiasNext) {
      this.isBiasNext = false;
      return;
    }
    if (op === "Add" && isBehind && this.middle === null) {
      this.middle = value;
      return;
    }
    this.refuse(this.unknown(op));
  }

  /** What scales actions: bounds of a squashed policy, or a layer of its own. */
  private rescale(): void {
    const { scale, middle, head } = this;
    const outputs = this.layers.at(-1)?.b.shape[0] ?? 0;
    if (head === "squashed") {
      const [half, centre] = [scale ?? np.float32(1), middle ?? np.float32(0)];
      const size: Shape = [outputs / 2];
      this.low = np.broadcastTo(centre.sub(half), size);
      this.high = np.broadcastTo(centre.add(half), size);
    } else if (scale !== null || middle !== null) {
      const wide = (value: Array) => np.broadcastTo(value, [outputs]);
      this.layers.push({ w: np.diag(wide(scale ?? np.float32(1))), b: wide(middle ?? np.float32(0)) });
      this.configs.push({ activation: "none" });
    }
    if ((this.low === null && this.high === null) || head === "squashed") return;
    this.low = np.broadcastTo(this.low ?? np.float32(-Infinity), [outputs]);
    this.high = np.broadcastTo(this.high ?? np.float32(Infinity), [outputs]);
  }
}

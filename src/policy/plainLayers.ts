// Dense layers in files of weights alone, by the names that PyTorch and Stable-Baselines3 have for them.
import { fail, np, type Array } from "../array/index.js";
import type { Layer } from "../nn/index.js";

export interface PlainLayers {
  readonly layers: readonly Layer[];
  /** Logarithms of standard deviations, where the file has them. */
  readonly logStd: Array | null;
  /** What actions are, where the file tells it. */
  readonly actions: "continuous" | null;
}

type Tensors = Readonly<Record<string, Array>>;

/** A layer by the name of its weights, less `weight`. */
interface Named {
  readonly name: string;
  /** What comes before its number, which others of the network share. */
  readonly prefix: string;
  readonly number: number;
}

/** The layers in a file; `prefix` tells which, if there are several networks. */
export function readLayers(operation: string, tensors: Tensors, prefix: string | undefined): PlainLayers {
  const named = Object.keys(tensors).flatMap(nameOf);
  const logStd = tensors.log_std ?? null;
  const chosen =
    prefix === undefined && "action_net.weight" in tensors
      ? stableBaselines(named)
      : only(operation, named, prefix);
  const layers = chosen.map(({ name }) => layerOf(operation, tensors, name));
  layers.forEach(({ w }, at) => {
    const before = layers[at - 1]?.b.shape[0] ?? w.shape[0];
    if (w.shape[0] === before) return;
    fail(
      operation,
      `${chosen[at].name}weight takes ${w.shape[0]} numbers, the layer before it gives ${before}`,
    );
  });
  return { layers, logStd, actions: logStd === null ? null : "continuous" };
}

/** `net.0.weight` is layer 0 of `net.`; `head.weight` is one of its own. */
function nameOf(key: string): Named[] {
  const found = /^((.*?)(\d+\.)?)weight$/.exec(key);
  if (found === null) return [];
  const [, name, prefix, number = ""] = found;
  return [{ name, prefix, number: Number.parseInt(number || "0", 10) }];
}

const byNumber = (a: Named, b: Named): number => a.number - b.number;

/** The policy among the networks of Stable-Baselines3: its layers, and the one that actions come from. */
const stableBaselines = (named: readonly Named[]): Named[] => [
  ...named.filter(({ prefix }) => prefix === "mlp_extractor.policy_net.").sort(byNumber),
  ...named.filter(({ name }) => name === "action_net."),
];

/** The layers of the one network there is, or of the one that is asked for. */
function only(operation: string, named: readonly Named[], prefix: string | undefined): Named[] {
  const prefixes = [...new Set(named.map((one) => one.prefix))];
  const shown = prefixes.map((one) => JSON.stringify(one)).join(", ");
  if (prefixes.length === 0) {
    fail(
      operation,
      "these bytes are a safetensors file without a policy. Write one with policy.toSafetensors(), or give layers by " +
        "PyTorch's names (net.0.weight, net.0.bias, net.2.weight, …); fromSafetensors gives the arrays of any other",
    );
  }
  if (prefix === undefined && prefixes.length > 1) {
    fail(operation, `the file has several networks: ${shown}; say which with prefix`);
  }
  const asked = prefix ?? prefixes[0];
  const chosen = named.filter((one) => one.prefix === asked);
  if (chosen.length === 0)
    fail(operation, `the file has no layers of prefix ${JSON.stringify(asked)}; it has ${shown}`);
  return chosen.sort(byNumber);
}

/** PyTorch has weights [out, in]. */
function layerOf(operation: string, tensors: Tensors, name: string): Layer {
  const [weight, bias] = [tensors[`${name}weight`], tensors[`${name}bias`]];
  if (weight.ndim !== 2) {
    fail(
      operation,
      `${name}weight has shape [${weight.shape.join()}]; dense layers, matrices [out, in], are read`,
    );
  }
  const w = weight.astype("float32").transpose();
  const b = bias === undefined ? np.zeros([w.shape[1]]) : bias.astype("float32");
  if (b.shape.join() !== String(w.shape[1])) {
    fail(operation, `${name}bias has shape [${b.shape.join()}], ${name}weight gives ${w.shape[1]} numbers`);
  }
  return { w, b };
}

// The text of the JavaScript module that a policy becomes, and of the types beside it.
import type { ActionKind } from "../../algorithms/index.js";
import type { DType } from "../../array/index.js";
import { frameLayout, type FrameLayout } from "../frames.js";
import { spaceToData } from "../../env/index.js";
import { policySpaces, type StoredPolicy } from "../stored.js";
import type { CompiledPolicy, View } from "./compile.js";
import { alphabet, toZ85 } from "./z85.js";

const arrayNames: Readonly<Record<DType, string>> = {
  float32: "Float32Array",
  float64: "Float64Array",
  int32: "Int32Array",
  uint32: "Uint32Array",
  uint8: "Uint8Array",
  bool: "Uint8Array",
};

const viewText = ({ dtype, address, size }: View): string =>
  `new ${arrayNames[dtype]}(memory.buffer, ${address}, ${size})`;

/** Machine code and constants one behind the other, each at a multiple of four bytes, as text. */
function packed({ code, constants }: CompiledPolicy): { readonly text: string; readonly places: string } {
  let end = Math.ceil(code.length / 4) * 4;
  const places = constants.map(({ address, bytes }) => {
    const start = end;
    end += Math.ceil(bytes.length / 4) * 4;
    return { address, start, bytes };
  });
  const all = new Uint8Array(end);
  all.set(code);
  for (const { start, bytes } of places) all.set(bytes, start);
  const list = places.map(({ address, start, bytes }) => [address, start, bytes.length]);
  return { text: toZ85(all), places: JSON.stringify(list) };
}

/** What the module is, for those who open it. */
function headline({ metadata }: StoredPolicy, sample: boolean): string {
  const { algorithm, environment, step } = metadata;
  const what = `A ${algorithm.toUpperCase()} policy${environment === null ? "" : ` for ${environment.replaceAll(/\s+/g, " ")}`}`;
  const when = step === null ? "" : ` after ${step} steps of training`;
  const how = sample ? " that samples its actions" : "";
  return (
    `// ${what}${when}${how}, written by vibe-rl.\n` +
    "// It needs nothing else: the network is compiled to the WebAssembly in `data`, with its weights behind it."
  );
}

/** The module. */
export function moduleText(
  stored: StoredPolicy,
  actions: ActionKind,
  compiled: CompiledPolicy,
  sample: boolean,
): string {
  const { text, places } = packed(compiled);
  const spaces = policySpaces(stored, actions);
  const { pages, obs, action, key, code } = compiled;
  const isDiscrete = actions.kind === "discrete";
  const layout = frameLayout("exportPolicy", stored.obsShape, stored.frameStack ?? 1);
  return `${headline(stored, sample)}

/** Where the policy comes from. */
export const metadata = ${JSON.stringify(stored.metadata)};
/** What actions are, and what observations are. */
export const space = ${JSON.stringify(spaceToData(spaces.action))};
export const observationSpace = ${JSON.stringify(spaceToData(spaces.observation))};

const { buffer: data } = unpack(
  "${text}",
);
const memory = new WebAssembly.Memory({ initial: ${pages} });
for (const [address, start, length] of ${places}) {
  new Uint8Array(memory.buffer, address, length).set(new Uint8Array(data, start, length));
}
const { run } = new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array(data, 0, ${code.length})), {
  host: { memory, print() {} },
}).exports;
const input = ${viewText(obs)};
const output = ${viewText(action)};
${key === null ? "" : samplingText(key)}${layout.count > 1 ? framesText(layout) : ""}
/** ${isDiscrete ? "The action, a whole number," : "The action, a Float32Array,"} for an observation: a typed array or (nested) lists of numbers. */
export function act(obs) {
  ${layout.count > 1 ? "let" : "const"} numbers = Array.isArray(obs) ? obs.flat(8) : obs;
  if (numbers !== obs && !numbers.every((value) => typeof value === "number" || typeof value === "boolean")) {
    throw new TypeError("act: an observation has something else than numbers in it");
  }
${layout.count > 1 ? `  if (numbers?.length === ${obs.size / layout.count}) numbers = stacked(numbers);\n` : ""}  if (numbers?.length !== ${obs.size}) {
    throw new RangeError(\`act: an observation has ${obs.size} numbers ([${stored.obsShape.join()}]), got \${numbers?.length ?? obs}\`);
  }
  input.set(numbers);
${key === null ? "  run();\n" : "  key.set(state);\n  run();\n  state.set(next);\n"}  return ${isDiscrete ? "output[0]" : "output.slice()"};
}

/** The actions for observations: a list of them, or a typed array with one behind the other. */
export function actBatch(list) {
  if (!ArrayBuffer.isView(list)) return Array.from(list, (obs) => act(obs));
  const count = list.length / ${obs.size};
  if (count % 1) throw new RangeError(\`actBatch: ${obs.size} numbers are an observation, got \${list.length}\`);
  return Array.from({ length: count }, (_, at) => act(list.subarray(at * ${obs.size}, (at + 1) * ${obs.size})));
}

/** Bytes from text: five characters are four of them (Z85). */
function unpack(text) {
  const digits = "${alphabet}";
  const view = new DataView(new ArrayBuffer((text.length / 5) * 4));
  for (let at = 0, word = 0; at < text.length; at++) {
    word = (at % 5 ? word * 85 : 0) + digits.indexOf(text[at]);
    if (at % 5 === 4) view.setUint32((at - 4) * 0.8, word);
  }
  return view;
}
`;
}

const samplingText = ([given, next]: readonly [View, View]): string => `
const key = ${viewText(given)};
const next = ${viewText(next)};
const state = new Uint32Array(2);
/** Begins the random numbers anew: the same seed and observations give the same actions. It is 0 at first. */
export function seed(value) {
  if (!Number.isSafeInteger(value) || value < 0) throw new TypeError(\`seed: a whole number is wanted, got \${value}\`);
  state.set([Math.floor(value / 2 ** 32), value]);
}
`;

const framesText = ({ count, rows, width }: FrameLayout): string => `
const frames = new Float64Array(${rows * width * count});
let isFirst = true;
/** Begins an episode: the next frame that act is given is its first. */
export function reset() {
  isFirst = true;
}
/** The last ${count} frames side by side along the last axis, oldest first; the first of an episode is repeated. */
function stacked(frame) {
  for (let row = 0; row < ${rows}; row++) {
    const [start, end] = [row * ${width * count}, (row + 1) * ${width * count}];
    if (!isFirst) frames.copyWithin(start, start + ${width}, end);
    for (let at = isFirst ? start : end - ${width}; at < end; at += ${width}) {
      frames.set(frame.slice(row * ${width}, (row + 1) * ${width}), at);
    }
  }
  isFirst = false;
  return frames;
}
`;

/** The types of the module. */
export function typesText(stored: StoredPolicy, actions: ActionKind, sample: boolean): string {
  const action = actions.kind === "discrete" ? "number" : "Float32Array";
  const spaces = policySpaces(stored, actions);
  const constant = (name: string, value: object) => `export const ${name}: ${typeText(value)};`;
  return `/** One observation, [${stored.obsShape.join()}]: a typed array, a list of numbers, or lists of them for more axes. */
export type Observation = ArrayLike<number> | readonly Observation[];

/** Where the policy comes from. */
${constant("metadata", stored.metadata)}
/** What actions are, and what observations are; a bound of null is infinite. */
${constant("space", spaceToData(spaces.action))}
${constant("observationSpace", spaceToData(spaces.observation))}
/** The action for an observation. */
export function act(obs: Observation): ${action};
/** The actions for observations: a list of them, or a typed array with one behind the other. */
export function actBatch(list: Iterable<Observation> | Float32Array): ${action}[];
${(stored.frameStack ?? 1) > 1 ? "/** Begins an episode: the next frame that act is given is its first. */\nexport function reset(): void;\n" : ""}${sample ? "/** Begins the random numbers anew: the same seed and observations give the same actions. It is 0 at first. */\nexport function seed(value: number): void;\n" : ""}`;
}

/** The type of plain data: lists and numbers in general, texts as they are. */
function typeText(value: unknown): string {
  if (Array.isArray(value)) return value.includes(null) ? "(number | null)[]" : "number[]";
  if (typeof value !== "object" || value === null) {
    return typeof value === "string" ? JSON.stringify(value) : value === null ? "null" : typeof value;
  }
  const fields = Object.entries(value).map(([name, field]) => `readonly ${name}: ${typeText(field)}`);
  return `{ ${fields.join("; ")} }`;
}

// ONNX models as plain data, and how they are written and read (https://onnx.ai/onnx/repo-docs/IR.html). The numbers are
// those of the fields in onnx.proto.
import { joined } from "../../files/index.js";
import { Fields, float, nested, whole, type Message } from "./protobuf.js";

/** The element types of ONNX that we write and read. */
export const elementTypes = {
  float32: 1,
  uint8: 2,
  int32: 6,
  int64: 7,
  bool: 9,
  float64: 11,
  uint32: 12,
} as const;

export type ElementType = keyof typeof elementTypes;

export interface OnnxTensor {
  readonly name: string;
  readonly type: ElementType;
  readonly shape: readonly number[];
  /** The elements as numbers; int64 ones too. */
  readonly elements: ArrayLike<number>;
}

export type Attribute =
  | number
  | { readonly float: number }
  | { readonly tensor: OnnxTensor }
  | string
  | readonly number[];

export interface OnnxNode {
  readonly op: string;
  readonly name: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes: Readonly<Record<string, Attribute>>;
}

/** An input or output: extents that are not known have names. */
export interface OnnxValue {
  readonly name: string;
  readonly type: ElementType;
  readonly shape: readonly (number | string)[];
}

export interface OnnxModel {
  readonly opset: number;
  readonly inputs: readonly OnnxValue[];
  readonly outputs: readonly OnnxValue[];
  readonly nodes: readonly OnnxNode[];
  readonly initializers: readonly OnnxTensor[];
  readonly metadata: Readonly<Record<string, string>>;
  readonly name: string;
  /** What made it, in its own words. */
  readonly producer: string;
  readonly producerVersion: string;
}

/** The version of the format that came with opset 17. */
const irVersion = 8;

/** The file of a model. */
export function encodeModel(model: OnnxModel): Uint8Array {
  const graph: Message = [
    ...model.nodes.map((node) => nested(1, encodeNode(node))),
    nested(2, model.name),
    ...model.initializers.map((tensor) => nested(5, encodeTensor(tensor))),
    ...model.inputs.map((value) => nested(11, encodeValue(value))),
    ...model.outputs.map((value) => nested(12, encodeValue(value))),
  ];
  return joined([
    whole(1, irVersion),
    nested(2, model.producer),
    nested(3, model.producerVersion),
    nested(7, graph),
    nested(8, [nested(1, ""), whole(2, model.opset)]),
    ...Object.entries(model.metadata).map(([name, value]) => nested(14, [nested(1, name), nested(2, value)])),
  ]);
}

const encodeNode = ({ op, name, inputs, outputs, attributes }: OnnxNode): Message => [
  ...inputs.map((input) => nested(1, input)),
  ...outputs.map((output) => nested(2, output)),
  nested(3, name),
  nested(4, op),
  ...Object.entries(attributes).map(([key, value]) => nested(5, [nested(1, key), ...encodeAttribute(value)])),
];

function encodeAttribute(value: Attribute): Message {
  if (typeof value === "number") return [whole(3, value), whole(20, 2)];
  if (typeof value === "string") return [nested(4, value), whole(20, 3)];
  if ("float" in value) return [float(2, value.float), whole(20, 1)];
  if ("tensor" in value) return [nested(5, encodeTensor(value.tensor)), whole(20, 4)];
  return [...value.map((one) => whole(8, one)), whole(20, 7)];
}

const encodeTensor = ({ name, type, shape, elements }: OnnxTensor): Message => [
  ...shape.map((extent) => whole(1, extent)),
  whole(2, elementTypes[type]),
  nested(8, name),
  nested(9, rawBytes(type, elements)),
];

/** Little-endian, whatever the machine. */
function rawBytes(type: ElementType, elements: ArrayLike<number>): Uint8Array {
  const size = itemBytes(type);
  const bytes = new Uint8Array(size * elements.length);
  const view = new DataView(bytes.buffer);
  for (let at = 0; at < elements.length; at++) store(view, type, at * size, elements[at]);
  return bytes;
}

const itemBytes = (type: ElementType): number =>
  type === "int64" || type === "float64" ? 8 : type === "uint8" || type === "bool" ? 1 : 4;

function store(view: DataView, type: ElementType, at: number, value: number): void {
  if (type === "float32") view.setFloat32(at, value, true);
  else if (type === "float64") view.setFloat64(at, value, true);
  else if (type === "int64") view.setBigInt64(at, BigInt(value), true);
  else if (type === "int32") view.setInt32(at, value, true);
  else if (type === "uint32") view.setUint32(at, value, true);
  else view.setUint8(at, value);
}

function load(view: DataView, type: ElementType, at: number): number {
  if (type === "float32") return view.getFloat32(at, true);
  if (type === "float64") return view.getFloat64(at, true);
  if (type === "int64") return Number(view.getBigInt64(at, true));
  if (type === "int32") return view.getInt32(at, true);
  if (type === "uint32") return view.getUint32(at, true);
  return view.getUint8(at);
}

const encodeValue = ({ name, type, shape }: OnnxValue): Message => [
  nested(1, name),
  nested(2, [
    nested(1, [
      whole(1, elementTypes[type]),
      nested(
        2,
        shape.map((extent) => nested(1, [typeof extent === "number" ? whole(1, extent) : nested(2, extent)])),
      ),
    ]),
  ]),
];

/**
 * Whether bytes may be an ONNX file: it begins with the version of the format, a small number. The length that a
 * safetensors file begins with may look like that, but an object in JSON comes right behind its eight bytes.
 */
export const looksLikeOnnx = (bytes: Uint8Array): boolean =>
  bytes.length > 2 &&
  bytes[0] === 0x08 &&
  bytes[1] > 0 &&
  bytes[1] < 0x40 &&
  !(bytes[8] === 0x7b && bytes.subarray(4, 8).every((byte) => byte === 0));

/** The model in a file. */
export function decodeModel(bytes: Uint8Array, refuse: (what: string) => never): OnnxModel {
  const model = new Fields(bytes, refuse);
  const graph = model.message(7) ?? refuse("it has no graph");
  const texts = (entries: readonly Fields[]) =>
    Object.fromEntries(entries.map((entry) => [entry.text(1), entry.text(2)]));
  const opsets = model.messages(8).filter((one) => ["", "ai.onnx"].includes(one.text(1)));
  return {
    opset: opsets[0]?.number(2) ?? 0,
    inputs: graph.messages(11).map((value) => decodeValue(value, refuse)),
    outputs: graph.messages(12).map((value) => decodeValue(value, refuse)),
    nodes: graph.messages(1).map((node) => decodeNode(node, refuse)),
    initializers: graph.messages(5).map((tensor) => decodeTensor(tensor, refuse)),
    metadata: texts(model.messages(14)),
    name: graph.text(2),
    producer: model.text(2),
    producerVersion: model.text(3),
  };
}

function decodeNode(node: Fields, refuse: (what: string) => never): OnnxNode {
  const attributes = node.messages(5).map((one) => [one.text(1), decodeAttribute(one, refuse)] as const);
  return {
    op: node.text(4),
    name: node.text(3),
    inputs: node.texts(1),
    outputs: node.texts(2),
    attributes: Object.fromEntries(attributes.filter((entry) => entry[1] !== null)) as OnnxNode["attributes"],
  };
}

/** `null` for kinds of attributes that no rule asks for. */
function decodeAttribute(attribute: Fields, refuse: (what: string) => never): Attribute | null {
  switch (attribute.number(20)) {
    case 1:
      return { float: attribute.number(2) };
    case 2:
      return attribute.number(3);
    case 3:
      return attribute.text(4);
    case 4: {
      const tensor = attribute.message(5);
      return tensor === null ? null : { tensor: decodeTensor(tensor, refuse) };
    }
    case 7:
      return attribute.numbers(8, "whole");
    default:
      return null;
  }
}

function typeOf(code: number, what: string, refuse: (what: string) => never): ElementType {
  const found = Object.entries(elementTypes).find(([, known]) => known === code);
  return found === undefined
    ? refuse(`${what} has element type ${code}; we read ${Object.keys(elementTypes).join(", ")}`)
    : (found[0] as ElementType);
}

function decodeTensor(tensor: Fields, refuse: (what: string) => never): OnnxTensor {
  const name = tensor.text(8);
  if (tensor.number(14) === 1 || tensor.messages(13).length > 0) {
    refuse(`${name} lies in another file (external data); save the model as one file`);
  }
  const type = typeOf(tensor.number(2), `tensor ${name}`, refuse);
  const shape = tensor.numbers(1, "whole");
  const elements = elementsOf(tensor, type);
  const size = shape.reduce((product, extent) => product * extent, 1);
  if (elements.length !== size) {
    refuse(`tensor ${name} of shape [${shape.join()}] has ${elements.length} elements instead of ${size}`);
  }
  return { name, type, shape, elements };
}

/** The elements as raw bytes, or as the list for their type. */
function elementsOf(tensor: Fields, type: ElementType): number[] {
  const raw = tensor.bytes(9);
  if (raw !== null) {
    const view = new DataView(raw.buffer, raw.byteOffset, raw.byteLength);
    const size = itemBytes(type);
    return Array.from({ length: raw.length / size }, (_, at) => load(view, type, at * size));
  }
  if (type === "float32") return tensor.numbers(4, "float");
  return tensor.numbers(type === "int64" ? 7 : 5, "whole");
}

function decodeValue(value: Fields, refuse: (what: string) => never): OnnxValue {
  const name = value.text(1);
  const tensor = value.message(2)?.message(1) ?? refuse(`${name} is no tensor`);
  const extents = tensor.message(2)?.messages(1) ?? [];
  const shape = extents.map((extent) => {
    const known = extent.number(1, -1);
    return known >= 0 ? known : extent.text(2);
  });
  return { name, type: typeOf(tensor.number(1), name, refuse), shape };
}

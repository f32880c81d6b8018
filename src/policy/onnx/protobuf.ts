// Protocol buffers, as far as ONNX files need them: fields written to bytes, and bytes taken apart into fields.
import { joined } from "../../files/index.js";

/** A message, or a field of one, as bytes. */
export type Message = readonly Uint8Array[];

const text = new TextEncoder();

/** A number in groups of seven bits, the lowest first; negative ones as 64 bits. */
function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest >= 128n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return [...bytes, Number(rest)];
}

// The low three bits of a field's key say how its value is laid out.
const key = (field: number, layout: number): number[] => varint(field * 8 + layout);

/** A whole number, which may be negative. */
export const whole = (field: number, value: number): Uint8Array =>
  Uint8Array.from([...key(field, 0), ...varint(value)]);

export function float(field: number, value: number): Uint8Array {
  const bytes = new Uint8Array([...key(field, 5), 0, 0, 0, 0]);
  new DataView(bytes.buffer).setFloat32(bytes.length - 4, value, true);
  return bytes;
}

/** Bytes, a text, or a message made of fields. */
export function nested(field: number, content: string | Uint8Array | Message): Uint8Array {
  const bytes =
    typeof content === "string"
      ? text.encode(content)
      : content instanceof Uint8Array
        ? content
        : joined(content);
  return joined([Uint8Array.from([...key(field, 2), ...varint(bytes.length)]), bytes]);
}

/** A field as it was read: a number, or bytes. */
export type Value = number | Uint8Array;

/** The fields of a message by number, each with its values in order. */
export class Fields {
  private readonly values = new Map<number, Value[]>();

  /** `refuse` is told what is wrong with the bytes. */
  constructor(
    bytes: Uint8Array,
    private readonly refuse: (what: string) => never,
  ) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let at = 0;
    const next = (): number => {
      let value = 0n;
      for (let shift = 0n; ; shift += 7n) {
        if (at >= bytes.length || shift > 63n) return refuse("it ends within a number");
        const byte = bytes[at++];
        value |= BigInt(byte & 127) << shift;
        if (byte < 128) return Number(BigInt.asIntN(64, value));
      }
    };
    const take = (length: number): Uint8Array => {
      if (length < 0 || at + length > bytes.length) return refuse("it ends within a field");
      at += length;
      return bytes.subarray(at - length, at);
    };
    while (at < bytes.length) {
      const tag = next();
      const [field, layout] = [Math.floor(tag / 8), tag % 8];
      const start = at;
      if (layout === 0) this.add(field, next());
      else if (layout === 2) this.add(field, take(next()));
      else if (layout === 5 || layout === 1) {
        take(layout === 5 ? 4 : 8);
        this.add(field, layout === 5 ? view.getFloat32(start, true) : view.getFloat64(start, true));
      } else refuse(`it has a field of layout ${layout}`);
    }
  }

  private add(field: number, value: Value): void {
    const known = this.values.get(field);
    if (known === undefined) this.values.set(field, [value]);
    else known.push(value);
  }

  private bytesIn(field: number): Uint8Array[] {
    return (this.values.get(field) ?? []).map((value) =>
      value instanceof Uint8Array ? value : this.refuse(`field ${field} is a number`),
    );
  }

  /** The bytes of a field; `null` if it is not there. */
  bytes = (field: number): Uint8Array | null => this.bytesIn(field).at(-1) ?? null;

  texts = (field: number): string[] => this.bytesIn(field).map((bytes) => new TextDecoder().decode(bytes));

  text = (field: number): string => this.texts(field).at(-1) ?? "";

  messages = (field: number): Fields[] => this.bytesIn(field).map((bytes) => new Fields(bytes, this.refuse));

  message = (field: number): Fields | null => this.messages(field).at(-1) ?? null;

  /** A number; `otherwise` if it is not there. */
  number(field: number, otherwise = 0): number {
    const value = this.values.get(field)?.at(-1) ?? otherwise;
    return typeof value === "number" ? value : this.refuse(`field ${field} is no number`);
  }

  /** Numbers, which may be packed together: whole ones, or floats. */
  numbers(field: number, layout: "whole" | "float"): number[] {
    return (this.values.get(field) ?? []).flatMap((value) =>
      typeof value === "number" ? [value] : this.unpacked(value, layout),
    );
  }

  private unpacked(bytes: Uint8Array, layout: "whole" | "float"): number[] {
    if (layout === "float") {
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      return Array.from({ length: bytes.length / 4 }, (_, at) => view.getFloat32(4 * at, true));
    }
    const found: number[] = [];
    let [value, shift] = [0n, 0n];
    for (const byte of bytes) {
      value |= BigInt(byte & 127) << shift;
      shift += 7n;
      if (byte >= 128) continue;
      found.push(Number(BigInt.asIntN(64, value)));
      [value, shift] = [0n, 0n];
    }
    return found;
  }
}

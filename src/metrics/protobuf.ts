// The four kinds of protocol-buffer fields that TensorBoard's events are made of.

/** A number in groups of seven bits, the lowest first. */
function varint(value: number): number[] {
  const bytes: number[] = [];
  // Division instead of shifts: steps may need more than 32 bits.
  for (; value >= 128; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
  return [...bytes, value];
}

// The low three bits of a field's key say how its value is laid out.
const key = (field: number, layout: number): number[] => varint(field * 8 + layout);

/** A whole number of at least 0. */
export const wholeField = (field: number, value: number): Uint8Array =>
  Uint8Array.from([...key(field, 0), ...varint(value)]);

/** A double. */
export function doubleField(field: number, value: number): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return Buffer.concat([Uint8Array.from(key(field, 1)), bytes]);
}

/** A float. */
export function floatField(field: number, value: number): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return Buffer.concat([Uint8Array.from(key(field, 5)), bytes]);
}

/** A text, or a message made of fields. */
export function messageField(field: number, content: string | readonly Uint8Array[]): Uint8Array {
  const bytes = typeof content === "string" ? Buffer.from(content) : Buffer.concat(content);
  return Buffer.concat([Uint8Array.from([...key(field, 2), ...varint(bytes.length)]), bytes]);
}

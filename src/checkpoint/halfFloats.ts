// Floats of two bytes, which other tools store and the array language does not have: widened to float32, exactly.

/** IEEE's half precision, and the upper half of a float32. */
export const halfTypes = ["F16", "BF16"] as const;

/** Little-endian floats of two bytes as little-endian floats of four. */
export function widened(type: (typeof halfTypes)[number], stored: Uint8Array): Uint8Array {
  const count = stored.length / 2;
  const from = new DataView(stored.buffer, stored.byteOffset, stored.length);
  const to = new DataView(new ArrayBuffer(4 * count));
  for (let at = 0; at < count; at++) {
    const bits = from.getUint16(2 * at, true);
    if (type === "BF16") to.setUint32(4 * at, bits << 16, true);
    else to.setFloat32(4 * at, halfValue(bits), true);
  }
  return new Uint8Array(to.buffer);
}

/** What the bits of a half-precision float say: a sign, five bits of exponent, ten of fraction. */
function halfValue(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1024 + fraction) * 2 ** (exponent - 25);
}

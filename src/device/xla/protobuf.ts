// As much of Protocol Buffers as it takes to say how a program shall be compiled.

/** A number in seven bits a byte, the last one first. */
function varint(value: number): number[] {
  let rest = BigInt.asUintN(64, BigInt(value));
  const bytes: number[] = [];
  do {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    bytes.push(rest === 0n ? low : low | 0x80);
  } while (rest !== 0n);
  return bytes;
}

export const numberField = (field: number, value: number | boolean): number[] => [
  ...varint(field << 3),
  ...varint(Number(value)),
];

export const bytesField = (field: number, bytes: Iterable<number>): number[] => {
  const list = [...bytes];
  return [...varint((field << 3) | 2), ...varint(list.length), ...list];
};

export const textField = (field: number, text: string): number[] =>
  bytesField(field, new TextEncoder().encode(text));

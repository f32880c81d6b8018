// LZW as GIF has it: runs of pixels seen before become one code; codes grow from few bits to twelve.

const mostCodes = 4096;

/** Compresses numbers of `bits` bits each (2 to 8). */
export function lzw(values: Uint8Array, bits: number): Uint8Array {
  const clear = 1 << bits;
  const end = clear + 1;
  // The code of "this code, then this value"; 0 is none.
  const codes = new Uint16Array(mostCodes << bits);
  const bytes: number[] = [];
  let [pending, pendingBits] = [0, 0];
  let [next, width] = [end + 1, bits + 1];

  const write = (code: number): void => {
    pending |= code << pendingBits;
    pendingBits += width;
    while (pendingBits >= 8) {
      bytes.push(pending & 255);
      pending >>>= 8;
      pendingBits -= 8;
    }
  };

  write(clear);
  let prefix = values[0];
  for (let at = 1; at < values.length; at++) {
    const key = (prefix << bits) | values[at];
    if (codes[key] !== 0) {
      prefix = codes[key];
      continue;
    }
    write(prefix);
    prefix = values[at];
    if (next === mostCodes) {
      write(clear);
      codes.fill(0);
      [next, width] = [end + 1, bits + 1];
      continue;
    }
    // The reader learns a code one step later, so the width grows when the code before this one fills it.
    if (next === 1 << width) width++;
    codes[key] = next++;
  }
  write(prefix);
  // The reader has learnt one code more with what was just written.
  if (next === 1 << width && width < 12) width++;
  write(end);
  if (pendingBits > 0) bytes.push(pending & 255);
  return Uint8Array.from(bytes);
}

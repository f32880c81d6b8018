// SHA-256 of bytes in parts: by Node where there is one, and by the standard's own steps (FIPS 180-4) in browsers, whose
// built-in one cannot be waited for by a function that returns at once.
import { crypto, hasFiles } from "../node/index.js";
import { pieces } from "../files/index.js";

/** The SHA-256 of parts that follow one another, as hexadecimal text. */
export const sha256 = (parts: readonly Uint8Array[]): string =>
  hasFiles() ? sha256ByNode(parts) : sha256ByHand(parts);

function sha256ByNode(parts: readonly Uint8Array[]): string {
  const hash = crypto.createHash("sha256");
  for (const part of parts) for (const piece of pieces(part)) hash.update(piece);
  return hash.digest("hex");
}

const primes: readonly number[] = (() => {
  const found: number[] = [];
  for (let n = 2; found.length < 64; n++) if (found.every((prime) => n % prime !== 0)) found.push(n);
  return found;
})();

/** The first 32 bits of a number's fraction. */
const fractionBits = (x: number): number => Math.floor((x - Math.floor(x)) * 2 ** 32) | 0;

const rotate = (x: number, by: number): number => (x >>> by) | (x << (32 - by));

/** The same without Node. */
export function sha256ByHand(parts: readonly Uint8Array[]): string {
  const constants = Int32Array.from(primes, (prime) => fractionBits(Math.cbrt(prime)));
  const state = Int32Array.from(primes.slice(0, 8), (prime) => fractionBits(Math.sqrt(prime)));
  const words = new Int32Array(64);
  const block = new Uint8Array(64);
  const view = new DataView(block.buffer);
  let filled = 0;
  const take = (bytes: Uint8Array): void => {
    for (let at = 0; at < bytes.length;) {
      const count = Math.min(64 - filled, bytes.length - at);
      block.set(bytes.subarray(at, at + count), filled);
      at += count;
      filled += count;
      if (filled < 64) return;
      for (let word = 0; word < 16; word++) words[word] = view.getInt32(4 * word);
      mix(state, words, constants);
      filled = 0;
    }
  };
  parts.forEach(take);
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  // A one, zeros up to eight bytes before the end of a block, and the number of bits.
  const end = new Uint8Array(((119 - filled) % 64) + 9);
  end[0] = 0x80;
  new DataView(end.buffer).setBigUint64(end.length - 8, BigInt(length) * 8n);
  take(end);
  return [...state].map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

/** Takes a block, the first sixteen words, into the state. */
function mix(state: Int32Array, words: Int32Array, constants: Int32Array): void {
  for (let at = 16; at < 64; at++) {
    const [far, near] = [words[at - 15], words[at - 2]];
    const first = rotate(far, 7) ^ rotate(far, 18) ^ (far >>> 3);
    const second = rotate(near, 17) ^ rotate(near, 19) ^ (near >>> 10);
    words[at] = words[at - 16] + first + words[at - 7] + second;
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let at = 0; at < 64; at++) {
    const sum = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const chosen = (e & f) ^ (~e & g);
    const next = (h + sum + chosen + constants[at] + words[at]) | 0;
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const other = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + next) | 0, c, b, a, (next + other) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((value, at) => (state[at] += value));
}

// Random numbers for the starts of episodes: a small generator whose whole state is four numbers. It is xoshiro128**
// (Blackman and Vigna, https://prng.di.unimi.it), seeded by the finaliser of MurmurHash3.

/** What tasks draw from. */
export interface Generator {
  /** Between `low` and `high`, `high` excluded. */
  uniform(low: number, high: number): number;
  /** From the standard normal distribution. */
  normal(): number;
}

/** The state of a generator, as plain data. */
export type GeneratorState = readonly [number, number, number, number];

/** A generator that can be stopped and continued. */
export interface SeededGenerator extends Generator {
  getState(): GeneratorState;
}

function mix(word: number): number {
  let bits = word;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

/** The state that a seed, a whole number from 0 to 2^53 − 1, starts from. */
export function seeded(seed: number): GeneratorState {
  const [low, high] = [seed >>> 0, Math.floor(seed / 2 ** 32)];
  // Steps of the golden ratio keep the four words apart; one of them is never 0, which the generator needs.
  const word = (index: number): number => mix(mix(low + Math.imul(index, 0x9e3779b9)) ^ mix(high + index));
  return [word(1), word(2), word(3), word(4) | 1];
}

const rotate = (word: number, by: number): number => (word << by) | (word >>> (32 - by));

/** A generator that goes on from a state. */
export function generatorFrom(state: GeneratorState): SeededGenerator {
  let [a, b, c, d] = state;
  const next = (): number => {
    const result = Math.imul(rotate(Math.imul(b, 5), 7), 9) >>> 0;
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = rotate(d, 11);
    return result;
  };
  /** In [0, 1), with 53 random bits. */
  const unit = (): number => ((next() >>> 5) * 2 ** 26 + (next() >>> 6)) / 2 ** 53;
  return {
    uniform: (low, high) => low + (high - low) * unit(),
    // Box and Muller's; 1 − unit() is never 0.
    normal: () => Math.sqrt(-2 * Math.log(1 - unit())) * Math.cos(2 * Math.PI * unit()),
    getState: () => [a >>> 0, b >>> 0, c >>> 0, d >>> 0],
  };
}

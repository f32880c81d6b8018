// The error function and its inverse in double precision, for the interpreter.

/** The error function, to about 1e-16. */
export function erf(x: number): number {
  if (Number.isNaN(x)) return NaN;
  const size = Math.abs(x);
  if (size > 6) return Math.sign(x);
  return size < tail ? erfSeries(x) : Math.sign(x) * (1 - erfcFraction(size));
}

// From here on 1 - erf is what carries the digits, and its continued fraction converges fast.
const tail = 2;

/** erf(x) = 2/√π · exp(-x²) · Σ 2ⁿ x²ⁿ⁺¹ / (1·3·…·(2n+1)): all terms have one sign, so nothing cancels. */
function erfSeries(x: number): number {
  const square = x * x;
  let term = x;
  let sum = x;
  for (let n = 1; Math.abs(term) > 1e-17 * Math.abs(sum); n++) {
    term *= (2 * square) / (2 * n + 1);
    sum += term;
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-square) * sum;
}

/** 1 - erf(x) in the tail by its continued fraction, evaluated from the inside out. */
function erfcFraction(x: number): number {
  let fraction = 0;
  for (let n = 80; n >= 1; n--) fraction = n / 2 / (x + fraction);
  return Math.exp(-x * x) / Math.sqrt(Math.PI) / (x + fraction);
}

/** The inverse of erf: a rational first guess (Winitzki 2008), then Newton's method on erf or on 1 - erf. */
export function erfInv(y: number): number {
  if (Number.isNaN(y) || Math.abs(y) > 1) return NaN;
  if (Math.abs(y) === 1) return y * Infinity;
  if (y === 0) return y;
  const a = 0.147;
  const logarithm = Math.log1p(-y * y);
  const half = 2 / (Math.PI * a) + logarithm / 2;
  let x = Math.sign(y) * Math.sqrt(Math.sqrt(half * half - logarithm / a) - half);
  for (let step = 0; step < 4; step++) {
    const size = Math.abs(x);
    const excess = size < tail ? erf(x) - y : Math.sign(x) * (1 - Math.abs(y) - erfcFraction(size));
    x -= excess / ((2 / Math.sqrt(Math.PI)) * Math.exp(-x * x));
  }
  return x;
}

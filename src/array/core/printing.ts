// Arrays as text, by NumPy's rules: aligned columns, at most 8 digits behind the point, three elements at each edge of
// what is large.
import type { DType } from "./dtype.js";
import type { Shape } from "./shape.js";

const lineWidth = 75;
const precision = 8;
const edge = 3;
const threshold = 1000;

interface Layout {
  /** What stands between elements. */
  readonly separator: string;
  /** How many characters stand before the array in its first line. */
  readonly indent: number;
  /** How many characters follow in its last line. */
  readonly suffix: number;
}

/** What there is to print. */
export interface Printed {
  readonly elements: ArrayLike<number>;
  readonly dtype: DType;
  readonly shape: Shape;
}

/** NumPy's `str(x)`. */
export const showArray = (array: Printed): string =>
  array.shape.length === 0
    ? showScalar(array.elements[0], array.dtype)
    : showNested(array, { separator: " ", indent: 0, suffix: 0 });

/** JAX's `repr(x)`, as in `Array([1., 2.], dtype=float32)`. */
export function representArray(array: Printed, isWeak: boolean): string {
  const prefix = "Array(";
  const { dtype, shape, elements } = array;
  const type = `dtype=${dtype}${isWeak ? ", weak_type=True" : ""})`;
  const isEmpty = elements.length === 0;
  const text = isEmpty
    ? `[], shape=(${shape.join(", ")}${shape.length === 1 ? "," : ""})`
    : showNested(array, { separator: ", ", indent: prefix.length, suffix: 1 });
  const lastLine = text.length - text.lastIndexOf("\n") + 1;
  const gap = lastLine + type.length + 1 > lineWidth ? `\n${" ".repeat(prefix.length)}` : " ";
  return `${prefix}${text},${gap}${type}`;
}

function showScalar(value: number, dtype: DType): string {
  if (dtype === "bool") return value === 0 ? "False" : "True";
  if (!dtype.startsWith("float")) return String(value);
  if (!Number.isFinite(value)) return showSpecial(value);
  const size = Math.abs(value);
  if (value === 0 || (size >= 1e-4 && size < (dtype === "float32" ? 1e6 : 1e16))) {
    const text = positional(value, dtype, 100);
    return text.endsWith(".") ? `${text}0` : text;
  }
  return scientific(value, shortest(value, dtype), 2).replace(".e", "e");
}

function showNested({ elements, dtype, shape }: Printed, { separator, indent, suffix }: Layout): string {
  if (elements.length === 0) return "[]";
  const isShort = elements.length > threshold;
  /** The positions along an axis that are shown; null stands for those that are not. */
  const shown = shape.map((extent): (number | null)[] => {
    const all = Array.from({ length: extent }, (_, at) => at);
    return isShort && extent > 2 * edge ? [...all.slice(0, edge), null, ...all.slice(-edge)] : all;
  });
  const visible = shown
    .map((axis) => axis.filter((at) => at !== null))
    .reduce<number[]>(
      (offsets, axis, at) =>
        offsets.flatMap((offset) => axis.map((position) => offset * shape[at] + position)),
      [0],
    );
  const format = formatter(
    visible.map((offset) => elements[offset]),
    dtype,
    shape.length === 0,
  );
  const show = (axis: number, offset: number, hanging: string, width: number): string => {
    if (axis === shape.length) return format(elements[offset]);
    const isRow = axis === shape.length - 1;
    const words = shown[axis].map((at) =>
      at === null ? "..." : show(axis + 1, offset * shape[axis] + at, `${hanging} `, width - 1),
    );
    const text = isRow
      ? wrap(words, separator, hanging, width)
      : words.map((word) => hanging + word).join(separator.trimEnd() + "\n".repeat(shape.length - axis - 1));
    return `[${text.slice(hanging.length)}]`;
  };
  return show(0, 0, " ".repeat(indent + 1), lineWidth - suffix);
}

/** Words one after the other, in as many lines as they need. */
function wrap(words: readonly string[], separator: string, hanging: string, width: number): string {
  const most = width - Math.max(separator.trimEnd().length, 1);
  let [done, line] = ["", hanging];
  words.forEach((word, at) => {
    if (line.length + word.length > most && line.length > hanging.length) {
      done += `${line.trimEnd()}\n`;
      line = hanging;
    }
    line += word + (at < words.length - 1 ? separator : "");
  });
  return done + line;
}

/** How all elements are written so that their columns align. */
function formatter(values: readonly number[], dtype: DType, isScalar: boolean): (value: number) => string {
  if (dtype === "bool") return (value) => (value !== 0 ? (isScalar ? "True" : " True") : "False");
  if (dtype.startsWith("float")) return floatFormatter(values, dtype);
  const width = Math.max(...values.map((value) => String(value).length));
  return (value) => String(value).padStart(width);
}

function floatFormatter(values: readonly number[], dtype: DType): (value: number) => string {
  const finite = values.filter(Number.isFinite);
  const isScientific = needsExponents(finite, dtype);
  const first = finite.map((value) =>
    isScientific
      ? scientific(value, Math.min(shortest(value, dtype), precision), 2)
      : positional(value, dtype, precision),
  );
  const parts = first.map(
    (text) => /^(?<whole>[^.]*)\.(?<fraction>\d*)(?:e.(?<exponent>\d+))?$/.exec(text)?.groups ?? {},
  );
  const longest = (name: string): number => Math.max(0, ...parts.map((part) => (part[name] ?? "").length));
  const [fraction, exponent] = [longest("fraction"), longest("exponent")];
  const right = isScientific ? fraction + exponent + 2 : fraction;
  const specials = values
    .filter((value) => !Number.isFinite(value))
    .map((value) => showSpecial(value).length);
  // Infinities of both signs take the place of the negative one.
  const left = Math.max(longest("whole"), ...specials.map((length) => length - right - 1));
  return (value) => {
    if (!Number.isFinite(value)) return showSpecial(value).padStart(left + right + 1);
    const text = isScientific ? scientific(value, fraction, exponent) : positional(value, dtype, precision);
    const point = text.indexOf(".");
    return " ".repeat(Math.max(0, left - point)) + text.padEnd(isScientific ? 0 : point + 1 + right);
  };
}

const showSpecial = (value: number): string => (Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf");

/** Whether numbers are too large, too small or too far apart to be written without exponents. */
function needsExponents(values: readonly number[], dtype: DType): boolean {
  const sizes = values.filter((value) => value !== 0).map(Math.abs);
  if (sizes.length === 0) return false;
  const [largest, smallest] = [Math.max(...sizes), Math.min(...sizes)];
  const ratio = dtype === "float32" ? Math.fround(largest / smallest) : largest / smallest;
  return largest >= (dtype === "float32" ? 1e6 : 1e8) || smallest < 1e-4 || ratio > 1000;
}

/** How many digits behind the first one tell a number from all others of its dtype. */
function shortest(value: number, dtype: DType): number {
  const all = value.toExponential();
  const enough = all.slice(0, all.indexOf("e")).replace(/[-.]/g, "").length - 1;
  if (dtype !== "float32") return enough;
  for (let digits = 0; digits < enough; digits++) {
    if (Math.fround(Number(value.toExponential(digits))) === value) return digits;
  }
  return enough;
}

/** A number with a point and at most `most` digits behind it, no zeros at the end. */
function positional(value: number, dtype: DType, most: number): string {
  const digits = shortest(value, dtype);
  const [mantissa, power] = toEven(value, digits, "toExponential").split("e") as [string, string];
  const behind = Math.max(0, digits - Number(power));
  const sign = Object.is(value, -0) || value < 0 ? "-" : "";
  const text =
    behind > most || behind === 0
      ? toEven(Math.abs(value), Math.min(behind, most), "toFixed")
      : shift(mantissa.replace(/[-.]/g, ""), Number(power));
  const withPoint = text.includes(".") ? text.replace(/0+$/, "") : `${text}.`;
  return sign + withPoint;
}

/** Digits with the point behind the one of the given power of ten. */
function shift(digits: string, power: number): string {
  if (power < 0) return `0.${"0".repeat(-power - 1)}${digits}`;
  const padded = digits.padEnd(power + 1, "0");
  return `${padded.slice(0, power + 1)}.${padded.slice(power + 1)}`;
}

/** A number with an exponent of at least `width` digits and exactly `digits` behind the point. */
function scientific(value: number, digits: number, width: number): string {
  const [mantissa, power] = toEven(value, digits, "toExponential").split("e") as [string, string];
  const sign = Object.is(value, -0) ? "-" : "";
  const point = mantissa.includes(".") ? mantissa : `${mantissa}.`;
  return `${sign}${point}e${power[0]}${power.slice(1).padStart(width, "0")}`;
}

/** `toFixed` or `toExponential`, with what lies in the middle rounded to the even digit as NumPy does. */
function toEven(value: number, digits: number, method: "toFixed" | "toExponential"): string {
  const rounded = value[method](digits);
  const exact = value[method](100);
  const [mantissa, exponent = ""] = exact.split("e") as [string, string?];
  const end = mantissa.indexOf(".") + 1 + digits;
  const isMiddle = /^50*$/.test(mantissa.slice(end));
  const kept = mantissa.slice(0, end).replace(/\.$/, "");
  const isEven = "02468".includes(kept.at(-1) ?? "");
  return isMiddle && isEven ? kept + (exact.includes("e") ? `e${exponent}` : "") : rounded;
}

// What all generated C begins with: vector types, and what they can do beyond C's operators.
import type { Width } from "./types.js";

const repeat = (count: number, item: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => item(at)).join(", ");

const range = (from: number, to: number): string => repeat(to - from, (at) => String(from + at));

/** Types of vectors of so many elements. */
function types(width: Width): string {
  const type = (name: string, element: string, bytes: number) =>
    `typedef ${element} ${name}${width} __attribute__((vector_size(${width * bytes})));\n` +
    `typedef ${element} ${name}${width}u __attribute__((vector_size(${width * bytes}), aligned(${Math.min(bytes, 4)}), may_alias));`;
  const splat = (letter: string, element: string) =>
    `INLINE v${letter}${width} s${letter}${width}(${element} x) { return (v${letter}${width}){${repeat(width, () => "x")}}; }`;
  return [
    type("vf", "float", 4),
    type("vi", "int", 4),
    type("vu", "unsigned", 4),
    type("vd", "double", 8),
    type("vb", "unsigned char", 1),
    splat("f", "float"),
    splat("i", "int"),
    splat("u", "unsigned"),
    splat("d", "double"),
    `#define IOTA${width} ((vi${width}){${range(0, width)}})`,
  ].join("\n");
}

/** A function of floats that has an instruction on x86; elsewhere it is computed element by element. */
function perLane(name: string, width: Width, builtin: string, x86: string): string {
  const type = `vf${width}`;
  return [
    `INLINE ${type} ${name}${width}(${type} x) {`,
    `#if ${x86Condition(width)}`,
    `  return ${x86};`,
    "#else",
    `  ${type} r;`,
    `  for (int at = 0; at < ${width}; ++at) r[at] = ${builtin}(x[at]);`,
    "  return r;",
    "#endif",
    "}",
  ].join("\n");
}

const x86Condition = (width: Width): string =>
  width === 16 ? "defined(__AVX512F__)" : width === 8 ? "defined(__AVX__)" : "defined(__SSE4_1__)";

const masked = (name: string): string =>
  `GCC_OR_CLANG(__builtin_ia32_${name}512_mask(a, b, a, (unsigned short)-1, 4), __builtin_ia32_${name}512(a, b, 4))`;

/** The first of two floats where one is NaN. */
function extremum(name: "max" | "min", width: Width): string {
  const type = `vf${width}`;
  const x86 =
    width === 16 ? masked(`${name}ps`) : `__builtin_ia32_${name}ps${width === 8 ? "256" : ""}(a, b)`;
  return [
    // The instruction gives its second operand where one is NaN.
    `INLINE ${type} ${name}Number${width}(${type} b, ${type} a) {`,
    `#if ${x86Condition(width)}`,
    `  return (${type})${x86};`,
    "#else",
    `  return SELECTF${width}(${name === "max" ? "b < a" : "a < b"}, a, b);`,
    "#endif",
    "}",
  ].join("\n");
}

function rounding(name: string, builtin: string, mode: number, width: Width): string {
  const x86 =
    width === 16
      ? `(vf16)__builtin_ia32_rndscaleps_mask(x, ${mode}, x, (unsigned short)-1, 4)`
      : `(vf${width})__builtin_ia32_roundps${width === 8 ? "256" : ""}(x, ${mode})`;
  return perLane(name, width, builtin, x86);
}

/** Both halves of a vector combined, again and again, until one element is left. */
function folds(width: Width): string {
  const half = width / 2;
  const lower = (letter: string) => (width === 4 ? "" : `v${letter}${half}`);
  const fold = (name: string, letter: string, element: string, combine: (a: string, b: string) => string) => {
    const type = `v${letter}${width}`;
    if (width === 4) {
      const pairs = combine(combine("x[0]", "x[2]"), combine("x[1]", "x[3]"));
      return `INLINE ${element} ${name}4${letter}(${type} x) { return ${pairs}; }`;
    }
    const part = (from: number) => `__builtin_shufflevector(x, x, ${range(from, from + half)})`;
    return (
      `INLINE ${element} ${name}${width}${letter}(${type} x) { const ${lower(letter)} a = ${part(0)}, b = ${part(half)}; ` +
      `return ${name}${half}${letter}(${combine("a", "b")}); }`
    );
  };
  const scalar = (name: string, letter: string) => (a: string, b: string) =>
    width === 4 ? `${name}1${letter}(${a}, ${b})` : `${name}${half}${letter}(${a}, ${b})`;
  return [
    fold("sumOf", "f", "float", (a, b) => `(${a} + ${b})`),
    fold("sumOf", "i", "int", (a, b) => `(${a} + ${b})`),
    fold("sumOf", "u", "unsigned", (a, b) => `(${a} + ${b})`),
    fold("anyOf", "i", "int", (a, b) => `(${a} | ${b})`),
    fold("allOf", "i", "int", (a, b) => `(${a} & ${b})`),
    ...["max", "min"].flatMap((name) =>
      [
        ["f", "float"],
        ["i", "int"],
        ["u", "unsigned"],
      ].map(([letter, element]) => fold(`${name}Of`, letter, element, scalar(name, letter))),
    ),
  ].join("\n");
}

/** Operations of vectors of so many elements. */
function operations(width: Width): string {
  const w = width;
  const select = (letter: string) =>
    `INLINE v${letter}${w} SELECT${letter.toUpperCase()}${w}(vi${w} m, v${letter}${w} a, v${letter}${w} b) ` +
    `{ return (v${letter}${w})((m & (vi${w})a) | (~m & (vi${w})b)); }`;
  const integerExtremum = (name: string, letter: string, sign: string) =>
    `INLINE v${letter}${w} ${name}${w}${letter}(v${letter}${w} a, v${letter}${w} b) ` +
    `{ return SELECT${letter.toUpperCase()}${w}((vi${w})(a ${sign} b), a, b); }`;
  return [
    select("f"),
    select("i"),
    select("u"),
    extremum("max", w),
    extremum("min", w),
    // NaN of either side stays.
    `INLINE vf${w} max${w}f(vf${w} a, vf${w} b) { return SELECTF${w}(b != b, b, maxNumber${w}(a, b)); }`,
    `INLINE vf${w} min${w}f(vf${w} a, vf${w} b) { return SELECTF${w}(b != b, b, minNumber${w}(a, b)); }`,
    integerExtremum("max", "i", ">"),
    integerExtremum("min", "i", "<"),
    integerExtremum("max", "u", ">"),
    integerExtremum("min", "u", "<"),
    perLane("sqrt", w, "__builtin_sqrtf", sqrtBuiltin(w)),
    rounding("floor", "__builtin_floorf", 9, w),
    rounding("ceil", "__builtin_ceilf", 10, w),
    rounding("trunc", "__builtin_truncf", 11, w),
    rounding("round", "__builtin_rintf", 8, w),
    // Adding this leaves no bits behind the point, and the rounding is the processor's own.
    `INLINE vd${w} roundD${w}(vd${w} x) { return (x + 6755399441055744.0) - 6755399441055744.0; }`,
    `INLINE vf${w} fma${w}(vf${w} a, vf${w} b, vf${w} c) {`,
    "#ifdef __FMA__",
    "  return a * b + c;",
    "#else",
    `  vf${w} r; for (int at = 0; at < ${w}; ++at) r[at] = __builtin_fmaf(a[at], b[at], c[at]); return r;`,
    "#endif",
    "}",
    `INLINE vf${w} rem${w}(vf${w} a, vf${w} b) { vf${w} r; for (int at = 0; at < ${w}; ++at) r[at] = __builtin_fmodf(a[at], b[at]); return r; }`,
    // Within bounds that the conversion takes; what lies beyond is the largest number, NaN is 0.
    `INLINE vi${w} toInt${w}(vf${w} x) { const vf${w} y = minNumber${w}(maxNumber${w}(x, sf${w}(-2147483648.0f)), sf${w}(2147483520.0f)); ` +
      `return SELECTI${w}(x >= 2147483648.0f, si${w}(2147483647), __builtin_convertvector(SELECTF${w}(x == x, y, sf${w}(0.0f)), vi${w})); }`,
    `INLINE vu${w} toUnsigned${w}(vf${w} x) { const vf${w} y = minNumber${w}(maxNumber${w}(x, sf${w}(0.0f)), sf${w}(4294967040.0f)); ` +
      `return SELECTU${w}(x >= 4294967296.0f, su${w}(4294967295u), __builtin_convertvector(SELECTF${w}(x == x, y, sf${w}(0.0f)), vu${w})); }`,
    ...["divI", "remI", "powI"].map(
      (name) =>
        `INLINE vi${w} ${name}${w}(vi${w} a, vi${w} b) { vi${w} r; for (int at = 0; at < ${w}; ++at) r[at] = ${name}1(a[at], b[at]); return r; }`,
    ),
    ...["divU", "remU", "powU"].map(
      (name) =>
        `INLINE vu${w} ${name}${w}(vu${w} a, vu${w} b) { vu${w} r; for (int at = 0; at < ${w}; ++at) r[at] = ${name}1(a[at], b[at]); return r; }`,
    ),
    folds(w),
  ].join("\n");
}

const sqrtBuiltin = (width: Width): string =>
  width === 16
    ? "(vf16)GCC_OR_CLANG(__builtin_ia32_sqrtps512_mask(x, x, (unsigned short)-1, 4), __builtin_ia32_sqrtps512(x, 4))"
    : `(vf${width})__builtin_ia32_sqrtps${width === 8 ? "256" : ""}(x)`;

// GCC 12 leaves out calls of functions in the same file whose stores it takes for overwritten, so that it must know
// nothing of them.
const scalars = `#define NULL ((void *)0)
#define memcpy __builtin_memcpy
#define memset __builtin_memset
#define memmove __builtin_memmove
#define INLINE static inline __attribute__((always_inline, unused))
#ifdef __clang__
#define GCC_OR_CLANG(gcc, clang) clang
#define KERNEL __attribute__((noinline, visibility("hidden")))
#else
#define GCC_OR_CLANG(gcc, clang) gcc
#define KERNEL __attribute__((noipa, visibility("hidden")))
#endif
INLINE float bitsToFloat(unsigned x) { float r; memcpy(&r, &x, 4); return r; }
INLINE unsigned floatToBits(float x) { unsigned r; memcpy(&r, &x, 4); return r; }
INLINE float SELECTF1(int m, float a, float b) { return m ? a : b; }
INLINE int SELECTI1(int m, int a, int b) { return m ? a : b; }
INLINE unsigned SELECTU1(int m, unsigned a, unsigned b) { return m ? a : b; }
INLINE float maxNumber1(float a, float b) { return a < b ? b : a; }
INLINE float minNumber1(float a, float b) { return b < a ? b : a; }
INLINE float max1f(float a, float b) { return b != b ? b : a < b ? b : a; }
INLINE float min1f(float a, float b) { return b != b ? b : b < a ? b : a; }
INLINE int max1i(int a, int b) { return a < b ? b : a; }
INLINE int min1i(int a, int b) { return b < a ? b : a; }
INLINE unsigned max1u(unsigned a, unsigned b) { return a < b ? b : a; }
INLINE unsigned min1u(unsigned a, unsigned b) { return b < a ? b : a; }
INLINE float sqrt1(float x) { return __builtin_sqrtf(x); }
INLINE float floor1(float x) { return __builtin_floorf(x); }
INLINE float ceil1(float x) { return __builtin_ceilf(x); }
INLINE float trunc1(float x) { return __builtin_truncf(x); }
INLINE float round1(float x) { return __builtin_rintf(x); }
INLINE double roundD1(double x) { return __builtin_rint(x); }
INLINE float fma1(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
INLINE float rem1(float a, float b) { return __builtin_fmodf(a, b); }
INLINE int toInt1(float x) { return x != x ? 0 : x >= 2147483648.0f ? 2147483647 : x <= -2147483648.0f ? -2147483647 - 1 : (int)x; }
INLINE unsigned toUnsigned1(float x) { return !(x > 0.0f) ? 0u : x >= 4294967296.0f ? 4294967295u : (unsigned)x; }
INLINE int divI1(int a, int b) { return b == 0 ? -1 : b == -1 ? -a : a / b; }
INLINE int remI1(int a, int b) { return b == 0 ? a : b == -1 ? 0 : a % b; }
INLINE unsigned divU1(unsigned a, unsigned b) { return b == 0 ? 4294967295u : a / b; }
INLINE unsigned remU1(unsigned a, unsigned b) { return b == 0 ? a : a % b; }
INLINE unsigned powU1(unsigned a, unsigned b) { unsigned r = 1; for (; b != 0; b >>= 1) { if (b & 1) r *= a; a *= a; } return r; }
INLINE int powI1(int a, int b) { return b >= 0 ? (int)powU1((unsigned)a, (unsigned)b) : a == 1 ? 1 : a == -1 ? (b & 1 ? -1 : 1) : 0; }`;

/** The beginning of a translation unit for vectors of up to so many elements. */
export function prelude(lanes: Width): string {
  const widths = ([4, 8, 16] as const).filter((width) => width <= lanes);
  return [scalars, ...widths.flatMap((width) => [types(width), operations(width)])].join("\n");
}

// Instructions that are no operator of C.

const extremes = [
  [32, "float", "0x7fffffffu"],
  [64, "double", "UINT64_C(0x7fffffffffffffff)"],
]
  .map(
    ([bits, type, nan]) => `
INLINE ${type} min${bits}(${type} a, ${type} b) { return a == b ? signbit(a) ? a : b : a < b ? a : b; }
INLINE ${type} max${bits}(${type} a, ${type} b) { return a == b ? signbit(a) ? b : a : a > b ? a : b; }
INLINE ${type} minNumber${bits}(${type} a, ${type} b) {
  return isnan(a) ? isnan(b) ? toF${bits}(${nan}) : b : isnan(b) ? a : min${bits}(a, b);
}
INLINE ${type} maxNumber${bits}(${type} a, ${type} b) {
  return isnan(a) ? isnan(b) ? toF${bits}(${nan}) : b : isnan(b) ? a : max${bits}(a, b);
}
INLINE ${type} minNaN${bits}(${type} a, ${type} b) {
  return isnan(a) || isnan(b) ? toF${bits}(${nan}) : min${bits}(a, b);
}
INLINE ${type} maxNaN${bits}(${type} a, ${type} b) {
  return isnan(a) || isnan(b) ? toF${bits}(${nan}) : max${bits}(a, b);
}
INLINE ${type} saturate${bits}(${type} a) { return a > 0 ? a < 1 ? a : 1 : 0; }`,
  )
  .join("");

const fields = [32, 64]
  .map(
    (bits) => `
INLINE uint${bits}_t extractU${bits}(uint${bits}_t a, uint32_t at, uint32_t length) {
  at &= 255; length &= 255;
  const uint${bits}_t rest = at >= ${bits} ? 0 : a >> at;
  return length >= ${bits} ? rest : rest & (((uint${bits}_t)1 << length) - 1);
}
INLINE int${bits}_t extractS${bits}(int${bits}_t a, uint32_t at, uint32_t length) {
  at &= 255; length &= 255;
  if (length == 0) return 0;
  const uint32_t top = at + length - 1 > ${bits - 1} ? ${bits - 1} : at + length - 1;
  const uint${bits}_t rest = extractU${bits}((uint${bits}_t)a, at, length);
  const uint32_t kept = at > ${bits - 1} ? 0 : top - at + 1;
  if (!((uint${bits}_t)a >> top & 1)) return (int${bits}_t)rest;
  return (int${bits}_t)(kept >= ${bits} ? rest : rest | ~(uint${bits}_t)0 << kept);
}
INLINE uint${bits}_t insert${bits}(uint${bits}_t a, uint${bits}_t b, uint32_t at, uint32_t length) {
  at &= 255; length &= 255;
  if (at >= ${bits} || length == 0) return b;
  const uint${bits}_t mask = (length >= ${bits} ? ~(uint${bits}_t)0 : ((uint${bits}_t)1 << length) - 1) << at;
  return (b & ~mask) | (a << at & mask);
}
INLINE uint${bits}_t reversed${bits}(uint${bits}_t a) {
  uint${bits}_t result = 0;
  for (int i = 0; i < ${bits}; ++i) result |= (a >> i & 1) << (${bits - 1} - i);
  return result;
}`,
  )
  .join("");

export const functions = `
INLINE float toF32(uint32_t bits) { float f; memcpy(&f, &bits, 4); return f; }
INLINE double toF64(uint64_t bits) { double f; memcpy(&f, &bits, 8); return f; }
INLINE uint32_t bits32(float f) { uint32_t bits; memcpy(&bits, &f, 4); return bits; }
INLINE uint64_t bits64(double f) { uint64_t bits; memcpy(&bits, &f, 8); return bits; }
/* Subnormal numbers as zeros of their sign. */
INLINE float flush(float f) {
  const uint32_t bits = bits32(f);
  return bits & 0x7f800000u ? f : toF32(bits & 0x80000000u);
}
INLINE int32_t saturateS32(int64_t a) { return a < INT32_MIN ? INT32_MIN : a > INT32_MAX ? INT32_MAX : (int32_t)a; }
INLINE uint32_t population32(uint32_t a) { return __builtin_popcount(a); }
INLINE uint32_t population64(uint64_t a) { return __builtin_popcountll(a); }
INLINE uint32_t leadingZeros32(uint32_t a) { return a == 0 ? 32 : __builtin_clz(a); }
INLINE uint32_t leadingZeros64(uint64_t a) { return a == 0 ? 64 : __builtin_clzll(a); }
INLINE uint32_t highest(uint64_t a) { return a == 0 ? ~0u : 63 - __builtin_clzll(a); }
INLINE uint32_t lop3(uint32_t a, uint32_t b, uint32_t c, uint32_t table) {
  uint32_t result = 0;
  if (table & 1) result |= ~a & ~b & ~c;
  if (table & 2) result |= ~a & ~b & c;
  if (table & 4) result |= ~a & b & ~c;
  if (table & 8) result |= ~a & b & c;
  if (table & 16) result |= a & ~b & ~c;
  if (table & 32) result |= a & ~b & c;
  if (table & 64) result |= a & b & ~c;
  if (table & 128) result |= a & b & c;
  return result;
}
INLINE uint32_t permute(uint32_t a, uint32_t b, uint32_t choice) {
  const uint64_t both = (uint64_t)b << 32 | a;
  uint32_t result = 0;
  for (int i = 0; i < 4; ++i) {
    const uint32_t one = choice >> 4 * i & 15, byte = (uint32_t)(both >> 8 * (one & 7)) & 255;
    result |= (one & 8 ? byte & 128 ? 255u : 0u : byte) << 8 * i;
  }
  return result;
}
/* To a float towards zero, down or up. */
static float rounded32(long double a, int direction) {
  const float nearest = (float)a;
  if ((long double)nearest == a || isnan(a)) return nearest;
  const int isAbove = (long double)nearest > a;
  if (direction > 0) return isAbove ? nearest : nextafterf(nearest, INFINITY);
  if (direction < 0) return isAbove ? nextafterf(nearest, -INFINITY) : nearest;
  return isAbove == (a > 0) ? nextafterf(nearest, 0.0f) : nearest;
}
INLINE uint32_t tensorFloat_rz(float f) { return bits32(f) & 0xffffe000u; }
INLINE uint32_t tensorFloat_rna(float f) {
  const uint32_t bits = bits32(f);
  return isfinite(f) ? (bits + 0x1000u) & 0xffffe000u : isnan(f) ? 0x7fffffffu : bits;
}
INLINE uint32_t tensorFloat_rn(float f) {
  const uint32_t bits = bits32(f);
  return isfinite(f) ? (bits + 0xfffu + (bits >> 13 & 1)) & 0xffffe000u : isnan(f) ? 0x7fffffffu : bits;
}
${extremes}
${fields}`;

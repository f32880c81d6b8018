// What lanes of a warp get from each other.

const each = (body: string): string =>
  `for (uint32_t rest = mask; rest; rest &= rest - 1) { const uint32_t lane = __builtin_ctz(rest); ${body} }`;

/** The lane that each one reads from, as PTX defines it, with `least` and `last` as its bounds. */
const shuffle = (name: string, from: string, isInside: string): string => `
static void ${name}(struct fiber *lanes, uint32_t mask) {
  ${each(`
    const uint32_t b = lanes[lane].in[1] & 31, c = lanes[lane].in[2] & 31, segments = lanes[lane].in[2] >> 8 & 31;
    const int32_t last = (lane & segments) | (c & ~segments), least = lane & segments;
    int32_t from = ${from};
    const int isInside = ${isInside};
    if (!isInside) from = lane;
    if (!(mask >> from & 1))
      fail(&lanes[lane], lanes[lane].line, "shfl.sync reads from lane %d, which is not in the mask 0x%x", from, mask);
    lanes[lane].out[0] = lanes[from].in[0];
    lanes[lane].out[1] = isInside;
  `)}
}`;

const reduction = (name: string, type: string, next: string): string => `
static void ${name}(struct fiber *lanes, uint32_t mask) {
  ${type} total = (${type})lanes[__builtin_ctz(mask)].in[0];
  for (uint32_t rest = mask & (mask - 1); rest; rest &= rest - 1) {
    const ${type} one = (${type})lanes[__builtin_ctz(rest)].in[0];
    total = ${next};
  }
  ${each("lanes[lane].out[0] = (uint32_t)total;")}
}`;

/**
 * A product of 16 × depth and depth × 8 with fragments as PTX lays them out. Factors have the precision of tf32, whatever
 * bits they have; sums are those of doubles.
 */
const product = (depth: 4 | 8): string => `
static void giveProduct${depth}(struct fiber *lanes, uint32_t mask) {
  float a[16][${depth}], b[${depth}][8];
  for (uint32_t lane = 0; lane < 32; ++lane) {
    const uint32_t group = lane >> 2, at = lane & 3, *const in = lanes[lane].in;
    for (uint32_t i = 0; i < ${depth / 2}; ++i)
      a[group + (i & 1) * 8][at + (i >> 1) * 4] = toF32(in[i] & 0xffffe000u);
    for (uint32_t i = 0; i < ${depth / 4}; ++i) b[at + i * 4][group] = toF32(in[${depth / 2} + i] & 0xffffe000u);
  }
  for (uint32_t lane = 0; lane < 32; ++lane) {
    for (uint32_t i = 0; i < 4; ++i) {
      const uint32_t row = (lane >> 2) + (i >> 1) * 8, column = (lane & 3) * 2 + (i & 1);
      double sum = toF32(lanes[lane].in[${depth / 2 + depth / 4} + i]);
      for (int k = 0; k < ${depth}; ++k) sum += (double)a[row][k] * b[k][column];
      lanes[lane].out[i] = bits32((float)sum);
    }
  }
}`;

export const warps = `
${shuffle("giveIndexed", "least | (b & ~segments)", "from <= last")}
${shuffle("giveUp", "(int32_t)lane - (int32_t)b", "from >= last")}
${shuffle("giveDown", "lane + b", "from <= last")}
${shuffle("giveButterfly", "lane ^ b", "from <= last")}
static void giveVotes(struct fiber *lanes, uint32_t mask) {
  uint32_t votes = 0;
  ${each("if (lanes[lane].in[0]) votes |= 1u << lane;")}
  ${each("lanes[lane].out[0] = votes; lanes[lane].out[1] = mask;")}
}
${reduction("giveSum", "uint32_t", "total + one")}
${reduction("giveAnd", "uint32_t", "total & one")}
${reduction("giveOr", "uint32_t", "total | one")}
${reduction("giveXor", "uint32_t", "total ^ one")}
${reduction("giveLeastU", "uint32_t", "one < total ? one : total")}
${reduction("giveMostU", "uint32_t", "one > total ? one : total")}
${reduction("giveLeastS", "int32_t", "one < total ? one : total")}
${reduction("giveMostS", "int32_t", "one > total ? one : total")}
${product(4)}
${product(8)}`;

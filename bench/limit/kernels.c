/* The kernels of bench/kernelPrograms.mjs by hand, over the routines of limit.c, for Wasm and native. Arrays are dense
 * and row-major, as the array language has them; whatever a kernel packs or transposes, it does anew in every turn.
 * Every entry runs its kernel so many times, and between turns does what the loop in kernelPrograms.mjs does: it puts a
 * little of the result back into the operands, so that no turn can be left out. Each kernel is a function of its own,
 * so that V8 replaces it by optimised code while the loop around it runs. */
#define NOMAIN
#ifdef __wasm__
#define FLUSH(x) (x) /* the array language leaves denormals alone, and there are none here */
#endif
#include "limit.c"

#define WORDS 65536
#define PARAMS 100000
AL float k_a[WORDS + W], k_b[WORDS], k_c[WORDS], k_pa[WORDS + W], k_pb[WORDS]; /* packing reads and writes whole vectors */
AL float k_h[128 * 64], k_bias[64];
AL float k_p[PARAMS], k_g[PARAMS], k_m[PARAMS], k_v[PARAMS];
AL u32 k_key[2], k_bits[WORDS], k_perm[WORDS], k_from[WORDS];
AL u64 k_pairs[2][WORDS];
static Adam k_adam;

EXPORT("left") float *left(void) { return k_a; }
EXPORT("right") float *right(void) { return k_b; }
EXPORT("bias") float *bias(void) { return k_bias; }
EXPORT("result") float *result(void) { return k_c; }
EXPORT("params") float *params(void) { return k_p; }
EXPORT("gradient") float *gradient(void) { return k_g; }
EXPORT("key") u32 *key(void) { return k_key; }
EXPORT("bits") u32 *bits(void) { return k_bits; }
EXPORT("permuted") u32 *permuted(void) { return k_perm; }

/* ---- products: [m,k] x [k,n] ------------------------------------------------------------------------------------ */
enum { PLAIN, PACKED, TRANSPOSED, DEEP };
INL void pack_rows(const int k, const int n, const int width, const float *b, float *to) { /* [k][n] into panels [n/width][k][width] */
  for (int j = 0; j < n; j += width, b += width) {
    const float *from = b;
    for (int i = 0; i < k; i++, from += n, to += width) UNR for (int v = 0; v < width; v += W) ST(to + v, L(from + v));
  }
}
INL int panel(const int left) { return left >= MR && (MR != 6 || left != 8) ? MR : 4; } /* rows of the next tile, as gemm has them */
INL void pack_left(const int k, const int m, const float *a, float *to) { /* [k][m] into panels [panel][k][rows]; whole vectors, the next one covers the excess */
  for (int i = 0, rows; i < m; i += rows) {
    const float *from = a + i; rows = panel(m - i);
    if (rows == MR) for (int l = 0; l < k; l++, from += m, to += MR) ST(to, L(from));
    else for (int l = 0; l < k; l++, from += m, to += 4) ST(to, L(from));
  }
}
INL void pack_columns(const int k, const int n, const float *b, float *to) { /* [n][k] into panels [n/NP][k][NP] */
  for (int j = 0; j < n; j += NP) for (int i = 0; i < k; i += W, to += W * NP) UNR for (int v = 0; v < NP; v += W) {
    vf x[W]; UNR for (int r = 0; r < W; r++) x[r] = L(b + (j + v + r) * k + i);
    transpose(x); UNR for (int r = 0; r < W; r++) ST(to + r * NP + v, x[r]);
  }
}
INL void deep(const int m, const int k, const int n, const float *a, const float *b, float *c) { /* vectors along k: 2 rows x 4 columns */
  for (int j = 0; j < n; j += 4) for (int i = 0; i < m; i += 2) {
    vf s[W] = {}; const float *x = a + i * k, *y = b + j * k; /* a sum a vector: first row, then second */
#if W == 4
    vf t[4] = {};
#else
    vf *t = s + 4;
#endif
    for (int l = 0; l < k; l += W, x += W, y += W) {
      PIN(x); PIN(y); vf u = L(x), v = L(x + k);
      UNR for (int r = 0; r < 4; r++) { vf z = L(y + r * k); s[r] = FMA(u, z, s[r]); t[r] = FMA(v, z, t[r]); }
    }
#if W == 4
    transpose(s); ST(c + i * n + j, (s[0] + s[1]) + (s[2] + s[3]));
    transpose(t); ST(c + (i + 1) * n + j, (t[0] + t[1]) + (t[2] + t[3]));
#else
    transpose(s); vf sums = ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
    _mm_storeu_ps(c + i * n + j, _mm256_castps256_ps128(sums)); _mm_storeu_ps(c + (i + 1) * n + j, _mm256_extractf128_ps(sums, 1));
#endif
  }
}
/* how each operand is read: where it lies, or packed first; the left one [m][k], or [k][m] if it is `across` */
INL void product(const int m, const int k, const int n, const int across, const int pa, const int pb) {
  if (pb == DEEP) { deep(m, k, n, k_a, k_b, k_c); return; }
  if (pb == PACKED) pack_rows(k, n, NP, k_b, k_pb);
  if (pb == TRANSPOSED) pack_columns(k, n, k_b, k_pb);
  const float *b = pb == PLAIN ? k_b : k_pb; const int bj = pb == PLAIN ? NP : k * NP, bk = pb == PLAIN ? n : NP;
  if (pa == PLAIN) { gemm(NV, m, n, k, k_a, across ? 1 : k, across ? m : 1, b, bj, bk, k_c, NP, n, 0, NONE, 0); return; }
  pack_left(k, m, k_a, k_pa);
  for (int j = 0; j < n / NP; j++) {
    int i = 0;
    for (; i < m && panel(m - i) == MR; i += MR) tile(MR, NV, k, k_pa + i * k, 1, MR, b + j * bj, bk, k_c + i * n + j * NP, n, 0, NONE, 0);
    if (MR != 4) for (; i < m; i += 4) tile(4, NV, k, k_pa + i * k, 1, 4, b + j * bj, bk, k_c + i * n + j * NP, n, 0, NONE, 0);
  }
}
#define PRODUCT(form, m, k, n, across, pa, pb) \
  NOI void form##_##m##x##k##x##n(void) { product(m, k, n, across, pa, pb); } \
  EXPORT(#form "_" #m "x" #k "x" #n) void run_##form##_##m##x##k##x##n(int turns) { while (turns--) { form##_##m##x##k##x##n(); k_a[0] = k_b[0] = .01f * k_c[0]; } }
PRODUCT(nn, 4, 64, 64, 0, PLAIN, PLAIN)
PRODUCT(nn, 128, 64, 64, 0, PLAIN, PLAIN)
PRODUCT(nn, 64, 128, 128, 0, PLAIN, PACKED)
PRODUCT(nn, 256, 256, 256, 0, PLAIN, PACKED)
PRODUCT(nt, 4, 64, 64, 0, PLAIN, DEEP)
PRODUCT(nt, 128, 64, 64, 0, PLAIN, TRANSPOSED)
PRODUCT(nt, 64, 128, 128, 0, PLAIN, TRANSPOSED)
PRODUCT(nt, 256, 256, 256, 0, PLAIN, TRANSPOSED)
PRODUCT(tn, 4, 64, 64, 1, PLAIN, PLAIN)
PRODUCT(tn, 128, 64, 64, 1, PACKED, PLAIN)
PRODUCT(tn, 64, 128, 128, 1, PACKED, PLAIN)
PRODUCT(tn, 256, 256, 256, 1, PACKED, PACKED)

/* ---- two tanh layers: x[128,64] W + b, the same weights twice ----------------------------------------------------- */
INL void tanh_pass(float *h, const int n) {
  TANH_C PIN(kp0); PIN(kp1); PIN(kp2); PIN(kp3); PIN(kq0); PIN(kq1); PIN(kq2); PIN(kq3); PIN(k1); PIN(k9);
  for (int i = 0; i < n; i += W) { vf x = L(h + i); TANH_BODY(x) ST(h + i, x); }
}
NOI void layer(const float *x, float *h) { gemm(NV, 128, 64, 64, x, 64, 1, k_b, NP, 64, h, NP, 64, k_bias, NONE, 0); tanh_pass(h, 128 * 64); }
EXPORT("tanh_layers") void run_tanh_layers(int turns) { while (turns--) { layer(k_a, k_h); layer(k_h, k_c); k_a[0] = .5f * k_c[0]; k_b[0] = .1f * k_c[0]; } }

/* ---- softmax over rows -------------------------------------------------------------------------------------------- */
#define PARTS (8 / W) /* vectors of a row of 8 */
INL void softmax_short(const int rows) { /* rows of 8, W rows at once */
  for (int i = 0; i < rows; i += W) {
    const float *from = k_a + i * 8; float *to = k_c + i * 8; vf x[PARTS][W], top, sum;
    UNR for (int p = 0; p < PARTS; p++) { UNR for (int r = 0; r < W; r++) x[p][r] = L(from + r * 8 + p * W); transpose(x[p]); }
    top = x[0][0]; UNR for (int p = 0; p < PARTS; p++) UNR for (int r = 0; r < W; r++) top = vmax(top, x[p][r]);
    UNR for (int p = 0; p < PARTS; p++) UNR for (int r = 0; r < W; r++) x[p][r] = vexp(x[p][r] - top);
    sum = (vf){}; UNR for (int p = 0; p < PARTS; p++) UNR for (int r = 0; r < W; r++) sum += x[p][r];
    sum = 1.f / sum; UNR for (int p = 0; p < PARTS; p++) UNR for (int r = 0; r < W; r++) x[p][r] *= sum;
    UNR for (int p = 0; p < PARTS; p++) { transpose(x[p]); UNR for (int r = 0; r < W; r++) ST(to + r * 8 + p * W, x[p][r]); }
  }
}
#if W == 4
INL vf fold_max(vf x) { x = vmax(x, SH(x, x, 2, 3, 0, 1)); return vmax(x, SH(x, x, 1, 0, 3, 2)); }
#else
INL vf fold_max(vf x) { x = vmax(x, SH(x, x, 4, 5, 6, 7, 0, 1, 2, 3)); x = vmax(x, SH(x, x, 2, 3, 0, 1, 6, 7, 4, 5)); return vmax(x, SH(x, x, 1, 0, 3, 2, 5, 4, 7, 6)); }
#endif
INL void softmax_long(const int rows, const int n) {
  for (int i = 0; i < rows; i++) {
    const float *from = k_a + i * n; float *to = k_c + i * n; vf t0 = L(from), t1 = L(from + W), sum = {}, scale;
    for (int j = 0; j < n; j += 2 * W) { t0 = vmax(t0, L(from + j)); t1 = vmax(t1, L(from + j + W)); }
    t0 = fold_max(vmax(t0, t1));
    for (int j = 0; j < n; j += W) { vf e = vexp(L(from + j) - t0); sum += e; ST(to + j, e); }
    scale = SPL(1 / vsum(sum)); for (int j = 0; j < n; j += W) ST(to + j, L(to + j) * scale);
  }
}
#define SOFTMAX(rows, n, body) \
  NOI void softmax_##rows##x##n(void) { body; } \
  EXPORT("softmax_" #rows "x" #n) void run_softmax_##rows##x##n(int turns) { while (turns--) { softmax_##rows##x##n(); k_a[0] = k_c[0]; } }
SOFTMAX(512, 8, softmax_short(512))
SOFTMAX(256, 128, softmax_long(256, 128))

/* ---- Adam --------------------------------------------------------------------------------------------------------- */
NOI void adam_turn(void) { k_adam.b1t *= .9f; k_adam.b2t *= .999f; adam_apply(&k_adam, k_p, k_g, 0, 0, PARAMS, 0, 1e-3f, 1); }
EXPORT("adam") void run_adam(int turns) { adam_init(&k_adam, k_m, k_v, PARAMS); while (turns--) { adam_turn(); k_g[0] = .1f * k_p[0]; } }

/* ---- random bits and permutations ----------------------------------------------------------------------------------- */
#define STREAMS 4 /* vectors at once, to hide the latency of the rounds */
#define EACH UNR for (int s = 0; s < STREAMS; s++) if (s < streams) /* a number, or it is not unrolled before arrays become registers */
INL void threefry(const int streams, u32 k0, u32 k1, vu *x0, vu *x1) { /* threefry2x32-20 in place */
  static const int R[8] = {13, 15, 26, 6, 17, 29, 16, 24};
  u32 ks[3] = {k0, k1, k0 ^ k1 ^ 0x1bd11bda};
  EACH { x0[s] += ks[0]; x1[s] += ks[1]; }
  UNR for (int g = 0; g < 5; g++) {
    UNR for (int i = 0; i < 4; i++) { int r = R[(g & 1) * 4 + i]; EACH { x0[s] += x1[s]; x1[s] = (x1[s] << r) | (x1[s] >> (32 - r)); x1[s] ^= x0[s]; } }
    EACH { x0[s] += ks[(g + 1) % 3]; x1[s] += ks[(g + 2) % 3] + g + 1; }
  }
}
NOI void random_bits(u32 k0, u32 k1, u32 *to, int n) {
  const int streams = STREAMS; vu first = {}; for (int i = 0; i < W; i++) first[i] = (u32)i;
  for (u32 at = 0; at < (u32)n; at += STREAMS * W) {
    vu x0[STREAMS], x1[STREAMS]; EACH { x0[s] = (vu){}; x1[s] = first + at + s * W; }
    threefry(streams, k0, k1, x0, x1); EACH *(vu *)(to + at + s * W) = x0[s] ^ x1[s];
  }
}
EXPORT("threefry") void run_threefry(int turns) { while (turns--) { random_bits(k_key[0], k_key[1], k_bits, WORDS); k_key[0] = k_bits[0]; k_key[1] = k_bits[1]; } }

/* k_perm = k_from in the order of k_bits: a stable radix sort of (key, position), lowest digit first */
INL void sort_by_bits(const int n, const int digit, const int passes) {
  static u32 table[4][2048]; const u32 size = 1u << digit, mask = size - 1;
  for (int p = 0; p < passes; p++) for (u32 i = 0; i < size; i++) table[p][i] = 0;
  for (int i = 0; i < n; i++) { u32 x = k_bits[i]; UNR for (int p = 0; p < passes; p++) table[p][x >> (p * digit) & mask]++; }
  for (int p = 0; p < passes; p++) { u32 sum = 0; for (u32 i = 0; i < size; i++) { u32 c = table[p][i]; table[p][i] = sum; sum += c; } }
  for (int i = 0; i < n; i++) { u32 x = k_bits[i]; k_pairs[0][table[0][x & mask]++] = (u64)x << 32 | (u32)i; }
  for (int p = 1; p < passes; p++) {
    const u64 *from = k_pairs[(p & 1) ^ 1]; u64 *to = k_pairs[p & 1];
    for (int i = 0; i < n; i++) {
      u64 x = from[i]; u32 at = table[p][(u32)(x >> (32 + p * digit)) & mask]++;
      if (p < passes - 1) to[at] = x; else k_perm[at] = k_from[(u32)x];
    }
  }
}
INL void permute(const int n, const int rounds, const int digit, const int passes) {
  u32 k0 = k_key[0], k1 = k_key[1];
  for (int i = 0; i < n; i++) k_from[i] = (u32)i;
  for (int r = 0; r < rounds; r++) {
    vu x0 = {}, x1 = {0, 1}; threefry(1, k0, k1, &x0, &x1); k0 = x0[0]; k1 = x1[0];
    random_bits(x0[1], x1[1], k_bits, n); sort_by_bits(n, digit, passes);
    if (r < rounds - 1) for (int i = 0; i < n; i++) k_from[i] = k_perm[i];
  }
}
#define PERMUTATION(n, rounds, digit, passes) \
  NOI void permutation_##n(void) { permute(n, rounds, digit, passes); } \
  EXPORT("permutation_" #n) void run_permutation_##n(int turns) { while (turns--) { permutation_##n(); k_key[0] = k_perm[0]; k_key[1] = k_perm[1]; } }
PERMUTATION(512, 1, 8, 4)
PERMUTATION(65536, 2, 11, 3)

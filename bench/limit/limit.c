/* The physical limit of three training loops (PPO and DQN on CartPole, SAC on Pendulum) by hand, float32, one thread.
 *   native: cc -O3 -march=native limit.c -lm         Wasm: clang --target=wasm32 -msimd128 -nostdlib (no libc at all)
 * Layout.  Activations are row-major [batch][feature] with a padded row; the hidden matrix W2 and its transpose are kept
 * in panels [n/NP][k][NP], so every tile walks memory in order and nothing is packed; W3 is kept transposed [out][h].
 * All three matrix products of a layer then have the form C[m][n..n+NP] += scalar A[m][k] * vector B[k][n..n+NP]:
 *   forward  H = X W         A = X  (unit stride in k)      B = W   panels
 *   input    dX = dY W^T     A = dY (unit stride in k)      B = W^T panels
 *   weight   dW = X^T dY     A = X  (unit stride in m)      B = dY
 * -DTHREEFRY: threefry2x32 as JAX does; -DPROF: times of the parts; -DNT=2: two threads for SAC; -DW=4: Wasm's shapes natively. */
#define INL static inline __attribute__((always_inline))
#define NOI static __attribute__((noinline))
#define AL static __attribute__((aligned(64)))
#ifdef __clang__
#define UNR _Pragma("unroll")
#else
#define UNR _Pragma("GCC unroll 16")
#endif
#ifndef NT
#define NT 1
#endif
#ifdef __wasm__
#define W 4
#define PIN(x) __asm__("" : "+r"(x)) /* opaque: pointers keep constant distances in the load's offset field, constants stay in locals */
#define EXPORT(n) __attribute__((export_name(n)))
#else
#include <immintrin.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifndef W
#define W 8
#endif
#define PIN(x)
#define EXPORT(n)
#endif
#ifndef MR
#define MR (W == 8 ? 6 : 4) /* register tile: MR rows x NV vectors */
#define NV 2
#endif
#define NP (NV * W)
#define MC 96 /* rows of A kept hot while all panels of B pass */
#define LD(h) ((h) + 16) /* padded activation row: no power-of-two stride */
typedef unsigned u32; typedef unsigned long long u64;
typedef float vf __attribute__((vector_size(4 * W)));
typedef float vfu __attribute__((vector_size(4 * W), aligned(4), may_alias));
typedef int vi __attribute__((vector_size(4 * W)));
typedef u32 vu __attribute__((vector_size(4 * W)));
#define L(p) (*(const vfu *)(p))
#define ST(p, x) (*(vfu *)(p) = (x))
#define SPL(x) ((float)(x) - (vf){}) /* a splat; x + 0 would cost an addition (-0) */
#define SEL(m, a, b) ((vf)(((vi)(m) & (vi)(a)) | (~(vi)(m) & (vi)(b))))
#ifdef __wasm__ /* pmin/pmax are one instruction on x64 and arm64, f32x4.min/max are five or more on x64 */
#define vmin(a, b) ((vf)__builtin_wasm_pmin_f32x4(a, b))
#define vmax(a, b) ((vf)__builtin_wasm_pmax_f32x4(a, b))
#define vsqrt(a) ((vf)__builtin_wasm_sqrt_f32x4(a))
#define sqrt1(x) __builtin_sqrtf(x)
#ifndef FLUSH
#define FLUSH(x) (((x) + 1e-25f) - 1e-25f) /* Wasm has no flush-to-zero mode: dead ReLU units leave denormals in Adam for good */
#endif
#ifdef RELAXED /* a*b+c in one instruction; clang up to 15 has it under another name and opcode, which build.mjs mends */
#if __has_builtin(__builtin_wasm_relaxed_madd_f32x4)
#define FMA(a, b, c) ((vf)__builtin_wasm_relaxed_madd_f32x4(a, b, c))
#else
#define FMA(a, b, c) ((vf)__builtin_wasm_fma_f32x4(a, b, c))
#endif
#else
#define FMA(a, b, c) ((c) + (a) * (b))
#endif
void *memcpy(void *d, const void *s, unsigned long n) { char *a = d; const char *b = s; while (n--) *a++ = *b++; return d; }
void *memset(void *d, int c, unsigned long n) { char *a = d; while (n--) *a++ = (char)c; return d; }
#else
#if W == 8
#define X86(op) _mm256_##op
#else
#define X86(op) _mm_##op
#endif
#define vmin(a, b) ((vf)X86(min_ps)(a, b))
#define vmax(a, b) ((vf)X86(max_ps)(a, b))
#define vsqrt(a) ((vf)X86(sqrt_ps)(a))
#define sqrt1(x) sqrtf(x)
#define FLUSH(x) (x) /* main sets the FTZ and DAZ modes */
#define FMA(a, b, c) ((vf)X86(fmadd_ps)(a, b, c))
#endif
#ifdef PROF
static u64 prof[8], prof_t;
#define TIC (prof_t = __rdtsc())
#define TOC(i) (prof[i] += __rdtsc() - prof_t, prof_t = __rdtsc())
#else
#define TIC
#define TOC(i)
#endif

/* ---- vector maths; relative error about 3e-7 ---------------------------------------------------------------- */
#define TANH_C vf kp0 = SPL(1.3354477523819241e-08f), kp1 = SPL(2.0608946215361357e-05f), kp2 = SPL(0.00349557981826365f), kp3 = SPL(0.13381019234657288f), k1 = SPL(1.f), \
  kq0 = SPL(7.776482107146876e-07f), kq1 = SPL(0.0003285621351096779f), kq2 = SPL(0.025876950472593307f), kq3 = SPL(0.46714335680007935f), k9 = SPL(9.f);
#define TANH_BODY(x) x = vmax(vmin(x, k9), -k9); vf u = x * x, p = FMA(FMA(FMA(FMA(kp0, u, kp1), u, kp2), u, kp3), u, k1), q = FMA(FMA(FMA(FMA(kq0, u, kq1), u, kq2), u, kq3), u, k1); x = x * p / q;
INL vf vtanh(vf x) { TANH_C TANH_BODY(x) return x; } /* x P(x^2) / Q(x^2) */
INL vf vexp(vf x) {
  x = vmax(vmin(x, SPL(88.f)), SPL(-87.f));
  vf t = FMA(x, SPL(1.44269504f), SPL(12582912.f)), n = t - 12582912.f; /* round by the magic number */
  vf r = FMA(n, SPL(-1.428606765330187e-06f), FMA(n, SPL(-0.693145751953125f), x));
  vf p = FMA(FMA(FMA(FMA(SPL(0.001381461275741458f), r, SPL(0.008368710055947304f)), r, SPL(0.04166838899254799f)), r, SPL(0.1666652113199234f)), r, SPL(0.4999999403953552f));
  return FMA(r * r, p, r + 1.f) * (vf)(((vi)t << 23) + 0x3f800000);
}
INL vf vlog(vf x) { /* x normal and > 0 */
  vi i = (vi)x - 0x3f3504f3, e = i >> 23;
  vf f = (vf)((vi)x - (e << 23)) - 1.f, s = f / (f + 2.f), z = s * s;
  vf p = FMA(FMA(SPL(0.2987142503261566f), z, SPL(0.39977556467056274f)), z, SPL(0.6666677594184875f));
  vf ef = (vf)((e & 0x7fffff) ^ 0x4b400000) - 12582912.f;
  return FMA(ef, SPL(0.693145751953125f), FMA(ef, SPL(1.428606765330187e-06f), FMA(s * z, p, s + s)));
}
INL void vsincos(vf x, vf *sn, vf *cs) {
  vf t = FMA(x, SPL(0.636619772f), SPL(12582912.f)), n = t - 12582912.f;
  vf r = FMA(n, SPL(-7.549790126404332e-08f), FMA(n, SPL(-0.0004837512969970703f), FMA(n, SPL(-1.5703125f), x))), z = r * r;
  vf s = FMA(r * z, FMA(FMA(SPL(-0.00019508725381456316f), z, SPL(0.008332112804055214f)), z, SPL(-0.16666653752326965f)), r);
  vf c = FMA(z * z, FMA(FMA(SPL(2.4431192287011072e-05f), z, SPL(-0.0013887305976822972f)), z, SPL(0.04166664555668831f)), FMA(z, SPL(-.5f), SPL(1.f)));
  vi q = (vi)t, odd = (q & 1) != 0;
  *sn = (vf)((vi)SEL(odd, c, s) ^ ((q & 2) << 30));
  *cs = (vf)((vi)SEL(odd, s, c) ^ (((q + 1) & 2) << 30));
}
INL float vsum(vf a) { float s = 0; for (int i = 0; i < W; i++) s += a[i]; return s; }

/* ---- random numbers ----------------------------------------------------------------------------------------- */
static u32 rbuf[W], rpos;
#ifdef THREEFRY
static u32 tk0, tk1, tctr; static volatile u32 sink;
NOI vu rnd(void) { /* threefry2x32-20, W counters at once, one word a block (jax_threefry_partitionable) */
  vu x0 = {}, x1 = {}; u32 ks[3] = {tk0, tk1, tk0 ^ tk1 ^ 0x1bd11bda};
  static const int R[8] = {13, 15, 26, 6, 17, 29, 16, 24};
  for (int i = 0; i < W; i++) x1[i] = tctr++;
  x0 += ks[0]; x1 += ks[1];
  UNR for (int g = 0; g < 5; g++) {
    UNR for (int i = 0; i < 4; i++) { int r = R[(g & 1) * 4 + i]; x0 += x1; x1 = (x1 << r) | (x1 >> (32 - r)); x1 ^= x0; }
    x0 += ks[(g + 1) % 3]; x1 += ks[(g + 2) % 3] + g + 1;
  }
  return x0 ^ x1;
}
static void seed(u32 s) { tk0 = 0; tk1 = s; tctr = 0; rpos = W; }
#define SKIP(n) for (int i_ = 0; i_ < (n); i_ += W) sink ^= rnd()[0] /* key splits and draws JAX makes and drops */
#define ALWAYS 1
#else
static vu xs[4];
#define rotl(x, r) (((x) << r) | ((x) >> (32 - r)))
NOI vu rnd(void) { /* xoshiro128++, W streams */
  vu r = rotl(xs[0] + xs[3], 7) + xs[0], t = xs[1] << 9;
  xs[2] ^= xs[0]; xs[3] ^= xs[1]; xs[1] ^= xs[2]; xs[0] ^= xs[3]; xs[2] ^= t; xs[3] = rotl(xs[3], 11);
  return r;
}
static void seed(u32 s) {
  u64 z = s * 0x9e3779b97f4a7c15ull;
  for (int j = 0; j < 4; j++) for (int i = 0; i < W; i++) {
    u64 x = z += 0x9e3779b97f4a7c15ull; x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull; x = (x ^ (x >> 27)) * 0x94d049bb133111ebull; xs[j][i] = (u32)(x >> 31); }
  rpos = W;
}
#define SKIP(n)
#define ALWAYS 0
#endif
INL u32 r32(void) { if (rpos == W) { vu r = rnd(); for (int i = 0; i < W; i++) rbuf[i] = r[i]; rpos = 0; } return rbuf[rpos++]; }
INL u32 below(u32 n) { return (u32)(((u64)r32() * n) >> 32); }
INL vf uni(void) { return (vf)((rnd() >> 9) | 0x3f800000) - 1.f; }
INL float uni1(void) { return (r32() >> 8) * (1.f / 16777216); }
INL void normal2(vf *a, vf *b) { /* Box-Muller */
  vf r = vsqrt(-2.f * vlog(uni() + 1e-7f)), s, c; vsincos(uni() * 6.2831853f, &s, &c); *a = r * s; *b = r * c;
}

/* ---- matrix product ------------------------------------------------------------------------------------------ */
enum { NONE, RELU, TANH, DRELU, DTANH };
/* named accumulators, not an array: neither compiler has to be trusted to unroll before it allocates registers */
#define ROW(X, m) X(m, 0) X(m, 1) X(m, 2) X(m, 3)
#define TILE_EACH(X) ROW(X, 0) ROW(X, 1) ROW(X, 2) ROW(X, 3) ROW(X, 4) ROW(X, 5) ROW(X, 6) ROW(X, 7)
#define T_INIT(m, v) vf r##m##v = m < mr && v < nv && bias ? (vf)L(bias + v * W) : (vf){};
#define T_B(v) vf b##v; if (v < nv) b##v = L(b + v * W);
#define T_FMA(m, v) if (m < mr && v < nv) r##m##v = FMA(a##m, b##v, r##m##v);
#define T_ROW(m) vf a##m; if (m < mr) a##m = SPL(a[m * am]); ROW(T_FMA, m)
#define T_END(m, v) if (m < mr && v < nv) ST(c + m * cm + v * W, finish(r##m##v, epi, aux + m * cm + v * W));
INL vf finish(vf x, const int epi, const float *aux) {
  if (epi == RELU) x = vmax(x, (vf){});
  if (epi == DRELU) x = (vf)((vi)x & (L(aux) > 0.f));
  if (epi == DTANH) { vf h = L(aux); x = FMA(-x * h, h, x); }
  return x;
}
INL void tile(const int mr, const int nv, const int K, const float *a, const int am, const int ak, const float *b, const int bk,
              float *c, const int cm, const float *bias, const int epi, const float *aux) {
  TILE_EACH(T_INIT)
  for (int i = 0; i < K; i++, a += ak, b += bk) { /* one step a turn: a longer block makes TurboFan (node 20) hoist its loads and spill */
    PIN(a); PIN(b); T_B(0) T_B(1) T_B(2) T_B(3) T_ROW(0) T_ROW(1) T_ROW(2) T_ROW(3) T_ROW(4) T_ROW(5) T_ROW(6) T_ROW(7)
  }
  TILE_EACH(T_END)
}
/* C[M][N] = epi(bias + A B); bj, cj: distance between panels of nv vectors; am, ak, bk, cm: strides. All sizes constant. */
INL void gemm(const int nv, const int M, const int N, const int K, const float *a, const int am, const int ak, const float *b, const int bj,
              const int bk, float *c, const int cj, const int cm, const float *bias, const int epi, const float *aux) {
  for (int i0 = 0; i0 < M; i0 += MC)
    for (int j = 0; j < N / (nv * W); j++) {
      int i = i0, end = i0 + MC < M ? i0 + MC : M;
#define TILE(mr) tile(mr, nv, K, a + i * am, am, ak, b + j * bj, bk, c + j * cj + i * cm, cm, bias ? bias + j * nv * W : 0, epi, epi >= DRELU ? aux + j * cj + i * cm : 0)
      if (M >= MR) for (; end - i >= MR && (MR != 6 || end - i != 8); i += MR) TILE(MR);
      if (M >= 4 && (M % MR || MC % MR)) for (; end - i >= 4; i += 4) TILE(4);
      if (M == 3 || M % 4 == 3) for (; end - i >= 3; i += 3) TILE(3);
      if (M == 2 || M % 4 == 2) for (; end - i >= 2; i += 2) TILE(2);
      if (M == 1 || M % 4 == 1) for (; end - i >= 1; i++) TILE(1);
    }
}
INL void transpose(vf *x) {
#define SH __builtin_shufflevector
  vf t[W];
#if W == 8
  for (int i = 0; i < 8; i += 2) { t[i] = SH(x[i], x[i + 1], 0, 8, 1, 9, 4, 12, 5, 13); t[i + 1] = SH(x[i], x[i + 1], 2, 10, 3, 11, 6, 14, 7, 15); }
  for (int i = 0; i < 8; i += 4) for (int j = 0; j < 2; j++) {
    x[i + 2 * j] = SH(t[i + j], t[i + j + 2], 0, 1, 8, 9, 4, 5, 12, 13); x[i + 2 * j + 1] = SH(t[i + j], t[i + j + 2], 2, 3, 10, 11, 6, 7, 14, 15); }
  for (int i = 0; i < 4; i++) { t[i] = SH(x[i], x[i + 4], 0, 1, 2, 3, 8, 9, 10, 11); t[i + 4] = SH(x[i], x[i + 4], 4, 5, 6, 7, 12, 13, 14, 15); }
  for (int i = 0; i < 8; i++) x[i] = t[i];
#else
  for (int i = 0; i < 4; i += 2) { t[i] = SH(x[i], x[i + 1], 0, 4, 1, 5); t[i + 1] = SH(x[i], x[i + 1], 2, 6, 3, 7); }
  for (int j = 0; j < 2; j++) { x[2 * j] = SH(t[j], t[j + 2], 0, 1, 4, 5); x[2 * j + 1] = SH(t[j], t[j + 2], 2, 3, 6, 7); }
#endif
}

/* ---- three-layer MLP: [W1 | b1 | W2 panels | b2 | W3^T | b3 (16)] in one flat array ----------------------------- */
#define O_B1(i, h) ((i) * (h)) /* offsets; i inputs, h hidden, o outputs */
#define O_W2(i, h) (O_B1(i, h) + (h))
#define O_B2(i, h) (O_W2(i, h) + (h) * (h))
#define O_W3(i, h) (O_B2(i, h) + (h))
#define O_B3(i, h, o) (O_W3(i, h) + (o) * (h))
#define NPAR(i, h, o) (O_B3(i, h, o) + 16)
#define W2AT(h, k, n) ((n) / NP * (h) * NP + (k) * NP + (n) % NP)
INL void tanh_rows(const int B, const int H, float *h) { /* a pass of its own, constants in registers: faster in V8 than in the tile's end */
  TANH_C PIN(kp0); PIN(kp1); PIN(kp2); PIN(kp3); PIN(kq0); PIN(kq1); PIN(kq2); PIN(kq3); PIN(k1); PIN(k9);
  for (int b = 0; b < B; b++, h += LD(H)) for (int j = 0; j < H; j += W) { vf x = L(h + j); TANH_BODY(x) ST(h + j, x); }
}
INL void net_fwd(const int I, const int H, const int O, const int act, const int B, const float *p, const float *x, float *h1, float *h2, float *y, const int ldy) {
  TIC; gemm(NV, B, H, I, x, 4, 1, p, NP, H, h1, NP, LD(H), p + O_B1(I, H), act, 0); TOC(1); if (act == TANH) tanh_rows(B, H, h1); TOC(4);
  gemm(NV, B, H, H, h1, LD(H), 1, p + O_W2(I, H), H * NP, NP, h2, NP, LD(H), p + O_B2(I, H), act, 0); TOC(0); if (act == TANH) tanh_rows(B, H, h2); TOC(4);
  for (int b = 0; b < B; b += W) UNR for (int o = 0; o < O; o++) { /* y^T[o][b]: dot products, W rows at once */
    vf s[W]; UNR for (int r = 0; r < W; r++) s[r] = (vf){};
    for (int k = 0; k < H; k += W) { vf w = L(p + O_W3(I, H) + o * H + k); UNR for (int r = 0; r < W; r++) s[r] = FMA(L(h2 + (b + r) * LD(H) + k), w, s[r]); }
    transpose(s); vf t = s[0]; UNR for (int r = 1; r < W; r++) t += s[r];
    ST(y + o * ldy + b, t + p[O_B3(I, H, O) + o]);
  } TOC(1);
}
INL void colsum(const int B, const int H, const float *d, float *g) {
  for (int j = 0; j < H; j += 4 * W) { vf s[4] = {}; for (int b = 0; b < B; b++) UNR for (int v = 0; v < 4; v++) s[v] += L(d + b * LD(H) + j + v * W);
    UNR for (int v = 0; v < 4; v++) ST(g + j + v * W, s[v]); }
}
/* d1 (the gradient at the first hidden layer) from dy^T; weight gradients into g when g is given */
INL void net_bwd(const int I, const int H, const int O, const int dact, const int B, const float *p, const float *w2t, const float *x, const float *h1,
                 const float *h2, const float *dy, const int ldy, float *d1, float *d2, float *g) {
  TIC; gemm(NV, B, H, O, dy, 1, ldy, p + O_W3(I, H), NP, H, d2, NP, LD(H), 0, dact, h2); TOC(1);
  gemm(NV, B, H, H, d2, LD(H), 1, w2t, H * NP, NP, d1, NP, LD(H), 0, dact, h1); TOC(0);
  if (!g) return;
  gemm(NV, H, H, B, h1, 1, LD(H), d2, NP, LD(H), g + O_W2(I, H), H * NP, NP, 0, NONE, 0); TOC(0);
  gemm(4, O, H, B, dy, ldy, 1, h2, 4 * W, LD(H), g + O_W3(I, H), 4 * W, H, 0, NONE, 0);
  gemm(NV, I, H, B, x, 1, 4, d1, NP, LD(H), g, NP, H, 0, NONE, 0);
  colsum(B, H, d1, g + O_B1(I, H)); colsum(B, H, d2, g + O_B2(I, H));
  for (int o = 0; o < O; o++) { vf s = {}; for (int b = 0; b < B; b += W) s += L(dy + o * ldy + b); g[O_B3(I, H, O) + o] = vsum(s); }
  TOC(1);
}
INL void w2_transpose(const int H, const float *w, float *wt) {
  TIC; for (int n = 0; n < H; n += W) for (int k = 0; k < H; k += W) {
    vf x[W]; UNR for (int r = 0; r < W; r++) x[r] = L(w + W2AT(H, k + r, n));
    transpose(x); UNR for (int r = 0; r < W; r++) ST(wt + W2AT(H, n + r, k), x[r]);
  } TOC(3);
}
NOI void orth(float *dst, int rows, int cols, int kind, float scale) { /* kind 0: [r][c], 1: W2 panels, 2: transposed */
  static float q[256 * 256]; int n = rows < cols ? rows : cols, len = rows < cols ? cols : rows;
  for (int i = 0; i < n; i++) {
    float *v = q + i * 256; vf a, b, s = {};
    for (int j = 0; j < 256; j += 2 * W) { normal2(&a, &b); ST(v + j, a); ST(v + j + W, b); }
    for (int j = len; j < 256; j++) v[j] = 0;
    for (int k = 0; k < i; k++) { vf d = {}; float *u = q + k * 256; for (int j = 0; j < len; j += W) d += L(v + j) * L(u + j);
      vf t = SPL(vsum(d)); for (int j = 0; j < len; j += W) ST(v + j, L(v + j) - t * L(u + j)); }
    for (int j = 0; j < len; j += W) s += L(v + j) * L(v + j);
    float inv = 1.f / sqrt1(vsum(s)); for (int j = 0; j < len; j++) v[j] *= inv;
  }
  for (int r = 0; r < rows; r++) for (int c = 0; c < cols; c++)
    dst[kind == 0 ? r * cols + c : kind == 1 ? W2AT(cols, r, c) : c * rows + r] = scale * (rows < cols ? q[r * 256 + c] : q[c * 256 + r]);
}
NOI void net_init(float *p, int I, int H, int O, float last) {
  for (int i = 0; i < NPAR(I, H, O); i++) p[i] = 0;
  orth(p, I, H, 0, 1.41421356f); orth(p + O_W2(I, H), H, H, 1, 1.41421356f); orth(p + O_W3(I, H), H, O, 2, last);
}

/* ---- Adam with a global-norm clip (and, for SAC, the target average in the same pass) ---------------------------- */
typedef struct { float *m, *v; float b1t, b2t; } Adam;
static void adam_init(Adam *o, float *m, float *v, int n) { *o = (Adam){m, v, 1, 1}; for (int i = 0; i < n; i++) m[i] = v[i] = 0; }
INL float sumsq(const float *g, int n) { vf s = {}, t = {}; for (int i = 0; i < n; i += 2 * W) { vf a = L(g + i), b = L(g + i + W); s = FMA(a, a, s); t = FMA(b, b, t); } return vsum(s + t); }
INL void adam_apply(Adam *o, float *p, const float *g, float *tp, int lo, int hi, float norm2, float lr, float clip) {
  float sc = clip / (sqrt1(norm2) + 1e-6f); if (sc > 1) sc = 1;
  vf s = SPL(.1f * sc), s2 = SPL(.001f * sc * sc), a = SPL(lr / (1 - o->b1t)), c2 = SPL(1 / (1 - o->b2t)), k9 = SPL(.9f), k999 = SPL(.999f), eps = SPL(1e-5f), k005 = SPL(.005f), k995 = SPL(.995f);
  PIN(k9); PIN(k999); PIN(eps); PIN(k005); PIN(k995);
  for (int i = lo; i < hi; i += W) {
    vf gi = L(g + i), m = FLUSH(FMA(s, gi, k9 * L(o->m + i))), v = FLUSH(FMA(s2 * gi, gi, k999 * L(o->v + i)));
    vf x = L(p + i) - a * m / (vsqrt(v * c2) + eps);
    ST(o->m + i, m); ST(o->v + i, v); ST(p + i, x);
    if (tp) ST(tp + i, FMA(k005, x, k995 * L(tp + i)));
  }
}
INL void adam(Adam *o, float *p, const float *g, float *tp, int n, float lr, float clip) {
  TIC; o->b1t *= .9f; o->b2t *= .999f; adam_apply(o, p, g, tp, 0, n, sumsq(g, n), lr, clip); TOC(2);
}

/* ---- CartPole, W environments a vector ---------------------------------------------------------------------------- */
typedef struct { vf s[4], t; } Cart;
INL void cp_reset(Cart *e, vi m) { for (int i = 0; i < 4; i++) e->s[i] = SEL(m, uni() * .1f - .05f, e->s[i]); e->t = SEL(m, SPL(0), e->t); }
INL vi cp_step(Cart *e, vi right, const vi live) { /* -> done, before the reset */
  vf x = e->s[0], xd = e->s[1], th = e->s[2], thd = e->s[3], f = SEL(right, SPL(10), SPL(-10)), sn, c;
  vsincos(th, &sn, &c);
  vf tmp = (f + .05f * thd * thd * sn) * (1 / 1.1f);
  vf tha = (9.8f * sn - c * tmp) / (.5f * (4.f / 3 - c * c * (.1f / 1.1f))), xa = tmp - tha * c * (.05f / 1.1f);
  e->s[0] = x + .02f * xd; e->s[1] = xd + .02f * xa; e->s[2] = th + .02f * thd; e->s[3] = thd + .02f * tha; e->t = e->t + 1.f;
  vi d = (e->s[0] * e->s[0] > 5.76f) | (e->s[2] * e->s[2] > .20943951f * .20943951f) | (e->t >= 500.f), any = d & live;
  int n = 0; for (int i = 0; i < W; i++) n |= any[i];
  if (ALWAYS || n) cp_reset(e, d);
  return d;
}
static vi first(int n) { vi m; for (int i = 0; i < W; i++) m[i] = i < n ? -1 : 0; return m; }

/* ---- PPO ------------------------------------------------------------------------------------------------------------ */
#define ENVS 4
#define T 128
#define N (ENVS * T)
#define MB 128
#define PA NPAR(4, 64, 2)
#define PP (PA + NPAR(4, 64, 1))
AL float pp[PP], pg[PP], pm[PP], pv[PP], pw2t[2][64 * 64], ph[2][2][MB * LD(64)], pd1[MB * LD(64)], pd2[MB * LD(64)], plog[2 * MB], pval[MB + W], pdl[2 * MB], pdv[MB];
AL float ro_x[N * 4], ro_lp[N + W], ro_v[N + W + ENVS], ro_adv[N], ro_ret[N], mb_x[MB * 4], mb_a[MB], mb_lp[MB], mb_adv[MB], mb_ret[MB];
static int ro_a[N + W], ro_d[N + W], perm[N], ppo_n; static float ppo_len[256]; static Adam po; static Cart pe;
#define PPO_FWD(name, B) NOI void name(const float *x) { \
  net_fwd(4, 64, 2, TANH, B, pp, x, ph[0][0], ph[0][1], plog, MB); net_fwd(4, 64, 1, TANH, B, pp + PA, x, ph[1][0], ph[1][1], pval, MB); }
PPO_FWD(ppo_fwd4, 4)
PPO_FWD(ppo_fwd, MB)
NOI void ppo_bwd(void) {
  net_bwd(4, 64, 2, DTANH, MB, pp, pw2t[0], mb_x, ph[0][0], ph[0][1], pdl, MB, pd1, pd2, pg);
  net_bwd(4, 64, 1, DTANH, MB, pp + PA, pw2t[1], mb_x, ph[1][0], ph[1][1], pdv, MB, pd1, pd2, pg + PA);
}
NOI void ppo_loss(void) {
  vf s = {}, q = {}; float mean, inv;
  for (int b = 0; b < MB; b += W) s += L(mb_adv + b);
  mean = vsum(s) / MB;
  for (int b = 0; b < MB; b += W) { vf d = L(mb_adv + b) - mean; q += d * d; }
  inv = 1 / (sqrt1(vsum(q) / MB) + 1e-8f);
  for (int b = 0; b < MB; b += W) {
    vf l0 = L(plog + b), l1 = L(plog + MB + b), m = vmax(l0, l1), lse = m + vlog(vexp(l0 - m) + vexp(l1 - m)), ad = (L(mb_adv + b) - mean) * inv;
    vf g0 = l0 - lse, g1 = l1 - lse, p0 = vexp(g0), p1 = vexp(g1), a = L(mb_a + b), ent = -(p0 * g0 + p1 * g1);
    vf r = vexp(SEL(a > .5f, g1, g0) - L(mb_lp + b)), cl = vmin(vmax(r, SPL(.8f)), SPL(1.2f));
    vf gn = (vf)((vi)(-ad * r * (1.f / MB)) & (r * ad <= cl * ad)), e = SPL(.01f / MB);
    ST(pdl + b, gn * ((1.f - a) - p0) + e * p0 * (g0 + ent)); ST(pdl + MB + b, gn * (a - p1) + e * p1 * (g1 + ent));
    ST(pdv + b, (L(pval + b) - L(mb_ret + b)) * (.5f / MB));
  }
}
INL void ppo_grad(void) { ppo_fwd(mb_x); ppo_loss(); ppo_bwd(); }
NOI void ppo_wt(void) { w2_transpose(64, pp + O_W2(4, 64), pw2t[0]); w2_transpose(64, pp + PA + O_W2(4, 64), pw2t[1]); }
NOI void ppo_adam(void) { adam(&po, pp, pg, 0, PP, 2.5e-4f, .5f); }
NOI void ppo_rollout(void) {
  const vi live = first(ENVS); int nd = 0;
  for (int t = 0; t < T; t++) {
    float *x = ro_x + t * ENVS * 4;
    SKIP(3 + 8 - 4 + 4);
    for (int e = 0; e < ENVS; e++) for (int j = 0; j < 4; j++) x[e * 4 + j] = pe.s[j][e];
    ppo_fwd4(x);
    vf l0 = L(plog), l1 = L(plog + MB), m = vmax(l0, l1), lse = m + vlog(vexp(l0 - m) + vexp(l1 - m)), v = L(pval);
    vi a = uni() < vexp(l1 - lse); vf lp = SEL(a, l1, l0) - lse;
    vi d = cp_step(&pe, a, live);
    for (int e = 0; e < ENVS; e++) { ro_a[t * ENVS + e] = -a[e]; ro_lp[t * ENVS + e] = lp[e]; ro_v[t * ENVS + e] = v[e]; ro_d[t * ENVS + e] = -d[e]; nd -= d[e]; }
  }
  float x[16], adv[ENVS] = {0}, nv[ENVS];
  for (int e = 0; e < ENVS; e++) for (int j = 0; j < 4; j++) x[e * 4 + j] = pe.s[j][e];
  ppo_fwd4(x); for (int e = 0; e < ENVS; e++) nv[e] = pval[e];
  for (int i = N - ENVS; i >= 0; i -= ENVS) for (int e = 0; e < ENVS; e++) {
    float k = 1.f - (float)ro_d[i + e], v = ro_v[i + e];
    adv[e] = 1.f + .99f * nv[e] * k - v + .99f * .95f * k * adv[e]; nv[e] = v; ro_adv[i + e] = adv[e]; ro_ret[i + e] = adv[e] + v;
  }
  ppo_len[ppo_n++ % 256] = (float)N / (nd > 1 ? nd : 1);
}
NOI void ppo_gather(const int *ix) {
  for (int b = 0; b < MB; b++) {
    int i = ix[b]; for (int j = 0; j < 4; j++) mb_x[b * 4 + j] = ro_x[i * 4 + j];
    mb_a[b] = (float)ro_a[i]; mb_lp[b] = ro_lp[i]; mb_adv[b] = ro_adv[i]; mb_ret[b] = ro_ret[i];
  }
}
NOI void ppo_update(void) {
  ppo_rollout();
  for (int ep = 0; ep < 4; ep++) {
    SKIP(4);
    for (int i = 0; i < N; i++) perm[i] = i;
    for (int i = N - 1; i > 0; i--) { int j = (int)below((u32)i + 1), t = perm[i]; perm[i] = perm[j]; perm[j] = t; }
    for (int k = 0; k < N; k += MB) { ppo_gather(perm + k); ppo_grad(); ppo_adam(); ppo_wt(); }
  }
}
EXPORT("ppo_init") void ppo_init(u32 s) {
  seed(s); net_init(pp, 4, 64, 2, .01f); net_init(pp + PA, 4, 64, 1, 1.f); adam_init(&po, pm, pv, PP); ppo_wt();
  pe = (Cart){0}; cp_reset(&pe, first(W)); ppo_n = 0;
}
EXPORT("ppo") void ppo(int updates) { for (int u = 0; u < updates; u++) ppo_update(); }
EXPORT("ppo_check") double ppo_check(void) { double s = 0; for (int i = ppo_n - 5; i < ppo_n; i++) s += ppo_len[i % 256]; return s / 5; }

/* ---- DQN ------------------------------------------------------------------------------------------------------------ */
#define CAP 100000
#define QB 64
#define PQ NPAR(4, 128, 2)
AL float qp[PQ], qt[PQ], qg[PQ], qm[PQ], qv[PQ], qw2t[128 * 128], qh[2][QB * LD(128)], qd1[QB * LD(128)], qd2[QB * LD(128)], qy[2 * QB], qty[2 * QB], qdy[2 * QB];
AL float rb_o[CAP][4], rb_n[CAP][4], rb_a[CAP], rb_r[CAP], rb_d[CAP], b_o[256 * 4], b_n[256 * 4], b_a[256], b_r[256], b_d[256];
static Adam qo; static Cart qe; static int q_i;
NOI void dqn_fwd1(const float *x) { net_fwd(4, 128, 2, RELU, 1, qp, x, qh[0], qh[1], qy, QB); }
NOI void dqn_grad(void) {
  net_fwd(4, 128, 2, RELU, QB, qt, b_n, qh[0], qh[1], qty, QB);
  net_fwd(4, 128, 2, RELU, QB, qp, b_o, qh[0], qh[1], qy, QB);
  for (int b = 0; b < QB; b += W) {
    vf y = L(b_r + b) + .99f * (1.f - L(b_d + b)) * vmax(L(qty + b), L(qty + QB + b)), q0 = L(qy + b), q1 = L(qy + QB + b);
    vi a = L(b_a + b) > .5f; vf d = (SEL(a, q1, q0) - y) * (2.f / QB);
    ST(qdy + b, (vf)((vi)d & ~a)); ST(qdy + QB + b, (vf)((vi)d & a));
  }
  net_bwd(4, 128, 2, DRELU, QB, qp, qw2t, b_o, qh[0], qh[1], qdy, QB, qd1, qd2, qg);
}
NOI void dqn_wt(void) { w2_transpose(128, qp + O_W2(4, 128), qw2t); }
NOI void dqn_adam(void) { adam(&qo, qp, qg, 0, PQ, 1e-3f, 10.f); }
INL void gather(int n, int size) {
  for (int b = 0; b < n; b++) {
    int i = (int)below((u32)size); for (int j = 0; j < 4; j++) { b_o[b * 4 + j] = rb_o[i][j]; b_n[b * 4 + j] = rb_n[i][j]; }
    b_a[b] = rb_a[i]; b_r[b] = rb_r[i]; b_d[b] = rb_d[i];
  }
}
NOI void dqn_step(void) {
  int i = q_i++, j = i % CAP; float x[4]; float eps = 1 - (float)i / 50000 * .99f; if (eps < .01f) eps = .01f;
  SKIP(5 + 2 + 2 + 66);
  for (int k = 0; k < 4; k++) rb_o[j][k] = x[k] = qe.s[k][0];
  dqn_fwd1(x);
  int rd = (int)(r32() >> 31), a = uni1() < eps ? rd : qy[QB] > qy[0], d = -cp_step(&qe, (vi){} - a, first(1))[0];
  for (int k = 0; k < 4; k++) rb_n[j][k] = qe.s[k][0];
  rb_a[j] = (float)a; rb_r[j] = 1; rb_d[j] = (float)d;
  if (i >= 1000) { gather(QB, i + 1 < CAP ? i + 1 : CAP); dqn_grad(); dqn_adam(); dqn_wt(); }
  if (i % 1000 == 0) for (int k = 0; k < PQ; k++) qt[k] = qp[k];
}
EXPORT("dqn_init") void dqn_init(u32 s) {
  seed(s); net_init(qp, 4, 128, 2, 1.f); adam_init(&qo, qm, qv, PQ); dqn_wt(); for (int k = 0; k < PQ; k++) qt[k] = qp[k];
  qe = (Cart){0}; cp_reset(&qe, first(W)); q_i = 0;
}
EXPORT("dqn") void dqn(int steps) { for (int i = 0; i < steps; i++) dqn_step(); }
EXPORT("dqn_check") double dqn_check(void) { /* mean length of 20 greedy episodes */
  int eps = 0, n = 0; cp_reset(&qe, first(W));
  for (; eps < 20; n++) { float x[4]; for (int k = 0; k < 4; k++) x[k] = qe.s[k][0]; dqn_fwd1(x); eps -= cp_step(&qe, (vi){} - (qy[QB] > qy[0]), first(1))[0]; }
  return n / 20.0;
}

/* ---- SAC ------------------------------------------------------------------------------------------------------------ */
#define SB 256
#define RW (SB / NT) /* rows a thread */
#define PSA NPAR(3, 256, 2)
#define PSC NPAR(4, 256, 1)
AL float sa[PSA], sam[PSA], sav[PSA], sag[NT][PSA], sc[2 * PSC], st[2 * PSC], scm[2 * PSC], scv[2 * PSC], scg[NT][2 * PSC], sawt[65536], scwt[2][65536];
AL float sh[NT][3][2][RW * LD(256)], sd1[NT][RW * LD(256)], sd2[NT][RW * LD(256)], s_y[SB], s_q[2][SB + W], s_ml[2 * SB], s_dml[2 * SB], s_dq[2][SB], s_e[2][SB], s_a[SB], s_lp[SB], s_u[SB], s_one[2 * W + 16];
static Adam sao, sco; static float la, lam, lav, s_th, s_thd, s_norm[NT]; static int s_i, s_t; static float s_rew[1 << 16];
#if NT > 1
static volatile int bar_n, bar_g;
static void barrier(void) { int g = bar_g; if (__atomic_add_fetch(&bar_n, 1, __ATOMIC_ACQ_REL) == NT) { bar_n = 0; __atomic_store_n(&bar_g, g + 1, __ATOMIC_RELEASE); }
  else while (__atomic_load_n(&bar_g, __ATOMIC_ACQUIRE) == g) __builtin_ia32_pause(); }
#else
#define barrier()
#endif
#define SAC_FWD(name, I, O, B) NOI void name(const float *p, const float *x, float *h1, float *h2, float *y) { net_fwd(I, 256, O, RELU, B, p, x, h1, h2, y, SB); }
SAC_FWD(sac_actor1, 3, 2, 1)
SAC_FWD(sac_actor, 3, 2, RW)
SAC_FWD(sac_q, 4, 1, RW)
NOI void sac_q_bwd(int t, int k, const float *x, const float *h1, const float *h2, const float *dq, float *g) {
  net_bwd(4, 256, 1, DRELU, RW, sc + k * PSC, scwt[k], x, h1, h2, dq, SB, sd1[t], sd2[t], g); }
NOI void sac_q_bwd_x(int t, int k, const float *h1, const float *h2, const float *dq) {
  net_bwd(4, 256, 1, DRELU, RW, sc + k * PSC, scwt[k], 0, h1, h2, dq, SB, sd1[t], sd2[t], 0); }
NOI void sac_a_bwd(int t, const float *x, const float *h1, const float *h2, const float *d, float *g) {
  net_bwd(3, 256, 2, DRELU, RW, sa, sawt, x, h1, h2, d, SB, sd1[t], sd2[t], g); }
INL void squash(int n, const float *ml, const float *e, float *u, float *a, float *lp) {
  for (int b = 0; b < n; b += W) {
    vf mu = L(ml + b), ls = vmin(vmax(L(ml + SB + b), SPL(-20)), SPL(2)), ev = L(e + b), uv = FMA(vexp(ls), ev, mu), z = -2.f * uv;
    vf sp = vmax(z, SPL(0)) + vlog(1.f + vexp(vmin(z, -z)));
    ST(u + b, uv); ST(a + b, vtanh(uv)); ST(lp + b, -.5f * ev * ev - ls - .9189385f - 2.f * (.69314718f - uv - sp));
  }
}
NOI void sac_critic_grad(int t) {
  int lo = t * RW; float al = vexp(SPL(la))[0], *xn = b_n + lo * 4, *xo = b_o + lo * 4, *h1 = sh[t][0][0], *h2 = sh[t][0][1];
  sac_actor(sa, xn, h1, h2, s_ml + lo); squash(RW, s_ml + lo, s_e[0] + lo, s_u + lo, s_a + lo, s_lp + lo);
  for (int b = 0; b < RW; b++) xn[b * 4 + 3] = 2 * s_a[lo + b];
  sac_q(st, xn, h1, h2, s_q[0] + lo); sac_q(st + PSC, xn, h1, h2, s_q[1] + lo);
  for (int b = lo; b < lo + RW; b += W) ST(s_y + b, L(b_r + b) + .99f * (1.f - L(b_d + b)) * (vmin(L(s_q[0] + b), L(s_q[1] + b)) - al * L(s_lp + b)));
  for (int k = 0; k < 2; k++) {
    sac_q(sc + k * PSC, xo, h1, h2, s_q[k] + lo);
    for (int b = lo; b < lo + RW; b += W) ST(s_dq[k] + b, (L(s_q[k] + b) - L(s_y + b)) * (2.f / SB));
    sac_q_bwd(t, k, xo, h1, h2, s_dq[k] + lo, scg[t] + k * PSC);
  }
}
NOI void sac_actor_grad(int t) {
  int lo = t * RW; float al = vexp(SPL(la))[0], *xo = b_o + lo * 4, (*h)[2][RW * LD(256)] = sh[t], da[2][RW];
  sac_actor(sa, xo, h[2][0], h[2][1], s_ml + lo); squash(RW, s_ml + lo, s_e[1] + lo, s_u + lo, s_a + lo, s_lp + lo);
  for (int b = 0; b < RW; b++) xo[b * 4 + 3] = 2 * s_a[lo + b];
  for (int k = 0; k < 2; k++) sac_q(sc + k * PSC, xo, h[k][0], h[k][1], s_q[k] + lo);
  for (int b = lo; b < lo + RW; b += W) { vi m = L(s_q[0] + b) <= L(s_q[1] + b); vf d = SPL(-1.f / SB); ST(s_dq[0] + b, (vf)((vi)d & m)); ST(s_dq[1] + b, (vf)((vi)d & ~m)); }
  for (int k = 0; k < 2; k++) {
    sac_q_bwd_x(t, k, h[k][0], h[k][1], s_dq[k] + lo);
    for (int b = 0; b < RW; b++) { vf s = {}; for (int j = 0; j < 256; j += W) s = FMA(L(sd1[t] + b * LD(256) + j), L(sc + k * PSC + 3 * 256 + j), s); da[k][b] = vsum(s); }
  }
  for (int b = lo; b < lo + RW; b += W) {
    vf a = L(s_a + b), ls = L(s_ml + SB + b), d = L(da[0] + b - lo) + L(da[1] + b - lo), k = SPL(al / SB), gu = 2.f * (k * a + d * (1.f - a * a));
    vf gl = gu * vexp(vmin(vmax(ls, SPL(-20)), SPL(2))) * L(s_e[1] + b) - k;
    ST(s_dml + b, gu); ST(s_dml + SB + b, (vf)((vi)gl & (ls > -20.f) & (ls < 2.f)));
  }
  sac_a_bwd(t, xo, h[2][0], h[2][1], s_dml + lo, sag[t]);
}
NOI void sac_adam(int t, Adam *o, float *p, float *g0, int gstride, float *tp, int n) { /* each thread a slice; its sum of the threads' gradients */
  int lo = n / 16 * t / NT * 16, hi = n / 16 * (t + 1) / NT * 16;
  for (int k = 1; k < NT; k++) for (int i = lo; i < hi; i += W) ST(g0 + i, L(g0 + i) + L(g0 + k * gstride + i));
  TIC; s_norm[t] = sumsq(g0 + lo, hi - lo);
  if (t == 0) { o->b1t *= .9f; o->b2t *= .999f; }
  barrier(); float s = 0; for (int k = 0; k < NT; k++) s += s_norm[k];
  adam_apply(o, p, g0, tp, lo, hi, s, 3e-4f, 10.f); TOC(2);
}
NOI void sac_update(int t) { /* run by every thread; the batch and the noise are drawn */
  sac_critic_grad(t); barrier();
  sac_adam(t, &sco, sc, scg[0], 2 * PSC, st, 2 * PSC); barrier();
  for (int k = t; k < 2; k += NT) w2_transpose(256, sc + k * PSC + O_W2(4, 256), scwt[k]);
  barrier(); sac_actor_grad(t); barrier();
  sac_adam(t, &sao, sa, sag[0], PSA, 0, PSA); barrier();
  if (t == 0) {
    w2_transpose(256, sa + O_W2(3, 256), sawt);
    vf s = {}; for (int b = 0; b < SB; b += W) s += L(s_lp + b) - 1.f;
    float g = -vexp(SPL(la))[0] * vsum(s) / SB; /* same Adam, on a scalar; its clip at 10 never binds here but is kept */
    float n = g < 0 ? -g : g, c = 10.f / (n + 1e-6f); if (c < 1) g *= c;
    lam = .9f * lam + .1f * g; lav = .999f * lav + .001f * g * g;
    la -= 3e-4f * (lam / (1 - sao.b1t)) / (sqrt1(lav / (1 - sao.b2t)) + 1e-5f);
  }
}
NOI void sac_draw(int size) {
  SKIP(7 + 2 + 2 + 2 + 256); gather(SB, size);
  for (int b = 0; b < SB; b += W) { vf x, y; normal2(&x, &y); ST(s_e[0] + b, x); ST(s_e[1] + b, y); }
}
static float pd_step(float u, float *o) { /* -> reward; o: next observation */
  float th = s_th, thd = s_thd, k, an; vf s, c;
  u = u < -2 ? -2 : u > 2 ? 2 : u;
  k = (th + 3.14159265f) * .159154943f; k -= (float)(int)k; if (k < 0) k += 1; an = k * 6.2831853f - 3.14159265f;
  vsincos(SPL(th), &s, &c);
  float r = -(an * an + .1f * thd * thd + .001f * u * u), n = thd + (15 * s[0] + 3 * u) * .05f;
  s_thd = n < -8 ? -8 : n > 8 ? 8 : n; s_th = th + s_thd * .05f;
  if (++s_t >= 200) { s_th = (2 * uni1() - 1) * 3.14159265f; s_thd = 2 * uni1() - 1; s_t = 0; }
  vsincos(SPL(s_th), &s, &c); o[0] = c[0]; o[1] = s[0]; o[2] = s_thd;
  return r;
}
static float s_ob[4];
static void sac_mean(void) { sac_actor1(sa, s_ob, sh[0][0][0], sh[0][0][1], s_ml); }
static int sac_step(void) { /* env step and draw; -> 1 when an update is due */
  int i = s_i++, j = i % CAP; vf e, e2; float u = 4 * uni1() - 2;
  sac_mean(); normal2(&e, &e2); ST(s_one, e); squash(1, s_ml, s_one, s_u, s_a, s_lp);
  float a = i < 1000 ? u : 2 * s_a[0];
  for (int k = 0; k < 3; k++) rb_o[j][k] = s_ob[k];
  rb_o[j][3] = rb_a[j] = a;
  s_rew[i & 65535] = rb_r[j] = pd_step(a, s_ob); rb_d[j] = 0;
  for (int k = 0; k < 3; k++) rb_n[j][k] = s_ob[k];
  if (i < 1000) return 0;
  sac_draw(i + 1 < CAP ? i + 1 : CAP);
  return 1;
}
EXPORT("sac_init") void sac_init(u32 s) {
  seed(s); net_init(sa, 3, 256, 2, .01f); for (int k = 0; k < 2; k++) net_init(sc + k * PSC, 4, 256, 1, 1.f);
  for (int i = 0; i < 2 * PSC; i++) st[i] = sc[i];
  adam_init(&sao, sam, sav, PSA); adam_init(&sco, scm, scv, 2 * PSC); la = lam = lav = 0; s_i = 0; s_t = 199; s_th = s_thd = 0;
  w2_transpose(256, sa + O_W2(3, 256), sawt); for (int k = 0; k < 2; k++) w2_transpose(256, sc + k * PSC + O_W2(4, 256), scwt[k]);
  pd_step(0, s_ob);
}
#if NT > 1
static volatile int s_left;
static void *sac_worker(void *a) { (void)a; for (;;) { barrier(); if (!s_left) return 0; sac_update(1); barrier(); } }
void sac(int steps) {
  pthread_t th; s_left = 1; pthread_create(&th, 0, sac_worker, 0);
  for (int i = 0; i < steps; i++) if (sac_step()) { barrier(); sac_update(0); barrier(); }
  s_left = 0; barrier(); pthread_join(th, 0);
}
#else
EXPORT("sac") void sac(int steps) { for (int i = 0; i < steps; i++) if (sac_step()) sac_update(0); }
#endif
EXPORT("sac_tail") double sac_tail(void) { double s = 0; for (int i = s_i - 500; i < s_i; i++) s += s_rew[i & 65535]; return s / 500; }
EXPORT("sac_check") double sac_check(void) { /* mean reward of 20 episodes of the mean policy */
  double s = 0; s_t = 199; pd_step(0, s_ob); for (int i = 0; i < 4000; i++) { sac_mean(); s += pd_step(2 * vtanh(SPL(s_ml[0]))[0], s_ob); } return s / 4000;
}
/* floating-point operations of the matrix products, the whole run */
#define FW(i, h, o) (2.0 * ((i) * (h) + (h) * (h) + (h) * (o)))
#define BW(i, h, o) (FW(i, h, o) + 2.0 * ((h) * (h) + (h) * (o)))
EXPORT("flop") double flop(int algo, int n) {
  if (algo == 0) { double f = FW(4, 64, 2) + FW(4, 64, 1); return n * ((N + 4) * f + 16.0 * MB * (f + BW(4, 64, 2) + BW(4, 64, 1))); }
  if (algo == 1) return n * FW(4, 128, 2) + (n - 1000) * (double)QB * (2 * FW(4, 128, 2) + BW(4, 128, 2));
  return n * FW(3, 256, 2) + (n - 1000) * (double)SB * (2 * FW(3, 256, 2) + BW(3, 256, 2) + 6 * FW(4, 256, 1) + 2 * BW(4, 256, 1) + 2 * 2.0 * (256 * 256 + 512));
}
#ifndef __wasm__
void flush_denormals(int on) { _mm_setcsr(on ? _mm_getcsr() | 0x8040 : _mm_getcsr() & ~0x8040u); } /* the FTZ and DAZ modes */
#endif
#if !defined(__wasm__) && !defined(NOMAIN)
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + 1e-9 * t.tv_nsec; }
int main(int c, char **v) { /* limit <target name> ppo|dqn|sac [runs [n]] */
  flush_denormals(1);
  static const char *names[] = {"ppo", "dqn", "sac"}; int a = 0, runs = c > 3 ? atoi(v[3]) : 3, n, s; double best = 1e9;
  while (a < 2 && strcmp(names[a], v[2])) a++;
  n = c > 4 ? atoi(v[4]) : (int[]){195, 4000, 1600}[a]; s = a ? n : n * N;
  for (int r = 0; r < runs; r++) { double t = now(); a == 0 ? (ppo_init(r), ppo(n)) : a == 1 ? (dqn_init(r), dqn(n)) : (sac_init(r), sac(n)); t = now() - t; if (t < best) best = t; }
  printf("{\"algo\":\"%s\",\"target\":\"%s\",\"sps\":%.0f,\"seconds\":%.4f,\"gflops\":%.1f,\"check\":%.2f,\"tail\":%.2f}\n", v[2], v[1], s / best, best, flop(a, n) / best * 1e-9,
    a == 0 ? ppo_check() : a == 1 ? dqn_check() : sac_check(), a == 2 ? sac_tail() : 1.0);
#ifdef PROF
  static const char *pn[] = {"hidden matmul", "other matmul", "adam", "transpose", "tanh"}; for (int i = 0; i < 5; i++) printf("# %-14s %.4f s\n", pn[i], prof[i] / 2.45e9 / runs);
#endif
}
#endif

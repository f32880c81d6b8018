/* The limit on a GPU: the three training loops of peers/jaxPeer.py, each ONE persistent kernel launched once per chunk of updates.
 *   nvcc -O3 -arch=sm_90a -o limit limit.cu        usage: limit bar | icache | check | ppo | prof | naive | dqn | sac | all [filter]
 * Three shapes of code, all of them what a generator could emit (loop nests over an index space split over threads, barriers between):
 *   ppo   batch sharding: a CTA takes a slice of the minibatch through the whole forward and backward pass in shared memory (only
 *         __syncthreads inside), partial gradients meet in L2 or DSMEM, each CTA reduces and steps (Adam) its slice of the parameters.
 *         Rollout: a warp owns an environment for all 128 steps, its policy's weights in registers; no barrier wider than a warp.
 *   dqn, sac   tile phases: a matrix product per phase, an output tile per CTA; the thin first layer (k = 4) is recomputed as the tile's
 *         prologue, the thin last layer (n <= 2) is an epilogue of partial sums; weights and partial sums go through L2.
 *   naive ppo   one phase per operation, every value in global memory, a barrier after each: what the two shapes above save.
 * Random numbers: threefry2x32-20 on counters (no key chain); minibatch permutation: a keyed bijective hash (no sort).
 * PREC 0: fp32 FMA; 1: TF32 mma.sync, accurate tanh; 2: TF32 and tanh.approx. Adam, losses, environments are fp32 always.
 * Best figures on an H200 (environment steps a second, fp32 | TF32; JAX in the same sitting):
 *   PPO 4 envs 2.35 M | 3.83 M (JAX 0.114 M), 64: 29 M | 43 M (1.45 M), 256: 75 M | 131 M (5.3 M), 1,024: 97 M | 249 M (17 M), 4,096: 121 M | 327 M (40.9 M)
 *   DQN 102 k | 122 k (13.9 k)    SAC 19.4 k | 26.1 k (6.5 k; 10.1 k in another sitting) */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <algorithm>
#include <string>
typedef unsigned u32; typedef unsigned long long u64;
#include <cuda_runtime.h>
#define DEV __device__ __forceinline__
#define HD __host__ __device__ __forceinline__
#define KERNEL __global__ void
#define TID ((int)threadIdx.x)
#define CTA ((int)blockIdx.x)
#define NCTA ((int)gridDim.x)
extern __shared__ __align__(16) float SMEM[];
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { printf("CUDA error %s at %s:%d\n", cudaGetErrorString(e_), __FILE__, __LINE__); exit(1); } } while (0)

/* ---- PTX in one place ------------------------------------------------------------------------------------------ */
DEV void mma8(float *c, u32 a0, u32 a1, u32 a2, u32 a3, u32 b0, u32 b1) { /* 16x8x8, tf32 in, fp32 out */
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1)); }
DEV void mma8c(float *d, u32 a0, u32 a1, u32 b0, float2 c) { /* k = 4: the other half of A and B is zero; c: the two columns' start */
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%8,%8}, {%6,%8}, {%7,%9,%7,%9};"
      : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3]) : "r"(a0), "r"(a1), "r"(b0), "f"(c.x), "r"(0), "f"(c.y)); }
DEV float fsqrt(float x) { float y; asm("sqrt.approx.f32 %0, %1;" : "=f"(y) : "f"(x)); return y; }
DEV float relu_tf32(float x) { return __int_as_float(__viaddmax_s32_relu(__float_as_int(x), 0x1000, 0)); } /* relu and rounding, one instruction */
DEV void cp16(float *s, const float *g) { u32 a = (u32)__cvta_generic_to_shared(s);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(a), "l"(g) : "memory"); }
DEV void cp_wait() { asm volatile("cp.async.wait_all;" ::: "memory"); }
DEV u32 ld_acq(const u32 *p) { u32 v; asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory"); return v; }
DEV void st_rel(u32 *p, u32 v) { asm volatile("st.release.gpu.global.u32 [%0], %1;" :: "l"(p), "r"(v) : "memory"); }
DEV void red_rel(u32 *p) { asm volatile("red.release.gpu.global.add.u32 [%0], 1;" :: "l"(p) : "memory"); }
DEV void named_sync(int id, int n) { asm volatile("bar.sync %0, %1;" :: "r"(id), "r"(n) : "memory"); }
DEV void cluster_arrive() { asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory"); }
DEV void cluster_wait() { asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory"); }
DEV void cluster_sync() { cluster_arrive(); cluster_wait(); }
DEV u32 sa(const void *p) { return (u32)__cvta_generic_to_shared(p); }
DEV u32 mapa(const void *p, int rank) { u32 a = sa(p), r; asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(rank)); return r; }
DEV float4 ds_ld4(const float *p, int rank) { float4 v; asm volatile("ld.shared::cluster.v4.f32 {%0,%1,%2,%3}, [%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z),
    "=f"(v.w) : "r"(mapa(p, rank))); return v; }
DEV void ds_st4(float *p, int rank, float4 v) { asm volatile("st.shared::cluster.v4.f32 [%0], {%1,%2,%3,%4};" :: "r"(mapa(p, rank)), "f"(v.x), "f"(v.y), "f"(v.z),
    "f"(v.w) : "memory"); }
DEV void ds_st(float *p, int rank, float v) { asm volatile("st.shared::cluster.f32 [%0], %1;" :: "r"(mapa(p, rank)), "f"(v) : "memory"); }
/* asynchronous exchange: the data's arrival is counted, in bytes, by a barrier word beside it; no fence of any kind */
DEV void mb_init(u64 *m) { asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\nfence.mbarrier_init.release.cluster;" :: "r"(sa(m)) : "memory"); }
DEV void mb_expect(u64 *m, u32 bytes) { asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(sa(m)), "r"(bytes) : "memory"); }
DEV void mb_wait(u64 *m, u32 par) { asm volatile("{\n.reg .pred p;\nW: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@!p bra W;\n}" :: "r"(sa(m)),
    "r"(par) : "memory"); }
DEV void bulk_ds(float *dst, int rank, const float *src, u32 bytes, u64 *m) {
  asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" :: "r"(mapa(dst, rank)), "r"(sa(src)), "r"(bytes),
    "r"(mapa(m, rank)) : "memory"); }
DEV void st_async(float *dst, int rank, float v, u64 *m) { asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.f32 [%0], %1, [%2];" :: "r"(mapa(dst,
    rank)), "f"(v), "r"(mapa(m, rank)) : "memory"); }
DEV void fence_async() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
DEV float tanh_mufu(float x) { float y; asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x)); return y; }
#define UN _Pragma("unroll")
#define F2(p) (*(float2 *)(p))
#define F4(p) (*(float4 *)(p))
#define CF2(p) (*(const float2 *)(p))
#define CF4(p) (*(const float4 *)(p))
#define SHX(v, m) __shfl_xor_sync(~0u, v, m)
DEV u32 fb(float x) { return __float_as_uint(x); }
template<int PREC> DEV float rnd(float x) { return PREC ? __uint_as_float(__float_as_uint(x) + 0x1000u) : x; } /* to nearest tf32: the unit drops the low 13 bits */
template<int PREC> DEV float tanh_(float x) {
  if (PREC == 2) return tanh_mufu(x);
  x = fmaxf(fminf(x, 9.f), -9.f); float u = x * x;
  float p = fmaf(fmaf(fmaf(fmaf(1.3354477523819241e-08f, u, 2.0608946215361357e-05f), u, 0.00349557981826365f), u, 0.13381019234657288f), u, 1.f);
  float q = fmaf(fmaf(fmaf(fmaf(7.776482107146876e-07f, u, 0.0003285621351096779f), u, 0.025876950472593307f), u, 0.46714335680007935f), u, 1.f);
  return __fdividef(x * p, q);
}
DEV float dot4(float4 a, float4 b, float c) { return fmaf(a.x, b.x, fmaf(a.y, b.y, fmaf(a.z, b.z, fmaf(a.w, b.w, c)))); }
DEV float4 add4(float4 a, float4 b) { return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }
DEV float sq4(float4 a) { return a.x * a.x + a.y * a.y + a.z * a.z + a.w * a.w; }

/* ---- random numbers, permutation -------------------------------------------------------------------------------- */
#define ROT(x, r) (((x) << (r)) | ((x) >> (32 - (r))))
HD uint2 threefry(u32 k0, u32 k1, u32 x0, u32 x1) {
  const u32 k2 = k0 ^ k1 ^ 0x1bd11bdau; x0 += k0; x1 += k1;
#define TF4(a, b, c, d) x0 += x1; x1 = ROT(x1, a) ^ x0; x0 += x1; x1 = ROT(x1, b) ^ x0; x0 += x1; x1 = ROT(x1, c) ^ x0; x0 += x1; x1 = ROT(x1, d) ^ x0;
  TF4(13, 15, 26, 6) x0 += k1; x1 += k2 + 1; TF4(17, 29, 16, 24) x0 += k2; x1 += k0 + 2; TF4(13, 15, 26, 6) x0 += k0; x1 += k1 + 3;
  TF4(17, 29, 16, 24) x0 += k1; x1 += k2 + 4; TF4(13, 15, 26, 6) x0 += k2; x1 += k0 + 5;
  uint2 r; r.x = x0; r.y = x1; return r;
}
HD float u01(u32 x) { return ((x >> 8) + .5f) * (1.f / 16777216); }
HD u32 below(u32 x, u32 n) { return (u32)(((u64)x * n) >> 32); }
HD u32 permute(u32 x, int bits, u32 k0, u32 k1) { /* a bijection of [0, 2^bits) */
  const u32 m = (1u << bits) - 1, s = (bits + 1) / 2;
  x = (x * (k0 | 1) + k1) & m; x ^= x >> s; x = (x * (ROT(k1, 8) | 1) + ROT(k0, 16)) & m; x ^= x >> s;
  x = (x * (ROT(k0, 11) | 1) + ROT(k1, 5)) & m; x ^= x >> s; x = (x * (ROT(k1, 23) | 1) + ROT(k0, 3)) & m; x ^= x >> s;
  return x;
}
enum { S_ACT = 1, S_RESET, S_PERM, S_IDX, S_NOISE, S_EPS };

/* ---- barriers over all CTAs of the launch ------------------------------------------------------------------------ */
enum { M_CTA, M_CLU, M_GRID, M_FLAG };
template<int MODE> struct Bar {
  u32 *c, n; int nc;
  DEV Bar(u32 *c_, int nc_) : c(c_), n(0), nc(nc_) {}
  DEV void arrive() { /* what this CTA wrote is given; independent work may go between arrive and wait */
    __syncthreads();
    if (MODE == M_CLU) cluster_arrive();
    if (MODE == M_GRID) { n += nc; if (TID == 0) red_rel(c); } /* one counter */
    if (MODE == M_FLAG) { n++; if (TID == 0) st_rel(c + CTA, n); } /* a flag per CTA, every CTA reads all */
  }
  DEV void wait() {
    if (MODE == M_CLU) cluster_wait();
    if (MODE == M_GRID) { if (TID == 0) while ((int)(ld_acq(c) - n) < 0) {} __syncthreads(); }
    if (MODE == M_FLAG) { if (TID < nc) while ((int)(ld_acq(c + TID) - n) < 0) {} __syncthreads(); }
  }
  DEV void sync() { if (MODE == M_CLU) cluster_sync(); else { arrive(); wait(); } }
};
DEV float warp_sum(float v) { UN for (int m = 16; m; m >>= 1) v += SHX(v, m); return v; }
template<int NW> DEV float block_sum(float v, float *buf) { /* to every thread; the same bits in each */
  v = warp_sum(v); __syncthreads(); if ((TID & 31) == 0) buf[TID >> 5] = v; __syncthreads();
  float s = 0; UN for (int i = 0; i < NW; i++) s += buf[i]; return s;
}

/* ---- CartPole ----------------------------------------------------------------------------------------------------- */
DEV void sincos_(float x, float &sn, float &cs) { /* no branch, so it can be scheduled among other work */
  float t = fmaf(x, .636619772f, 12582912.f), n = t - 12582912.f, r = fmaf(n, -7.549790126404332e-08f, fmaf(n, -.0004837512969970703f, fmaf(n, -1.5703125f, x))),
    z = r * r;
  float s = fmaf(r * z, fmaf(fmaf(-.00019508725381456316f, z, .008332112804055214f), z, -.16666653752326965f), r),
    c = fmaf(z * z, fmaf(fmaf(2.4431192287011072e-05f, z, -.0013887305976822972f), z, .04166664555668831f), fmaf(z, -.5f, 1.f));
  u32 q = __float_as_uint(t); sn = __uint_as_float(__float_as_uint(q & 1 ? c : s) ^ ((q & 2) << 30));
  cs = __uint_as_float(__float_as_uint(q & 1 ? s : c) ^ (((q + 1) & 2) << 30));
}
DEV void cp_reset(float4 &s, int &t, u32 seed, u32 e, u32 i) {
  uint2 a = threefry(seed, S_RESET, e, 2 * i), b = threefry(seed, S_RESET, e, 2 * i + 1); t = 0;
  s = make_float4(u01(a.x) * .1f - .05f, u01(a.y) * .1f - .05f, u01(b.x) * .1f - .05f, u01(b.y) * .1f - .05f);
}
struct CpPre { float c, inv, k, gs; }; /* what does not wait for the action */
DEV CpPre cp_pre(float4 s) { float sn, c; sincos_(s.z, sn, c); return {c, __fdividef(2.f, 4.f / 3 - c * c * (.1f / 1.1f)), .05f / 1.1f * s.w * s.w * sn, 9.8f * sn}; }
DEV bool cp_post(float4 &s, int &t, CpPre p, bool right) {
  float tmp = p.k + (right ? 10.f / 1.1f : -10.f / 1.1f), tha = (p.gs - p.c * tmp) * p.inv, xa = tmp - tha * p.c * (.05f / 1.1f);
  s = make_float4(s.x + .02f * s.y, s.y + .02f * xa, s.z + .02f * s.w, s.w + .02f * tha); t++;
  return (fabsf(s.x) > 2.4f) | (fabsf(s.z) > .20943951f) | (t >= 500);
}
DEV bool cp_step(float4 &s, int &t, bool right) { return cp_post(s, t, cp_pre(s), right); }

/* ==================================================== PPO ============================================================ */
namespace ppo {
/* a network's parameters, flat: W2[64][64] | W1^T[64][4] | b1 | b2 | W3^T[2][64] | b3[2], padded to 128 slices of 40 */
constexpr int T = 128, PN = 5120, oW1 = 4096, oB1 = 4352, oB2 = 4416, oW3 = 4480, oB3 = 4608, LD = 72;
constexpr int sW1 = 0, sB1 = 256, sB2 = 320, sW3 = 384, sB3 = 512; /* the thin ones in shared memory, after W2 */
template<int PREC> constexpr int W2S = PREC ? 4096 : 4352; template<int PREC> constexpr int WSZ = W2S<PREC> + PN - 4096;
struct Args {
  float *P, *M, *V, *part, *norm, *stat, *adv, *dones, *dbg; float4 *rec, *env; int *envt; u32 *bar; u64 *prof;
  int E, bits, u0, updates, rows; u32 seed; /* rows: of a minibatch, a CTA */
};
/* smem place of parameter group f (4 floats). mma: rows of 64 with 8-column groups swizzled, so that both W and W^T fragments are free of
 * bank conflicts; fma: rows of 68 */
DEV int swz(int row) { return 8 * (((row >> 1) & 3) ^ ((row & 1) << 1)); }
template<int PREC> DEV int w_at(int f) { if (f >= 1024) return W2S<PREC> + (f - 1024) * 4; int r = f >> 4, c = (f & 15) * 4;
  return PREC ? r * 64 + (c ^ swz(r)) : r * 68 + c; }
template<int PREC> DEV float4 w_rnd(int f, float4 w) { return f < 1024 ? make_float4(rnd<PREC>(w.x), rnd<PREC>(w.y), rnd<PREC>(w.z), rnd<PREC>(w.w)) : w; }
template<int PREC> DEV void w_load(float *W, const float *P) { float4 w[PN / 1024];
  UN for (int i = 0; i < PN / 1024; i++) w[i] = __ldcg((const float4 *)P + TID + 256 * i);
  UN for (int i = 0; i < PN / 1024; i++) F4(W + w_at<PREC>(TID + 256 * i)) = w_rnd<PREC>(TID + 256 * i, w[i]); }
DEV void loss(int net, const float4 rd, float y0, float y1, float inv, float &d0, float &d1) { /* gradient at the outputs; rd: action, old log-prob, advantage, return */
  if (net) { d0 = (y0 - rd.w) * .5f * inv; d1 = 0; return; }
  float m = fmaxf(y0, y1), z = m + __logf(__expf(y0 - m) + __expf(y1 - m)), g0 = y0 - z, g1 = y1 - z, p0 = __expf(g0), p1 = __expf(g1), a = rd.x, ad = rd.z;
  float r = __expf((a > .5f ? g1 : g0) - rd.y), cl = fminf(fmaxf(r, .8f), 1.2f), ent = -(p0 * g0 + p1 * g1), gn = r * ad <= cl * ad ? -ad * r * inv : 0.f, e = .01f * inv;
  d0 = gn * ((1.f - a) - p0) + e * p0 * (g0 + ent); d1 = gn * (a - p1) + e * p1 * (g1 + ent);
}
struct Sm { float *W[2], *H1, *H2, *D2, *D1, *Xa, *rd, *yp, *red, *st, *v, *last, *gs; u32 *db; u64 *mb; };
/* NW: weight buffers; R: rows of a chunk; S: environments a CTA; X: slots for asynchronous gradients. The rollout's scratch and the gradient buffer lie
 * over the activations */
template<int PREC, int NW, int R, int S, int X> constexpr int sm_act = 4 * R * LD > 8704 ? 4 * R * LD : 8704;
template<int PREC, int NW, int R, int S, int X> constexpr int sm_floats = NW * WSZ<PREC> + sm_act<PREC, NW, R, S,
  X> + 128 * 8 + R * 4 + 256 + 96 + 32 + S * (T + 1) + 128 + S * 8 + (X ? PN + PN / 2 + 16 : 0);
template<int PREC, int NW, int R, int S, int X> DEV void carve(Sm &s, float *p) {
  s.W[0] = p; p += WSZ<PREC>; s.W[1] = p; if (NW > 1) p += WSZ<PREC>; else s.W[1] = s.W[0]; s.H1 = p; s.H2 = p + R * LD; s.D2 = p + 2 * R * LD; s.D1 = p + 3 * R * LD;
  p += sm_act<PREC, NW, R, S, X>; s.gs = p; if (X) p += PN + PN / 2;
  s.Xa = p; p += 128 * 8; s.rd = p; p += R * 4; s.yp = p; p += 256; s.red = p; p += 96; s.st = p; p += 32; s.last = p; p += S * 4; s.db = (u32 *)p; p += S * 4;
  s.mb = (u64 *)p; if (X) p += 16; s.v = p;
}
/* gradient accumulators of a thread over the chunks of a minibatch */
struct Acc { float w[8][8], s1[4], s2[4], s3[4], z[4][8], dy[2]; };
DEV void acc_zero(Acc &A) { UN for (int i = 0; i < 8; i++) UN for (int j = 0; j < 8; j++) A.w[i][j] = 0; UN for (int i = 0; i < 4; i++) { A.s1[i] = A.s2[i] = A.s3[i] = 0;
    UN for (int j = 0; j < 8; j++) A.z[i][j] = 0; } A.dy[0] = A.dy[1] = 0; }
/* NWP warps work together: the CTA's 8, or two groups of 4 that drift apart and so overlap one's products with the other's tanh */
template<int NWP> DEV void gsync() { if (NWP == 8) __syncthreads(); else named_sync(1 + (TID >> 7), 128); }

/* R rows through one network (USE 0: with gradients, 1: to outputs, 2: to partial sums of the outputs in yp) on the tensor cores: NWP warps as WM x WN,
 * a warp has 16 rows x NT 8-column tiles. The k order inside a tile is permuted (k = t, t+4 stand for columns 2t, 2t+1), so an accumulator tile is the
 * next product's A operand as it lies in registers. */
template<int PREC, int R, int USE, int NWP> DEV void chunk_tc(const Sm &s, const float *W, int net, float inv, Acc &A, float *vout) {
  constexpr int WM = R / 16, WN = NWP / WM, NT = 8 / WN, MI = NWP == 8 ? 1 : 2; const float *V = W + W2S<PREC>;
  const int lane = TID & 31, warp = (TID >> 5) % NWP, g = lane >> 2, t = lane & 3, g0 = (TID >> 5) / NWP * R, r0 = g0 + (warp / WN) * 16 + g, c0 = (warp % WN) * NT * 8,
    wn = warp % WN;
  float h[NT][4], c[NT][4]; const u32 x0 = fb(s.Xa[r0 * 8 + t]) + 0x1000u, x1 = fb(s.Xa[(r0 + 8) * 8 + t]) + 0x1000u;
  UN for (int j = 0; j < NT; j++) {
    int q = c0 + 8 * j + 2 * t; float2 b = CF2(V + sB1 + q); h[j][0] = h[j][2] = b.x; h[j][1] = h[j][3] = b.y;
    mma8(h[j], x0, x1, 0, 0, fb(V[sW1 + (c0 + 8 * j + g) * 4 + t]) + 0x1000u, 0);
    UN for (int i = 0; i < 4; i++) h[j][i] = tanh_<PREC>(h[j][i]);
    if (USE == 0 || WN > 1) { F2(s.H1 + r0 * LD + q) = make_float2(rnd<1>(h[j][0]), rnd<1>(h[j][1]));
      F2(s.H1 + (r0 + 8) * LD + q) = make_float2(rnd<1>(h[j][2]), rnd<1>(h[j][3])); }
  }
  if (WN > 1) gsync<NWP>();
  UN for (int j = 0; j < NT; j++) { float2 b = CF2(V + sB2 + c0 + 8 * j + 2 * t); c[j][0] = c[j][2] = b.x; c[j][1] = c[j][3] = b.y; }
  UN for (int k = 0; k < 8; k++) {
    u32 a0, a1, a2, a3;
    if (WN == 1) { a0 = fb(rnd<1>(h[k % NT][0])); a1 = fb(rnd<1>(h[k % NT][2])); a2 = fb(rnd<1>(h[k % NT][1])); a3 = fb(rnd<1>(h[k % NT][3])); }
    else { float2 p = CF2(s.H1 + r0 * LD + 8 * k + 2 * t), q = CF2(s.H1 + (r0 + 8) * LD + 8 * k + 2 * t); a0 = fb(p.x); a1 = fb(q.x); a2 = fb(p.y); a3 = fb(q.y); }
    UN for (int j = 0; j < NT; j++) {
      int n = c0 + 8 * j + g; const float *w = W + (8 * k + 2 * t) * 64;
      mma8(c[j], a0, a1, a2, a3, fb(w[n ^ (8 * t)]), fb(w[64 + (n ^ (8 * t) ^ 16)]));
    }
  }
  float y[2][2] = {{0, 0}, {0, 0}};
  UN for (int j = 0; j < NT; j++) {
    UN for (int i = 0; i < 4; i++) c[j][i] = tanh_<PREC>(c[j][i]);
    int q = c0 + 8 * j + 2 * t;
    UN for (int o = 0; o < 2; o++) { float2 w = CF2(V + sW3 + 64 * o + q); y[o][0] += c[j][0] * w.x + c[j][1] * w.y; y[o][1] += c[j][2] * w.x + c[j][3] * w.y; }
  }
  UN for (int o = 0; o < 2; o++) UN for (int i = 0; i < 2; i++) { y[o][i] += SHX(y[o][i], 1); y[o][i] += SHX(y[o][i], 2); }
  if (WN > 1) {
    if (t == 0) { F2(s.yp + (wn * R + r0) * 2) = make_float2(y[0][0], y[1][0]); F2(s.yp + (wn * R + r0 + 8) * 2) = make_float2(y[0][1], y[1][1]); }
    gsync<NWP>(); if (USE == 2) return; y[0][0] = y[0][1] = y[1][0] = y[1][1] = 0;
    UN for (int w = 0; w < WN; w++) { float2 p = CF2(s.yp + (w * R + r0) * 2), q = CF2(s.yp + (w * R + r0 + 8) * 2); y[0][0] += p.x; y[1][0] += p.y; y[0][1] += q.x;
      y[1][1] += q.y; }
  }
  float2 b3 = CF2(V + sB3); y[0][0] += b3.x; y[0][1] += b3.x; y[1][0] += b3.y; y[1][1] += b3.y;
  if (USE) { if (t == 0 && wn == 0) { vout[r0] = y[0][0]; vout[r0 + 8] = y[0][1]; } return; }
  float d[2][2]; loss(net, CF4(s.rd + r0 * 4), y[0][0], y[1][0], inv, d[0][0], d[1][0]); loss(net, CF4(s.rd + (r0 + 8) * 4), y[0][1], y[1][1], inv, d[0][1], d[1][1]);
  if (t == 0 && wn == 0) { A.dy[0] += d[0][0] + d[0][1]; A.dy[1] += d[1][0] + d[1][1]; s.Xa[r0 * 8 + 5] = d[0][0]; s.Xa[r0 * 8 + 6] = d[1][0];
    s.Xa[(r0 + 8) * 8 + 5] = d[0][1]; s.Xa[(r0 + 8) * 8 + 6] = d[1][1]; }
  UN for (int j = 0; j < NT; j++) {
    int q = c0 + 8 * j + 2 * t; float2 w0 = CF2(V + sW3 + q), w1 = CF2(V + sW3 + 64 + q);
    F2(s.H2 + r0 * LD + q) = make_float2(rnd<1>(c[j][0]), rnd<1>(c[j][1])); F2(s.H2 + (r0 + 8) * LD + q) = make_float2(rnd<1>(c[j][2]), rnd<1>(c[j][3]));
    c[j][0] = rnd<1>((d[0][0] * w0.x + d[1][0] * w1.x) * (1.f - c[j][0] * c[j][0])); c[j][1] = rnd<1>((d[0][0] * w0.y + d[1][0] * w1.y) * (1.f - c[j][1] * c[j][1]));
    c[j][2] = rnd<1>((d[0][1] * w0.x + d[1][1] * w1.x) * (1.f - c[j][2] * c[j][2])); c[j][3] = rnd<1>((d[0][1] * w0.y + d[1][1] * w1.y) * (1.f - c[j][3] * c[j][3]));
    F2(s.D2 + r0 * LD + q) = make_float2(c[j][0], c[j][1]); F2(s.D2 + (r0 + 8) * LD + q) = make_float2(c[j][2], c[j][3]);
  }
  if (WN > 1) gsync<NWP>();
  float e[NT][4]; UN for (int j = 0; j < NT; j++) UN for (int i = 0; i < 4; i++) e[j][i] = 0;
  const int fi = swz(g);
  UN for (int k = 0; k < 8; k++) { /* D1 = D2 W2^T */
    u32 a0, a1, a2, a3;
    if (WN == 1) { a0 = fb(c[k % NT][0]); a1 = fb(c[k % NT][2]); a2 = fb(c[k % NT][1]); a3 = fb(c[k % NT][3]); }
    else { float2 p = CF2(s.D2 + r0 * LD + 8 * k + 2 * t), q = CF2(s.D2 + (r0 + 8) * LD + 8 * k + 2 * t); a0 = fb(p.x); a1 = fb(q.x); a2 = fb(p.y); a3 = fb(q.y); }
    UN for (int j = 0; j < NT; j++) { float2 b = CF2(W + (c0 + 8 * j + g) * 64 + ((8 * k + 2 * t) ^ fi)); mma8(e[j], a0, a1, a2, a3, fb(b.x), fb(b.y)); }
  }
  UN for (int j = 0; j < NT; j++) {
    int q = c0 + 8 * j + 2 * t; UN for (int i = 0; i < 4; i++) e[j][i] = rnd<1>(e[j][i] * (1.f - h[j][i] * h[j][i]));
    F2(s.D1 + r0 * LD + q) = make_float2(e[j][0], e[j][1]); F2(s.D1 + (r0 + 8) * LD + q) = make_float2(e[j][2], e[j][3]);
  }
  gsync<NWP>();
  /* weight gradients over the R rows: of W2 16x32 a warp (32x32 of NWP = 4); the thin ones against Xa = x0..x3 1 dy0 dy1 0 */
  const int mi = NWP == 8 ? warp & 3 : warp & 1, ni = NWP == 8 ? warp >> 2 : warp >> 1;
#pragma unroll 2
  for (int k = g0; k < g0 + R; k += 8) {
    const float *q = s.D2 + (k + t) * LD + 32 * ni + g; u32 b0[4], b1[4], x0 = fb(s.Xa[(k + t) * 8 + g]) + 0x1000u, x1 = fb(s.Xa[(k + t + 4) * 8 + g]) + 0x1000u;
    UN for (int j = 0; j < 4; j++) { b0[j] = fb(q[8 * j]); b1[j] = fb(q[4 * LD + 8 * j]); }
    UN for (int i = 0; i < MI; i++) { const float *p = s.H1 + (k + t) * LD + 16 * (MI * mi + i) + g;
      u32 a0 = fb(p[0]), a1 = fb(p[8]), a2 = fb(p[4 * LD]), a3 = fb(p[4 * LD + 8]); UN for (int j = 0; j < 4; j++) mma8(A.w[i * 4 + j], a0, a1, a2, a3, b0[j], b1[j]); }
    if (NWP == 8) {
      const float *r = (ni ? s.H2 : s.D1) + (k + t) * LD + 16 * mi + g; mma8(A.s1, fb(r[0]), fb(r[8]), fb(r[4 * LD]), fb(r[4 * LD + 8]), x0, x1);
      if (mi == 0) mma8(A.s2, b0[0], b0[1], b1[0], b1[1], x0, x1);
      if (mi == 1) mma8(A.s2, b0[2], b0[3], b1[2], b1[3], x0, x1);
    } else {
      const float *r = s.D1 + (k + t) * LD + 16 * warp + g, *v = s.H2 + (k + t) * LD + 16 * warp + g;
      mma8(A.s1, fb(r[0]), fb(r[8]), fb(r[4 * LD]), fb(r[4 * LD + 8]), x0, x1); mma8(A.s3, fb(v[0]), fb(v[8]), fb(v[4 * LD]), fb(v[4 * LD + 8]), x0, x1);
      if (mi == 0) mma8(A.s2, b0[0], b0[1], b1[0], b1[1], x0, x1); else mma8(A.s2, b0[2], b0[3], b1[2], b1[3], x0, x1);
    }
  }
  gsync<NWP>();
}
/* the same on FMA units: a thread has R/16 rows x 4 columns */
template<int PREC, int R, int USE> DEV void chunk_fma(const Sm &s, const float *W, int net, float inv, Acc &A, float *vout) {
  constexpr int NR = R / 16; const float *V = W + W2S<PREC>; const int tx = TID & 15, ty = TID >> 4, q = 4 * tx;
  float c[NR][4]; float4 w[4], b = CF4(V + sB1 + q); UN for (int k = 0; k < 4; k++) w[k] = CF4(V + sW1 + (q + k) * 4);
  UN for (int i = 0; i < NR; i++) {
    int r = ty + 16 * i; float4 x = CF4(s.Xa + r * 8), h = make_float4(tanh_<PREC>(dot4(x, w[0], b.x)), tanh_<PREC>(dot4(x, w[1], b.y)), tanh_<PREC>(dot4(x, w[2], b.z)),
      tanh_<PREC>(dot4(x, w[3], b.w)));
    F4(s.H1 + r * LD + q) = h;
  }
  __syncthreads();
  b = CF4(V + sB2 + q); UN for (int i = 0; i < NR; i++) { c[i][0] = b.x; c[i][1] = b.y; c[i][2] = b.z; c[i][3] = b.w; }
#pragma unroll 2
  for (int k = 0; k < 64; k += 4) {
    float4 a[NR]; UN for (int i = 0; i < NR; i++) a[i] = CF4(s.H1 + (ty + 16 * i) * LD + k);
    UN for (int kk = 0; kk < 4; kk++) { float4 v = CF4(W + (k + kk) * 68 + q);
      UN for (int i = 0; i < NR; i++) { float x = kk == 0 ? a[i].x : kk == 1 ? a[i].y : kk == 2 ? a[i].z : a[i].w; c[i][0] = fmaf(x, v.x, c[i][0]);
        c[i][1] = fmaf(x, v.y, c[i][1]); c[i][2] = fmaf(x, v.z, c[i][2]); c[i][3] = fmaf(x, v.w, c[i][3]); } }
  }
  float4 w30 = CF4(V + sW3 + q), w31 = CF4(V + sW3 + 64 + q);
  UN for (int i = 0; i < NR; i++) {
    UN for (int j = 0; j < 4; j++) c[i][j] = tanh_<PREC>(c[i][j]);
    float4 h = make_float4(c[i][0], c[i][1], c[i][2], c[i][3]); float y0 = dot4(h, w30, 0), y1 = dot4(h, w31, 0);
    UN for (int m = 8; m; m >>= 1) { y0 += SHX(y0, m); y1 += SHX(y1, m); }
    if (tx == 0) F2(s.yp + (ty + 16 * i) * 2) = make_float2(y0, y1);
    if (USE == 0) F4(s.H2 + (ty + 16 * i) * LD + q) = h;
  }
  __syncthreads(); if (USE == 2) return;
  if (TID < R) {
    float y0 = s.yp[TID * 2] + V[sB3], y1 = s.yp[TID * 2 + 1] + V[sB3 + 1];
    if (USE) vout[TID] = y0;
    else { float d0, d1; loss(net, CF4(s.rd + TID * 4), y0, y1, inv, d0, d1); A.dy[0] += d0; A.dy[1] += d1; s.Xa[TID * 8 + 5] = d0; s.Xa[TID * 8 + 6] = d1; }
  }
  __syncthreads();
  if (USE) return;
  UN for (int i = 0; i < NR; i++) {
    int r = ty + 16 * i; float d0 = s.Xa[r * 8 + 5], d1 = s.Xa[r * 8 + 6];
    F4(s.D2 + r * LD + q) = make_float4((d0 * w30.x + d1 * w31.x) * (1.f - c[i][0] * c[i][0]), (d0 * w30.y + d1 * w31.y) * (1.f - c[i][1] * c[i][1]),
                                        (d0 * w30.z + d1 * w31.z) * (1.f - c[i][2] * c[i][2]), (d0 * w30.w + d1 * w31.w) * (1.f - c[i][3] * c[i][3]));
  }
  __syncthreads();
  UN for (int i = 0; i < NR; i++) UN for (int j = 0; j < 4; j++) c[i][j] = 0;
#pragma unroll 2
  for (int k = 0; k < 64; k += 4) { /* D1 = D2 W2^T, columns tx + 16 j */
    float4 a[NR]; UN for (int i = 0; i < NR; i++) a[i] = CF4(s.D2 + (ty + 16 * i) * LD + k);
    UN for (int j = 0; j < 4; j++) { float4 v = CF4(W + (tx + 16 * j) * 68 + k); UN for (int i = 0; i < NR; i++) c[i][j] = dot4(a[i], v, c[i][j]); }
  }
  UN for (int i = 0; i < NR; i++) UN for (int j = 0; j < 4; j++) { int o = (ty + 16 * i) * LD + tx + 16 * j; float h = s.H1[o]; s.D1[o] = c[i][j] * (1.f - h * h); }
  __syncthreads();
  { const int kg = TID >> 6, y8 = (TID >> 3) & 7, x8 = TID & 7; /* W2: 8x8 a thread, four groups split the rows */
#pragma unroll 2
    for (int r = kg * (R / 4); r < (kg + 1) * (R / 4); r++) {
      float4 a0 = CF4(s.H1 + r * LD + 8 * y8), a1 = CF4(s.H1 + r * LD + 8 * y8 + 4), b0 = CF4(s.D2 + r * LD + 8 * x8), b1 = CF4(s.D2 + r * LD + 8 * x8 + 4);
      float x[8] = {a0.x, a0.y, a0.z, a0.w, a1.x, a1.y, a1.z, a1.w}, y[8] = {b0.x, b0.y, b0.z, b0.w, b1.x, b1.y, b1.z, b1.w};
      UN for (int i = 0; i < 8; i++) UN for (int j = 0; j < 8; j++) A.w[i][j] = fmaf(x[i], y[j], A.w[i][j]);
    } }
  for (int r = ty; r < R; r += 16) { /* the thin ones: 4 columns a thread, sixteen groups split the rows; z: dW1 (4), db1, db2, dW3 (2) */
    float4 d = CF4(s.D1 + r * LD + q), e = CF4(s.D2 + r * LD + q), h = CF4(s.H2 + r * LD + q), x = CF4(s.Xa + r * 8);
    float2 y = make_float2(s.Xa[r * 8 + 5], s.Xa[r * 8 + 6]); float dd[4] = {d.x, d.y, d.z, d.w}, ee[4] = {e.x, e.y, e.z, e.w}, hh[4] = {h.x, h.y, h.z, h.w};
    UN for (int i = 0; i < 4; i++) { float *z = A.z[i]; z[0] = fmaf(dd[i], x.x, z[0]); z[1] = fmaf(dd[i], x.y, z[1]); z[2] = fmaf(dd[i], x.z, z[2]);
      z[3] = fmaf(dd[i], x.w, z[3]); z[4] += dd[i]; z[5] += ee[i]; z[6] = fmaf(hh[i], y.x, z[6]); z[7] = fmaf(hh[i], y.y, z[7]); }
  }
  __syncthreads();
}
/* a thread's sums to dst; buf: shared scratch (the dead activations). NG groups' sums are added */
template<int PREC, int NG> DEV void acc_store(const Sm &s, Acc &A, float *dst, float *buf) {
  const int lane = TID & 31, g = lane >> 2, t = lane & 3;
  if (PREC) {
    constexpr int NWP = 8 / NG, MI = NG; const int warp = (TID >> 5) % NWP, mi = NG == 1 ? warp & 3 : warp & 1, ni = NG == 1 ? warp >> 2 : warp >> 1;
    const bool lead = TID < 256 / NG;
    UN for (int ph = NG == 1 ? 1 : 0; ph < 2; ph++) { /* NG = 2: the second group first, into buf; then the first, adding */
      float *o = ph ? dst : buf; const bool me = NG == 1 || lead == (ph == 1), add = NG == 2 && ph == 1;
      auto put2 = [&](int at, float x, float y) { float2 v = make_float2(x, y); if (add) { float2 p = CF2(buf + at); v.x += p.x; v.y += p.y; } F2(o + at) = v; };
      auto put = [&](int at, float x) { o[at] = add ? x + buf[at] : x; };
      if (me) {
        UN for (int i = 0; i < MI; i++) UN for (int j = 0; j < 4; j++) { int r = 16 * (MI * mi + i) + g, q = 32 * ni + 8 * j + 2 * t; const float *w = A.w[i * 4 + j];
          put2(r * 64 + q, w[0], w[1]); put2((r + 8) * 64 + q, w[2], w[3]); }
        if (NG == 1 ? ni == 0 : true) { int i = 16 * (NG == 1 ? mi : warp) + g; if (t < 2) { put2(oW1 + i * 4 + 2 * t, A.s1[0], A.s1[1]);
            put2(oW1 + (i + 8) * 4 + 2 * t, A.s1[2], A.s1[3]); } if (t == 2) { put(oB1 + i, A.s1[0]); put(oB1 + i + 8, A.s1[2]); } }
        if (NG == 1 ? ni == 1 : true) { int i = 16 * (NG == 1 ? mi : warp) + g; const float *z = NG == 1 ? A.s1 : A.s3; if (t == 2) { put(oW3 + i, z[1]);
            put(oW3 + i + 8, z[3]); } if (t == 3) { put(oW3 + 64 + i, z[0]); put(oW3 + 64 + i + 8, z[2]); } }
        if (mi < 2 && t == 2) { int k = 16 * (2 * ni + mi) + g; put(oB2 + k, A.s2[0]); put(oB2 + k + 8, A.s2[2]); }
      }
      if (ph == 0) __syncthreads();
    }
  } else { /* four groups of rows: halves add into halves */
    const int kg = TID >> 6, y8 = (TID >> 3) & 7, x8 = TID & 7, tx = TID & 15, ty = TID >> 4;
    UN for (int h = 2; h; h >>= 1) {
      if (kg >= h && kg < 2 * h) UN for (int i = 0; i < 8; i++) { float *p = buf + (kg - h) * 4096 + (8 * y8 + i) * 64 + 8 * x8;
        F4(p) = make_float4(A.w[i][0], A.w[i][1], A.w[i][2], A.w[i][3]); F4(p + 4) = make_float4(A.w[i][4], A.w[i][5], A.w[i][6], A.w[i][7]); }
      __syncthreads();
      if (kg < h) UN for (int i = 0; i < 8; i++) { const float *p = buf + kg * 4096 + (8 * y8 + i) * 64 + 8 * x8; float4 a = CF4(p), b = CF4(p + 4); A.w[i][0] += a.x;
        A.w[i][1] += a.y; A.w[i][2] += a.z; A.w[i][3] += a.w; A.w[i][4] += b.x; A.w[i][5] += b.y; A.w[i][6] += b.z; A.w[i][7] += b.w; }
      __syncthreads();
    }
    UN for (int i = 0; i < 4; i++) UN for (int k = 0; k < 8; k++) buf[(ty * 8 + k) * 64 + 4 * tx + i] = A.z[i][k];
    __syncthreads();
    float v[2]; UN for (int q = 0; q < 2; q++) { v[q] = 0; UN for (int i = 0; i < 16; i++) v[q] += buf[i * 512 + TID + 256 * q]; }
    __syncthreads(); /* dst may be buf */
    UN for (int q = 0; q < 2; q++) { int k = (TID + 256 * q) >> 6, u = TID & 63;
      dst[k < 4 ? oW1 + u * 4 + k : k == 4 ? oB1 + u : k == 5 ? oB2 + u : oW3 + (k - 6) * 64 + u] = v[q]; }
    if (kg == 0) UN for (int i = 0; i < 8; i++) { float *p = dst + (8 * y8 + i) * 64 + 8 * x8; F4(p) = make_float4(A.w[i][0], A.w[i][1], A.w[i][2], A.w[i][3]);
      F4(p + 4) = make_float4(A.w[i][4], A.w[i][5], A.w[i][6], A.w[i][7]); }
  }
  float d0 = A.dy[0], d1 = A.dy[1]; UN for (int m = 16; m >= (PREC ? 4 : 1); m >>= 1) { d0 += SHX(d0, m); d1 += SHX(d1, m); }
  if (lane == 0) { s.red[16 + (TID >> 5) * 2] = d0; s.red[17 + (TID >> 5) * 2] = d1; }
  __syncthreads();
  if (TID < 2) { float v = 0; UN for (int w = 0; w < 8; w++) v += s.red[16 + w * 2 + TID]; dst[oB3 + TID] = v; }
}
/* a warp plays EPW environments for T steps: W2 (two columns a lane) in registers, h1 through shared memory, no wider barrier */
template<int PREC, int EPW> DEV void rollout(const Args &a, const Sm &s, int upd, int S) {
  const int lane = TID & 31, warp = TID >> 5, NC = NCTA, cta = CTA; float *nz = s.H1, *hb = s.H1 + 4096 + warp * EPW * 128;
  for (int q = TID; q < S * T; q += 256) { /* logistic noise: argmax(l + gumbel) of two */
    int e = cta + NC * (q / T); float u = u01(threefry(a.seed, S_ACT, e, upd * T + q % T).x); nz[q] = __logf(__fdividef(u, 1.f - u)); }
  __syncthreads();
  if (warp * EPW < S) {
    const float *P = a.P; float wa[64], wb[64];
    UN for (int k = 0; k < 64; k++) { wa[k] = __ldcg(P + k * 64 + lane); wb[k] = __ldcg(P + k * 64 + lane + 32); }
    const float4 u1 = __ldcg((const float4 *)(P + oW1) + lane), v1 = __ldcg((const float4 *)(P + oW1) + lane + 32);
    const float ba = __ldcg(P + oB1 + lane), bb = __ldcg(P + oB1 + lane + 32), ca = __ldcg(P + oB2 + lane), cb = __ldcg(P + oB2 + lane + 32);
    const float o0a = __ldcg(P + oW3 + lane), o0b = __ldcg(P + oW3 + lane + 32), o1a = __ldcg(P + oW3 + 64 + lane), o1b = __ldcg(P + oW3 + 96 + lane),
      b30 = __ldcg(P + oB3), b31 = __ldcg(P + oB3 + 1);
    float4 st[EPW]; int et[EPW]; u32 db[EPW];
    UN for (int j = 0; j < EPW; j++) { int e = cta + NC * (warp * EPW + j); st[j] = a.env[e]; et[j] = a.envt[e]; db[j] = 0; }
#pragma unroll 1
    for (int t = 0; t < T; t++) {
      float *h = hb + (t & 1) * EPW * 64;
      UN for (int j = 0; j < EPW; j++) {
        float4 x = st[j];
        h[j * 64 + lane] = tanh_<PREC>(dot4(x, u1, ba));
        h[j * 64 + lane + 32] = tanh_<PREC>(dot4(x, v1, bb));
      }
      __syncwarp();
      float l0[EPW], l1[EPW]; CpPre pre[EPW];
      UN for (int j = 0; j < EPW; j++) {
        pre[j] = cp_pre(st[j]); float za = ca, zb = cb, ya = 0, yb = 0;
        UN for (int k = 0; k < 64; k += 4) {
          float4 v = CF4(h + j * 64 + k);
          za = fmaf(v.x, wa[k], za); zb = fmaf(v.x, wb[k], zb); ya = fmaf(v.y, wa[k + 1], ya); yb = fmaf(v.y, wb[k + 1], yb);
          za = fmaf(v.z, wa[k + 2], za); zb = fmaf(v.z, wb[k + 2], zb); ya = fmaf(v.w, wa[k + 3], ya); yb = fmaf(v.w, wb[k + 3], yb);
        }
        float ha = tanh_<PREC>(za + ya), hc = tanh_<PREC>(zb + yb); l0[j] = ha * o0a + hc * o0b; l1[j] = ha * o1a + hc * o1b;
      }
      UN for (int m = 16; m; m >>= 1) UN for (int j = 0; j < EPW; j++) { l0[j] += SHX(l0[j], m); l1[j] += SHX(l1[j], m); }
      UN for (int j = 0; j < EPW; j++) {
        int sl = warp * EPW + j, e = cta + NC * sl; float d = (l1[j] + b31) - (l0[j] + b30); bool act = d > nz[sl * T + t]; float4 *rc = a.rec + (e * T + t) * 2;
        if (lane == 0) { rc[0] = st[j]; F2(rc + 1) = make_float2(act ? 1.f : 0.f, d); } /* the log-probability is made of d later, off this path */
        if (cp_post(st[j], et[j], pre[j], act)) { cp_reset(st[j], et[j], a.seed, e, upd * T + t + 1); db[j] |= 1u << (t & 31); }
        if ((t & 31) == 31) { if (lane == 0) s.db[sl * 4 + (t >> 5)] = db[j]; db[j] = 0; }
      }
    }
    UN for (int j = 0; j < EPW; j++) if (lane == 0) { int sl = warp * EPW + j, e = cta + NC * sl; a.env[e] = st[j]; a.envt[e] = et[j]; F4(s.last + sl * 4) = st[j]; }
  }
  __syncthreads();
}
/* the CTA plays RR environments together, a forward pass of RR rows a step; s.W[0] holds the policy */
template<int PREC, int RR> DEV void rollout_batch(const Args &a, const Sm &s, int upd, int S) {
  constexpr int WN = PREC ? 128 / RR : 1; const int NC = NCTA, cta = CTA, r = TID; float *nz = s.H1 + 32 * LD; Acc A;
  for (int q = TID; q < S * T; q += 256) { int e = cta + NC * (q / T); float u = u01(threefry(a.seed, S_ACT, e, upd * T + q % T).x);
    nz[q] = __logf(__fdividef(u, 1.f - u)); }
  float4 st = make_float4(0, 0, 0, 0); int et = 0; u32 db = 0; const int e = cta + NC * r; float b3 = s.W[0][W2S<PREC> + sB3 + 1] - s.W[0][W2S<PREC> + sB3];
  if (r < S) { st = a.env[e]; et = a.envt[e]; } if (r < RR) F4(s.Xa + r * 8) = st;
  __syncthreads();
#pragma unroll 1
  for (int t = 0; t < T; t++) {
    if constexpr (PREC) chunk_tc<PREC, RR, 2, 8>(s, s.W[0], 0, 0, A, 0); else chunk_fma<PREC, RR, 2>(s, s.W[0], 0, 0, A, 0);
    if (r < S) {
      CpPre pre = cp_pre(st); float d = b3; UN for (int w = 0; w < WN; w++) { float2 y = CF2(s.yp + (w * RR + r) * 2); d += y.y - y.x; }
      bool act = d > nz[r * T + t]; float4 *rc = a.rec + (e * T + t) * 2; rc[0] = st; F2(rc + 1) = make_float2(act ? 1.f : 0.f, d);
      if (cp_post(st, et, pre, act)) { cp_reset(st, et, a.seed, e, upd * T + t + 1); db |= 1u << (t & 31); }
      F4(s.Xa + r * 8) = st; if ((t & 31) == 31) { s.db[r * 4 + (t >> 5)] = db; db = 0; }
    }
    __syncthreads();
  }
  if (r < S) { a.env[e] = st; a.envt[e] = et; F4(s.last + r * 4) = st; }
  __syncthreads();
}
#define PT(k) if (PROF && CTA == 0 && TID == 0) { u64 n_ = clock64(); a.prof[k] += n_ - pt; pt = n_; }
/* MODE: who meets at the barrier; GN: CTAs a network (NC = 2 GN, one network a CTA; M_CTA: one CTA, both); R: rows a chunk; RO 1, 2, 4: a warp plays
 * that many environments, 16, 32: the CTA plays them together; XCH 0: exchange through L2, 1: distributed shared memory and cluster barriers, 2: the
 * same asynchronously, no barrier in the minibatch loop; NG: groups of warps that take turns of R/NG rows each */
template<int MODE, int PREC, int GN, int R, int RO, int XCH, int NG, int PROF> KERNEL __launch_bounds__(256, 1) kern(Args a) {
  constexpr int NPC = MODE == M_CTA ? 2 : 1, F = NPC * PN / 4 / GN, GR = F >= 256 ? 1 : (GN < 256 / F ? GN : 256 / F), NF = (F + 255) / 256, NS = NF <= 3 ? NF : 1,
    RV = 128, MAXS = 32, RG = R / NG, TG = 256 / NG;
  Sm s; carve<PREC, NPC, R, MAXS, XCH == 2>(s, SMEM);
  const int tid = TID, lane = tid & 31, warp = tid >> 5, cta = CTA, NC = NCTA, net0 = NPC == 2 ? 0 : (cta & 1), gi = NPC == 2 ? 0 : cta >> 1;
  const int E = a.E, N = E * T, MB = N / 4, nch = a.rows / R, S = cta < E ? (E - cta + NC - 1) / NC : 0; const float invB = 1.f / MB;
  Bar<MODE> bar(a.bar, NC); u64 pt = PROF ? clock64() : 0; int par = 0; u32 ph = 0;
  float b1t = powf(.9f, 16.f * a.u0), b2t = powf(.999f, 16.f * a.u0);
  float4 m4[NS], v4[NS], w4[NS]; const int f0 = NPC == 2 ? 0 : gi * F; /* the slice of parameters this CTA owns; its moments stay in registers where F <= 768 */
  if (NF == NS) UN for (int i = 0; i < NF; i++) if (tid + 256 * i < F) { const int at = net0 * PN + (f0 + tid + 256 * i) * 4; m4[i] = CF4(a.M + at);
    v4[i] = CF4(a.V + at); w4[i] = CF4(a.P + at); }
  if (tid < 128) { s.Xa[tid * 8 + 4] = 1; s.Xa[tid * 8 + 5] = s.Xa[tid * 8 + 6] = s.Xa[tid * 8 + 7] = 0; }
  if (XCH == 2) { if (tid == 0) UN for (int i = 0; i < 4; i++) mb_init(s.mb + i); bar.sync(); } /* 0: gradients, 1: weights, 2, 3: norms */
  int have = -1; auto weights = [&](int n) { if (NPC == 1 && have != n) { __syncthreads(); w_load<PREC>(s.W[0], a.P + n * PN); have = n; __syncthreads(); } };
  if (NPC == 2) { w_load<PREC>(s.W[0], a.P); w_load<PREC>(s.W[1], a.P + PN); }
  for (int upd = a.u0; upd < a.u0 + a.updates; upd++) {
    if constexpr (RO < 16) rollout<PREC, RO>(a, s, upd, S); else { if (S) weights(0); rollout_batch<PREC, RO>(a, s, upd, S); }
    PT(0)
    /* values of all the states seen, in chunks; then GAE, a warp an environment: a suffix scan of affine maps */
    if (S) {
      weights(1); Acc A;
      for (int q0 = 0; q0 < S * (T + 1); q0 += RV) {
        __syncthreads();
        if (tid < RV) { int q = q0 + tid, sl = q / (T + 1), t = q % (T + 1); float4 x = make_float4(0, 0, 0, 0);
          if (sl < S) x = t < T ? __ldcg(a.rec + ((cta + NC * sl) * T + t) * 2) : CF4(s.last + sl * 4); F4(s.Xa + tid * 8) = x; }
        __syncthreads();
        if constexpr (PREC) chunk_tc<PREC, RV / NG, 1, 8 / NG>(s, s.W[NPC - 1], 1, 0, A, s.v + q0); else chunk_fma<PREC, 64, 1>(s, s.W[NPC - 1], 1, 0, A, s.v + q0);
        if (PREC == 0 && RV == 128) { if (tid < 64) F4(s.Xa + tid * 8) = CF4(s.Xa + (tid + 64) * 8); __syncthreads();
          chunk_fma<PREC, 64, 1>(s, s.W[NPC - 1], 1, 0, A, s.v + q0 + 64); }
      }
      __syncthreads();
      for (int sl = warp; sl < S; sl += 8) {
        const float *v = s.v + sl * (T + 1); u32 db = s.db[sl * 4 + (lane >> 3)]; float d[4], c[4], pa = 1, pb = 0; const int e = cta + NC * sl; float2 al[4];
        UN for (int i = 0; i < 4; i++) al[i] = __ldcg((const float2 *)(a.rec + (e * T + 4 * lane + i) * 2 + 1));
        UN for (int i = 3; i >= 0; i--) { int t = 4 * lane + i; float nd = (db >> (t & 31)) & 1 ? 0.f : 1.f; d[i] = 1.f + .99f * v[t + 1] * nd - v[t];
          c[i] = .99f * .95f * nd; pb = fmaf(c[i], pb, d[i]); pa *= c[i]; }
        UN for (int m = 1; m < 32; m <<= 1) { float qa = __shfl_down_sync(~0u, pa, m), qb = __shfl_down_sync(~0u, pb, m); if (lane + m < 32) { pb = fmaf(pa, qb, pb);
            pa *= qa; } }
        float nx = __shfl_down_sync(~0u, pb, 1); if (lane == 31) nx = 0;
        UN for (int i = 3; i >= 0; i--) { int t = 4 * lane + i; nx = fmaf(c[i], nx, d[i]); a.adv[e * T + t] = nx; float z = al[i].x > .5f ? -al[i].y : al[i].y;
          a.rec[(e * T + t) * 2 + 1] = make_float4(al[i].x, -(fmaxf(z, 0.f) + __logf(1.f + __expf(-fabsf(z)))), nx, nx + v[t]); }
      }
      if (warp == 7) { int n = 0; for (int i = lane; i < S * 4; i += 32) n += __popc(s.db[i]); float nf = warp_sum((float)n); if (lane == 0) a.dones[upd * NC + cta] = nf;
        }
    }
    weights(net0); PT(1) bar.sync(); PT(7)
    /* mean and deviation of the advantage of all 16 minibatches: they depend on nothing the minibatch loop changes */
    for (int m = warp; m < 16; m += 8) {
      uint2 k = threefry(a.seed, S_PERM, upd, m >> 2); float x = 0, x2 = 0;
#pragma unroll 4
      for (int q = cta * (MB / NC) + lane; q < (cta + 1) * (MB / NC); q += 32) { float v = __ldcg(a.adv + permute((m & 3) * MB + q, a.bits, k.x, k.y)); x += v;
        x2 = fmaf(v, v, x2); }
      x = warp_sum(x); x2 = warp_sum(x2); if (lane == 0) F2(a.stat + (cta * 16 + m) * 2) = make_float2(x, x2);
    }
    bar.sync(); PT(7)
    for (int m = warp; m < 16; m += 8) {
      float x = 0, x2 = 0; for (int q = lane; q < NC; q += 32) { float2 v = __ldcg((const float2 *)a.stat + q * 16 + m); x += v.x; x2 += v.y; }
      x = warp_sum(x) * invB; x2 = warp_sum(x2) * invB; if (lane == 0) { s.st[2 * m] = x; s.st[2 * m + 1] = __fdividef(1.f, fsqrt(fmaxf(x2 - x * x, 0.f)) + 1e-8f); }
    }
    PT(2)
    /* rows are gathered one chunk ahead, into registers */
    float4 ra, rb; uint2 pk = make_uint2(0, 0); const int tg = tid % TG, tr = tid / TG * RG + tg;
    auto fetch = [&](int m, int ch) { if ((ch == 0 && (m & 3) == 0) || NPC == 2) pk = threefry(a.seed, S_PERM, upd, m >> 2);
      if (tg < RG && m < 16) { u32 r = permute((m & 3) * MB + gi * a.rows + ch * R + tr, a.bits, pk.x, pk.y); ra = __ldcg(a.rec + r * 2); rb = __ldcg(a.rec + r * 2 + 1);
        } };
    fetch(0, 0);
#pragma unroll 1
    for (int m = 0; m < 16; m++) {
#pragma unroll 1
      for (int nn = 0; nn < NPC; nn++) {
        Acc A; acc_zero(A); __syncthreads();
        const int net = NPC == 2 ? nn : net0;
#pragma unroll 1
        for (int ch = 0; ch < nch; ch++) {
          if (tg < RG) { F4(s.Xa + tr * 8) = ra; rb.z = (rb.z - s.st[2 * m]) * s.st[2 * m + 1]; F4(s.rd + tr * 4) = rb; }
          gsync<8 / NG>();
          if (ch + 1 < nch) fetch(m, ch + 1); else if (nn + 1 < NPC) fetch(m, 0); else fetch(m + 1, 0);
          if constexpr (PREC) chunk_tc<PREC, RG, 0, 8 / NG>(s, s.W[0] + (NPC == 2 ? nn * WSZ<PREC> : 0), net, invB, A, 0);
          else chunk_fma<PREC, R, 0>(s, s.W[0] + (NPC == 2 ? nn * WSZ<PREC> : 0), net, invB, A, 0);
        }
        PT(3)
        if (NG == 2) __syncthreads();
        acc_store<PREC, NG>(s, A, XCH ? s.H1 : a.part + (NPC == 2 ? nn : cta) * PN, s.H1);
        if (XCH) for (int i = tid; i < PN - oB3 - 2; i += 256) s.H1[oB3 + 2 + i] = 0;
        PT(4)
      }
      float4 gr[NF]; float ss = 0;
      if (XCH == 2) { /* every CTA sends each owner its slice of the gradient */
        fence_async(); __syncthreads(); if (tid == 0) { mb_expect(s.mb, GN * F * 16); mb_expect(s.mb + 1, GN * F * 16); mb_expect(s.mb + 2 + par, 2 * GN * 4); }
        if (tid < GN) bulk_ds(s.gs + gi * F * 4, 2 * tid + net0, s.H1 + tid * F * 4, F * 16, s.mb);
        mb_wait(s.mb, ph & 1); PT(7)
        UN for (int i = 0; i < NF; i++) { int f = tid + 256 * i; gr[i] = make_float4(0, 0, 0, 0);
          if (f < F) { UN for (int q = 0; q < GN; q++) gr[i] = add4(gr[i], CF4(s.gs + (q * F + f) * 4)); ss += sq4(gr[i]); } }
      } else if (GR == 1) { bar.sync(); PT(7)
        UN for (int i = 0; i < NF; i++) { int f = tid + 256 * i; gr[i] = make_float4(0, 0, 0, 0);
          if (f < F) { UN for (int q = 0; q < GN; q++) gr[i] = add4(gr[i],
              XCH ? ds_ld4(s.H1 + (f0 + f) * 4, 2 * q + net0) : __ldcg((const float4 *)(a.part + (NPC == 2 ? 0 : (2 * q + net0) * PN)) + f0 + f)); ss += sq4(gr[i]); } }
      } else { bar.sync(); PT(7) /* few parameters, many partial sums: groups of threads, then the groups' sums */
        int f = tid % F, k = tid / F; float4 x = make_float4(0, 0, 0, 0);
        if (k < GR) { UN for (int i = 0; i < (GN + GR - 1) / GR; i++) { int q = k + GR * i;
            if (q < GN) x = add4(x, __ldcg((const float4 *)(a.part + (2 * q + net0) * PN) + f0 + f)); } F4(s.H1 + (k * F + f) * 4) = x; }
        __syncthreads(); gr[0] = make_float4(0, 0, 0, 0);
        if (tid < F) { UN for (int i = 0; i < GR; i++) gr[0] = add4(gr[0], CF4(s.H1 + (i * F + tid) * 4)); ss = sq4(gr[0]); }
      }
      if (a.dbg && upd == a.u0 && m == 0) UN for (int i = 0; i < NF; i++) if (tid + 256 * i < F) F4(a.dbg + net0 * PN + (f0 + tid + 256 * i) * 4) = gr[i];
      ss = block_sum<8>(ss, s.red);
      if (MODE != M_CTA) { /* sum over CTAs */
        PT(5)
        if (XCH) { if (XCH == 2) { if (tid < 2 * GN) st_async(s.red + 32 + par * 16 + cta, tid, ss, s.mb + 2 + par); mb_wait(s.mb + 2 + par, (ph >> 1) & 1);
            } else { if (tid < NC) ds_st(s.red + 32 + par * 16 + cta, tid, ss); bar.sync(); }
          PT(7) ss = 0; UN for (int i = 0; i < 2 * GN; i++) ss += s.red[32 + par * 16 + i]; }
        else { if (tid == 0) a.norm[par * NC + cta] = ss; bar.sync(); PT(7) ss = 0; for (int i = lane; i < NC; i += 32) ss += __ldcg(a.norm + par * NC + i);
          ss = warp_sum(ss); }
        par ^= 1;
      }
      float sc = fminf(1.f, __fdividef(.5f, fsqrt(ss) + 1e-6f)); b1t *= .9f; b2t *= .999f;
      const float lr = __fdividef(2.5e-4f, 1.f - b1t), c2 = __fdividef(1.f, 1.f - b2t);
      UN for (int i = 0; i < NF; i++) { int f = tid + 256 * i; if (f < F) {
        const int at = net0 * PN + (f0 + f) * 4; float4 g = gr[i], &m_ = m4[i % NS], &v_ = v4[i % NS], &w_ = w4[i % NS];
        if (NF > NS) { m_ = CF4(a.M + at); v_ = CF4(a.V + at); w_ = CF4(a.P + at); }
#define ADAM1(x) { float g_ = g.x * sc; m_.x = .9f * m_.x + .1f * g_; v_.x = .999f * v_.x + .001f * g_ * g_; w_.x -= __fdividef(lr * m_.x, fsqrt(v_.x * c2) + 1e-5f); }
        ADAM1(x) ADAM1(y) ADAM1(z) ADAM1(w)
        if (NF > NS) { F4(a.M + at) = m_; F4(a.V + at) = v_; }
        if (!XCH || NF > NS || m == 15) F4(a.P + at) = w_;
        if (NPC == 2) { int n = f >= PN / 4; F4(s.W[0] + n * WSZ<PREC> + w_at<PREC>(f - n * (PN / 4))) = w_rnd<PREC>(f - n * (PN / 4), w_); }
        if (XCH == 1) { float4 w = w_rnd<PREC>(f0 + f, w_); float *p = s.W[0] + w_at<PREC>(f0 + f); UN for (int q = 0; q < GN; q++) ds_st4(p, 2 * q + net0, w); }
        if (XCH == 2) F4(s.gs + PN + w_at<PREC>(f0 + f) - f0 * 4) = w_rnd<PREC>(f0 + f, w_); /* a slice of whole 32-float groups: the swizzle stays inside it */
      } }
      if (XCH == 2) { fence_async(); __syncthreads(); if (tid < GN) bulk_ds(s.W[0] + f0 * 4, 2 * tid + net0, s.gs + PN, F * 16, s.mb + 1);
        PT(6) mb_wait(s.mb + 1, ph & 1); PT(7) }
      else { PT(6) bar.sync(); PT(7) }
      if (NPC == 1 && !XCH) w_load<PREC>(s.W[0], a.P + net0 * PN);
      PT(6) ph = (ph + 1) & 3; if (XCH != 2) ph = 0;
    }
    if (XCH == 2) bar.sync(); else __syncthreads();
  }
  if (NF == NS) UN for (int i = 0; i < NF; i++) if (tid + 256 * i < F) { const int at = net0 * PN + (f0 + tid + 256 * i) * 4; F4(a.M + at) = m4[i]; F4(a.V + at) = v4[i];
    }
}
} // namespace ppo

/* ============================================ tile phases: DQN, SAC ================================================== */
namespace tile {
/* a network, flat: W2[H][H] | W1[4][H] | b1 | b2 | W3^T[2][H] | b3[2] pad 2 */
template<int H> struct Net { static constexpr int W1 = H * H, B1 = W1 + 4 * H, B2 = B1 + H, W3 = B2 + H, B3 = W3 + 2 * H, N = B3 + 4, N4 = N / 4; };
constexpr int NTH = 256, NW = NTH / 32;
template<int PREC> constexpr int KG = PREC ? NW / 4 : NTH / 64; /* k groups of a 32x32 tile: a warp has 16x16 of it (mma), a thread 4x4 (fma) */

/* red[kg][32][40] = A B over the kg-th part of K. Operands in shared memory. AT 0: A[m][k], 1: A[k][m]; BT 0: B[k][n], 1: B[n][k] */
template<int PREC, int K, int AT, int BT, int LA, int LB> DEV void mm(const float *A, const float *B, float *red) {
  constexpr int KP = K / KG<PREC>;
  if constexpr (PREC) {
    static_assert(KP % 8 == 0, "k"); const int warp = TID >> 5, kg = warp >> 2, m0 = (warp & 1) * 16, n0 = (warp & 2) * 8, lane = TID & 31, g = lane >> 2, t = lane & 3;
    float c[2][4]; UN for (int j = 0; j < 2; j++) UN for (int e = 0; e < 4; e++) c[j][e] = 0;
#pragma unroll 8
    for (int k = kg * KP; k < (kg + 1) * KP; k += 8) {
      u32 a[4], b[2][2];
      if (AT == 0) { float2 x = CF2(A + (m0 + g) * LA + k + 2 * t), y = CF2(A + (m0 + 8 + g) * LA + k + 2 * t); a[0] = fb(x.x); a[1] = fb(y.x); a[2] = fb(x.y);
        a[3] = fb(y.y); }
      else { const float *p = A + (k + t) * LA + m0 + g; a[0] = fb(p[0]); a[1] = fb(p[8]); a[2] = fb(p[4 * LA]); a[3] = fb(p[4 * LA + 8]); }
      UN for (int j = 0; j < 2; j++) {
        if (AT == 1) { const float *p = B + (k + t) * LB + n0 + 8 * j + g; b[j][0] = fb(p[0]); b[j][1] = fb(p[4 * LB]); }
        else if (BT == 0) { const float *p = B + (k + 2 * t) * LB + n0 + 8 * j + g; b[j][0] = fb(p[0]); b[j][1] = fb(p[LB]); }
        else { float2 x = CF2(B + (n0 + 8 * j + g) * LB + k + 2 * t); b[j][0] = fb(x.x); b[j][1] = fb(x.y); }
        mma8(c[j], a[0], a[1], a[2], a[3], b[j][0], b[j][1]);
      }
    }
    UN for (int j = 0; j < 2; j++) { float *p = red + (kg * 32 + m0 + g) * 40 + n0 + 8 * j + 2 * t; F2(p) = make_float2(c[j][0], c[j][1]);
      F2(p + 320) = make_float2(c[j][2], c[j][3]); }
  } else {
    const int id = TID & 63, kg = TID >> 6, tx = id & 7, ty = id >> 3;
    float c[4][4]; UN for (int i = 0; i < 4; i++) UN for (int j = 0; j < 4; j++) c[i][j] = 0;
    if (AT == 1) {
#pragma unroll 4
      for (int k = kg * KP; k < (kg + 1) * KP; k++) { float4 a = CF4(A + k * LA + 4 * ty), b = CF4(B + k * LB + 4 * tx);
        UN for (int i = 0; i < 4; i++) { float x = i == 0 ? a.x : i == 1 ? a.y : i == 2 ? a.z : a.w; c[i][0] = fmaf(x, b.x, c[i][0]); c[i][1] = fmaf(x, b.y, c[i][1]);
          c[i][2] = fmaf(x, b.z, c[i][2]); c[i][3] = fmaf(x, b.w, c[i][3]); } }
    } else {
#pragma unroll 2
      for (int k = kg * KP; k < (kg + 1) * KP; k += 4) {
        float4 a[4]; UN for (int i = 0; i < 4; i++) a[i] = CF4(A + (ty + 8 * i) * LA + k);
        UN for (int j = 0; j < 4; j++) {
          if (BT == 0) { float4 b = CF4(B + (k + j) * LB + 4 * tx);
            UN for (int i = 0; i < 4; i++) { float x = j == 0 ? a[i].x : j == 1 ? a[i].y : j == 2 ? a[i].z : a[i].w; c[i][0] = fmaf(x, b.x, c[i][0]);
              c[i][1] = fmaf(x, b.y, c[i][1]); c[i][2] = fmaf(x, b.z, c[i][2]); c[i][3] = fmaf(x, b.w, c[i][3]); } }
          else { float4 b = CF4(B + (tx + 8 * j) * LB + k); UN for (int i = 0; i < 4; i++) c[i][j] = dot4(a[i], b, c[i][j]); }
        }
      }
    }
    UN for (int i = 0; i < 4; i++) { float *p = red + (kg * 32 + (AT ? 4 * ty + i : ty + 8 * i)) * 40;
      if (BT == 0) F4(p + 4 * tx) = make_float4(c[i][0], c[i][1], c[i][2], c[i][3]); else UN for (int j = 0; j < 4; j++) p[tx + 8 * j] = c[i][j]; }
  }
}
/* the end of a tile: four columns a thread, eight neighbouring lanes a row */
template<int PREC> DEV float4 tile4(const float *red) { const float *p = red + (TID >> 3) * 40 + (TID & 7) * 4; float4 v = CF4(p);
  UN for (int k = 1; k < KG<PREC>; k++) v = add4(v, CF4(p + k * 1280)); return v; }
/* the shared memory, at constant offsets: a pointer kept in a struct or chosen at run time ends up in memory and turns LDS into generic loads */
template<int PREC, int H, int B> struct Sm {
  static constexpr int oA = 0, oB = oA + (32 * (H + 8) > B * 40 ? 32 * (H + 8) : B * 40),
    oR = oB + (H * 36 > B * 40 ? (H * 36 > 32 * (H + 8) ? H * 36 : 32 * (H + 8)) : (B * 40 > 32 * (H + 8) ? B * 40 : 32 * (H + 8))), oW = oR + KG<PREC> * 1280,
    oXo = oW + 8 * (H + 8), oXn = oXo + B * 12, o3 = oXn + B * 12, o2 = o3 + 4 * H, oD = o2 + 64, oV = oD + 512, oS = oV + 1536, FLOATS = oS + 128;
  int pp = 0; /* which of two places holds W3, b2 */
  DEV float *A() const { return SMEM + oA; } DEV float *B1() const { return SMEM + oB; } DEV float *red() const { return SMEM + oR;
    } DEV float *W1() const { return SMEM + oW; } DEV float *Xo() const { return SMEM + oXo; } DEV float *Xn() const { return SMEM + oXn; }
  DEV float *w3() const { return SMEM + o3 + pp * 2 * H; } DEV float *b2() const { return SMEM + o2 + pp * 32; } DEV float *dy() const { return SMEM + oD;
    } DEV float *rv() const { return SMEM + oV; } DEV float *sc() const { return SMEM + oS; }
};
/* weights on their way into shared memory. kind 0: W2[:, 32 columns], 1: W2[32 rows, :], 2: the thin ones only (which come with 0 and 1 too). P: parameters,
 * R: their tf32-rounded copy. Asynchronous; W3, b2 alternate between two places, so the next phase's can travel before this one ends */
template<int H, class S> DEV void stage(S &s, const float *P, const float *R, int kind, int cb) { /* addresses differ by constants: no arithmetic a copy */
  using n = Net<H>; s.pp ^= 1;
  if (kind == 0) { float *d = s.B1() + (TID >> 3) * 36 + (TID & 7) * 4; const float *p = R + (TID >> 3) * H + cb * 32 + (TID & 7) * 4;
    UN for (int i = 0; i < H * 8 / NTH; i++) cp16(d + i * (NTH / 8) * 36, p + i * (NTH / 8) * H); }
  if (kind == 1) { constexpr int C = H / 4; float *d = s.B1() + (TID / C) * (H + 8) + (TID % C) * 4; const float *p = R + (cb * 32 + TID / C) * H + (TID % C) * 4;
    UN for (int i = 0; i < 32 * C / NTH; i++) cp16(d + i * (NTH / C) * (H + 8), p + i * (NTH / C) * H); }
  UN for (int i = 0; i < (5 * H / 4 + NTH - 1) / NTH; i++) { int q = TID + NTH * i;
    if (q < 5 * H / 4) cp16(s.W1() + (q / (H / 4)) * (H + 8) + (q % (H / 4)) * 4, P + n::W1 + q * 4); }
  if (TID < H / 2) cp16(s.w3() + TID * 4, P + n::W3 + TID * 4);
  if (TID < 8) cp16(s.b2() + TID * 4, P + n::B2 + cb * 32 + TID * 4);
}
/* out[row][u] = relu(x W1 + b1), ROWS rows x NU units from u0; a warp has MP x NP tiles of 16 x 8 */
template<int PREC, int H, int ROWS, int NU> DEV void layer1(const float *X, const float *W1, int u0, float *out, int ld) {
  if constexpr (PREC) {
    constexpr int MT = ROWS / 16, NT = NU / 8, MP = MT >= NW ? MT / NW : (MT < 2 * NW && NT >= NW ? MT : 1), NP = MT * NT / NW / MP;
    const int warp = TID >> 5, lane = TID & 31, g = lane >> 2, t = lane & 3, m0 = warp * MP % MT, n0 = warp * MP / MT * NP;
    u32 a[MP][2]; UN for (int m = 0; m < MP; m++) { const float *x = X + (16 * (m0 + m) + g) * 12 + t; a[m][0] = fb(x[0]) + 0x1000u; a[m][1] = fb(x[96]) + 0x1000u; }
    UN for (int n = 0; n < NP; n++) { const float *w = W1 + u0 + 8 * (n0 + n); const u32 b = fb(w[t * (H + 8) + g]) + 0x1000u;
      const float2 bi = CF2(w + 4 * (H + 8) + 2 * t);
      UN for (int m = 0; m < MP; m++) { float c[4]; mma8c(c, a[m][0], a[m][1], b, bi); float *o = out + (16 * (m0 + m) + g) * ld + 8 * (n0 + n) + 2 * t;
        F2(o) = make_float2(relu_tf32(c[0]), relu_tf32(c[1])); F2(o + 8 * ld) = make_float2(relu_tf32(c[2]), relu_tf32(c[3])); } }
  } else {
    constexpr int n4 = NU / 4; const int c = (TID % n4) * 4; float4 w[5]; UN for (int k = 0; k < 5; k++) w[k] = CF4(W1 + k * (H + 8) + u0 + c);
#pragma unroll 2
    for (int r = TID / n4; r < ROWS; r += NTH / n4) { float4 x = CF4(X + r * 12), h;
      h.x = fmaxf(fmaf(x.x, w[0].x, fmaf(x.y, w[1].x, fmaf(x.z, w[2].x, fmaf(x.w, w[3].x, w[4].x)))), 0.f);
      h.y = fmaxf(fmaf(x.x, w[0].y, fmaf(x.y, w[1].y, fmaf(x.z, w[2].y, fmaf(x.w, w[3].y, w[4].y)))), 0.f);
      h.z = fmaxf(fmaf(x.x, w[0].z, fmaf(x.y, w[1].z, fmaf(x.z, w[2].z, fmaf(x.w, w[3].z, w[4].z)))), 0.f);
      h.w = fmaxf(fmaf(x.x, w[0].w, fmaf(x.y, w[1].w, fmaf(x.z, w[2].w, fmaf(x.w, w[3].w, w[4].w)))), 0.f);
      F4(out + r * ld + c) = h; }
  }
}
/* one network on nb blocks of 32 rows, 32 units of its second layer. H2 and the sign bits of its units are stored if asked; part[row]: the tile's
 * share of the outputs. mask: four words a group of four rows, bit 8*(row%4) + c/4 of word c%4 */
template<int PREC, int H, class S> DEV void fwd(S &s, const float *X, int nb, int cb, float *H2, uint4 *mask, float2 *part) {
  cp_wait(); const float *b2 = s.b2() + (TID & 7) * 4, *w3 = s.w3() + cb * 32 + (TID & 7) * 4;
#pragma unroll 1
  for (int b = 0; b < nb; b++) {
    __syncthreads(); layer1<PREC, H, 32, H>(X + b * 384, s.W1(), 0, s.A(), H + 8); __syncthreads();
    mm<PREC, H, 0, 0, H + 8, 36>(s.A(), s.B1(), s.red()); __syncthreads();
    float4 v = add4(tile4<PREC>(s.red()), CF4(b2)); v = make_float4(fmaxf(v.x, 0.f), fmaxf(v.y, 0.f), fmaxf(v.z, 0.f), fmaxf(v.w, 0.f));
    const int r = 32 * b + (TID >> 3);
    if (H2) { F4(H2 + r * H + (TID & 7) * 4) = v; uint4 m; m.x = __ballot_sync(~0u, v.x > 0); m.y = __ballot_sync(~0u, v.y > 0); m.z = __ballot_sync(~0u, v.z > 0);
      m.w = __ballot_sync(~0u, v.w > 0); if ((TID & 31) == 0) mask[r >> 2] = m; }
    float y0 = dot4(v, CF4(w3), 0), y1 = dot4(v, CF4(w3 + H), 0); UN for (int m = 4; m; m >>= 1) { y0 += SHX(y0, m); y1 += SHX(y1, m); }
    if ((TID & 7) == 0) part[r] = make_float2(y0, y1);
  }
}
DEV float4 d2(uint4 m, int sh, float2 d, float4 u, float4 w) {
  return make_float4((m.x >> sh) & 1 ? d.x * u.x + d.y * w.x : 0.f, (m.y >> sh) & 1 ? d.x * u.y + d.y * w.y : 0.f, (m.z >> sh) & 1 ? d.x * u.z + d.y * w.z : 0.f,
    (m.w >> sh) & 1 ? d.x * u.w + d.y * w.w : 0.f); }
/* nb blocks of 32 rows of D1 = D2 W2^T relu'(H1), 32 units from 32 ib, D2 = (dy W3) relu'(H2) made from the bits. pw: dW1, db1 summed over these rows;
 * da: D1 W1[3] instead */
template<int H> struct Bits { uint4 m[2][32 * (H / 4) / NTH]; }; /* a thread's share of the sign bits, loaded before anything waits */
template<int H, int B> DEV void bits(Bits<H> &q, const uint4 *mask, int nb) { constexpr int C4 = H / 4, RP = NTH / C4;
  UN for (int b = 0; b < 2; b++) if (b < nb) UN for (int i = 0; i < 32 / RP; i++) q.m[b][i] = __ldcg(mask + (TID % C4 >> 3) * (B / 4) + 8 * b + (TID / C4 + RP * i) / 4);
  }
template<int PREC, int H, int B, class S> DEV void bwd(S &s, const float *X, int nb, int ib, Bits<H> &q, const float *dy, int ni, float *pw, float *da) {
  constexpr int C4 = H / 4, RP = NTH / C4; cp_wait(); float z[5] = {0, 0, 0, 0, 0}; const float *w3 = s.w3();
#pragma unroll 1
  for (int b = 0; b < nb; b++) {
    { const int c = TID % C4, r0 = TID / C4; __syncthreads(); const float4 u = CF4(w3 + 4 * c), w = CF4(w3 + H + 4 * c);
      UN for (int i = 0; i < 32 / RP; i++) { int r = r0 + RP * i; float4 v = d2(b ? q.m[1][i] : q.m[0][i], 8 * (r & 3) + (c & 7), CF2(dy + 2 * (32 * b + r)), u, w);
        F4(s.A() + r * (H + 8) + 4 * c) = make_float4(rnd<PREC>(v.x), rnd<PREC>(v.y), rnd<PREC>(v.z), rnd<PREC>(v.w)); } }
    __syncthreads();
    mm<PREC, H, 0, 1, H + 8, H + 8>(s.A(), s.B1(), s.red()); __syncthreads();
    float4 v = tile4<PREC>(s.red()); const int r = TID >> 3, c = (TID & 7) * 4; const float *w = s.W1() + ib * 32 + c;
    float4 x = CF4(X + (32 * b + r) * 12), bb = CF4(w + 4 * (H + 8)), w0 = CF4(w), w1 = CF4(w + (H + 8)), w2 = CF4(w + 2 * (H + 8)), wl = CF4(w + 3 * (H + 8));
    if (fmaf(x.x, w0.x, fmaf(x.y, w1.x, fmaf(x.z, w2.x, fmaf(x.w, wl.x, bb.x)))) <= 0) v.x = 0;
    if (fmaf(x.x, w0.y, fmaf(x.y, w1.y, fmaf(x.z, w2.y, fmaf(x.w, wl.y, bb.y)))) <= 0) v.y = 0;
    if (fmaf(x.x, w0.z, fmaf(x.y, w1.z, fmaf(x.z, w2.z, fmaf(x.w, wl.z, bb.z)))) <= 0) v.z = 0;
    if (fmaf(x.x, w0.w, fmaf(x.y, w1.w, fmaf(x.z, w2.w, fmaf(x.w, wl.w, bb.w)))) <= 0) v.w = 0;
    if (da) { float d = dot4(v, wl, 0); UN for (int m = 4; m; m >>= 1) d += SHX(d, m); if (c == 0) da[32 * b + r] = d; continue; }
    F4(s.A() + r * 40 + c) = v; __syncthreads();
    { const int c = TID & 31, p = TID >> 5; UN for (int i = 0; i < 32 / NW; i++) { float d = s.A()[(32 / NW * p + i) * 40 + c];
        float4 x = CF4(X + (32 * b + 32 / NW * p + i) * 12); z[0] = fmaf(d, x.x, z[0]); z[1] = fmaf(d, x.y, z[1]); z[2] = fmaf(d, x.z, z[2]); z[3] = fmaf(d, x.w, z[3]);
        z[4] += d; } }
  }
  if (da) return;
  UN for (int k = 0; k < 5; k++) s.red()[((TID >> 5) * 5 + k) * 32 + (TID & 31)] = z[k];
  __syncthreads();
  if (TID < 160) { float v = 0; UN for (int i = 0; i < NW; i++) v += s.red()[i * 160 + TID]; int k = TID >> 5;
    pw[k * H + ib * 32 + (TID & 31)] = k >= ni && k < 4 ? 0.f : v; }
}
/* nb tiles of dW2 = H1^T D2: 32 x 32 from rows 32 ib, columns 32 jb, K = B; with db2, dW3 where ib = 0, db3 where also jb = 0; -> squares (a thread's share) */
template<int PREC, int H, int B, class S> DEV float dw(S &s, const float *X, int nb, int ib, int jb, const uint4 *mask, const float *H2, const float *dy, float *g) {
  const int c = TID & 7, r0 = TID >> 3; float ss = 0; constexpr int RS = NTH / 8, NR = B / RS; uint4 m[NR];
  UN for (int i = 0; i < NR; i++) m[i] = __ldcg(mask + jb * (B / 4) + (r0 + RS * i) / 4);
  float4 hv[NR]; if (ib == 0) UN for (int i = 0; i < NR; i++) hv[i] = __ldcg((const float4 *)(H2 + (r0 + RS * i) * H + jb * 32 + 4 * c)); /* all in flight at once */
  cp_wait(); __syncthreads();
  { const float *w3 = s.w3() + jb * 32 + 4 * c; const float4 u = CF4(w3), w = CF4(w3 + H); float z[12]; UN for (int i = 0; i < 12; i++) z[i] = 0;
    UN for (int i = 0; i < NR; i++) { int r = r0 + RS * i; float2 d = CF2(dy + 2 * r); float4 v = d2(m[i], 8 * (r & 3) + c, d, u, w);
      F4(s.B1() + r * 40 + 4 * c) = make_float4(rnd<PREC>(v.x), rnd<PREC>(v.y), rnd<PREC>(v.z), rnd<PREC>(v.w));
      if (ib == 0) { float4 h = hv[i]; z[0] += v.x; z[1] += v.y; z[2] += v.z; z[3] += v.w; z[4] = fmaf(h.x, d.x, z[4]); z[5] = fmaf(h.y, d.x, z[5]);
        z[6] = fmaf(h.z, d.x, z[6]); z[7] = fmaf(h.w, d.x, z[7]);
        z[8] = fmaf(h.x, d.y, z[8]); z[9] = fmaf(h.y, d.y, z[9]); z[10] = fmaf(h.z, d.y, z[10]); z[11] = fmaf(h.w, d.y, z[11]); } }
    if (ib == 0) {
      UN for (int i = 0; i < 12; i++) { z[i] += SHX(z[i], 8); z[i] += SHX(z[i], 16); if ((TID & 31) < 8) s.red()[((TID >> 5) * 3 + i / 4) * 32 + 4 * c + i % 4] = z[i]; }
      __syncthreads();
      if (TID < 96) { float v = 0; UN for (int k = 0; k < NW; k++) v += s.red()[k * 96 + TID]; int k = TID >> 5, j = jb * 32 + (TID & 31);
        g[k == 0 ? Net<H>::B2 + j : Net<H>::W3 + (k - 1) * H + j] = v; ss += v * v; }
      if (jb == 0 && TID >= NTH - 64) { float v = 0; UN for (int r = 0; r < B; r += 32) v += dy[2 * (r + (TID & 31)) + ((TID >> 5) & 1)]; v = warp_sum(v);
        if ((TID & 31) == 0) { g[Net<H>::B3 + ((TID >> 5) & 1)] = v; ss += v * v; } }
    } }
#pragma unroll 1
  for (int b = 0; b < nb; b++) {
    layer1<PREC, H, B, 32>(X, s.W1(), (ib + b) * 32, s.A(), 40); __syncthreads();
    mm<PREC, B, 1, 0, 40, 40>(s.A(), s.B1(), s.red()); __syncthreads();
    float4 v = tile4<PREC>(s.red()); F4(g + ((ib + b) * 32 + (TID >> 3)) * H + jb * 32 + (TID & 7) * 4) = v; ss += sq4(v);
  }
  return ss;
}
/* Adam over nn networks' parameters, split over all threads of all CTAs; nrb partial sums of dW1. The norm of dW1 is summed by every CTA (no further
 * barrier); the squares of the rest come one a CTA. tgt 0: no target, 1: moving average, 2: copy. extra: a second sum (a thread's share) */
template<int PREC, int H, int G, int nn, int nrb, class S> DEV float adam(S &s, float *P, float *R, float *M, float *V, const float *Gr, const float *pw,
  const float *slot, float *TP, float *TR, int tgt, float lr, float clip, float b1t, float b2t, float extra) {
  using n = Net<H>; constexpr int GT = G * NTH, L0 = n::W1 / 4, L1 = n::B2 / 4, Q5 = 5 * H / 4; constexpr int NT = nn * n::N4, NQ = (nn * Q5 + NTH - 1) / NTH;
  const int gt = CTA * NTH + TID; float4 g[2], m[2], v[2], w[2], t[2];
  auto thin = [&](int k, int f) { const float4 *p = (const float4 *)pw + k * nrb * Q5 + f; float4 x = __ldcg(p);
    UN for (int i = 1; i < nrb; i++) x = add4(x, __ldcg(p + i * Q5)); return x; };
  auto load = [&](int i, int q) { m[i] = __ldcg((float4 *)M + q); v[i] = __ldcg((float4 *)V + q); w[i] = __ldcg((float4 *)P + q);
    if (tgt == 1) t[i] = __ldcg((float4 *)TP + q); int k = q >= n::N4, f = q - k * n::N4; g[i] = f >= L0 && f < L1 ? thin(k, f - L0) : __ldcg((const float4 *)Gr + q); };
  auto put = [&](int i, int q, float sc, float c1, float c2) { float4 &g_ = g[i], &m_ = m[i], &v_ = v[i], &w_ = w[i], &t_ = t[i];
#define ADAM2(x) { float y = g_.x * sc; m_.x = .9f * m_.x + .1f * y; v_.x = .999f * v_.x + .001f * y * y; w_.x -= __fdividef(c1 * m_.x, fsqrt(v_.x * c2) + 1e-5f); t_.x = .995f * t_.x + .005f * w_.x; }
    ADAM2(x) ADAM2(y) ADAM2(z) ADAM2(w)
    ((float4 *)M)[q] = m_; ((float4 *)V)[q] = v_; ((float4 *)P)[q] = w_;
    ((float4 *)R)[q] = make_float4(rnd<PREC>(w_.x), rnd<PREC>(w_.y), rnd<PREC>(w_.z), rnd<PREC>(w_.w));
    if (tgt) { if (tgt == 2) t_ = w_; ((float4 *)TP)[q] = t_; ((float4 *)TR)[q] = make_float4(rnd<PREC>(t_.x), rnd<PREC>(t_.y), rnd<PREC>(t_.z), rnd<PREC>(t_.w)); } };
  UN for (int i = 0; i < 2; i++) if (gt + GT * i < NT) load(i, gt + GT * i);
  float ss = TID < G ? __ldcg(slot + TID) : 0.f; UN for (int i = 0; i < NQ; i++) { int q = TID + NTH * i; if (q < nn * Q5) ss += sq4(thin(q / Q5, q % Q5)); }
  ss = warp_sum(ss); extra = warp_sum(extra); if ((TID & 31) == 0) { s.sc()[64 + (TID >> 5)] = ss; s.sc()[80 + (TID >> 5)] = extra; } __syncthreads();
  ss = extra = 0; UN for (int i = 0; i < NW; i++) { ss += s.sc()[64 + i]; extra += s.sc()[80 + i]; }
  const float sc = fminf(1.f, __fdividef(clip, fsqrt(ss) + 1e-6f)), c1 = __fdividef(lr, 1.f - b1t), c2 = __fdividef(1.f, 1.f - b2t);
  UN for (int i = 0; i < 2; i++) if (gt + GT * i < NT) put(i, gt + GT * i, sc, c1, c2);
  if (2 * GT < 2 * n::N4) { /* few CTAs */
#pragma unroll 1
    for (int q = gt + 2 * GT; q < NT; q += GT) { load(0, q); put(0, q, sc, c1, c2); } }
  return extra;
}
/* a CTA's share of one row's forward pass: H/G units of the second layer -> yp[CTA] */
template<int H, int G, class S> DEV void act_part(S &s, const float *P, float4 x, float2 *yp) {
  using n = Net<H>; constexpr int NC = H / G, KS = NTH / NC, KT = H / KS; const int c = CTA * NC + TID % NC, ks = TID / NC, lane = TID & 31, warp = TID >> 5;
  float w[KT], *h = s.dy(), *z = s.rv() + 1024;
  UN for (int i = 0; i < KT; i++) w[i] = __ldcg(P + (ks + KS * i) * H + c);
  for (int u = TID; u < H; u += NTH) { const float *p = P + n::W1 + u;
    h[u] = fmaxf(fmaf(x.x, __ldcg(p), fmaf(x.y, __ldcg(p + H), fmaf(x.z, __ldcg(p + 2 * H), fmaf(x.w, __ldcg(p + 3 * H), __ldcg(P + n::B1 + u))))), 0.f); }
  float b2 = 0, u0 = 0, u1 = 0; if (TID < NC) { b2 = __ldcg(P + n::B2 + c); u0 = __ldcg(P + n::W3 + c); u1 = __ldcg(P + n::W3 + H + c); }
  __syncthreads();
  float v = 0; UN for (int i = 0; i < KT; i++) v = fmaf(h[ks + KS * i], w[i], v);
  UN for (int m = 16; m; m >>= 1) if (m >= NC) v += SHX(v, m);
  constexpr int PER = NC < 32 ? NC : 32, NZ = NTH / 32 * PER / NC; /* partial sums a unit */
  if (lane < PER) z[warp * PER + lane] = v;
  __syncthreads();
  float y0 = 0, y1 = 0; if (TID < NC) { v = b2; UN for (int i = 0; i < NZ; i++) v += z[i * NC + TID]; v = fmaxf(v, 0.f); y0 = v * u0; y1 = v * u1; }
  if (NC <= 32) { if (warp == 0) { UN for (int m = 16; m; m >>= 1) if (m < NC) { y0 += SHX(y0, m); y1 += SHX(y1, m); } if (TID == 0) yp[CTA] = make_float2(y0, y1); } }
  else { y0 = block_sum<NW>(y0, s.sc() + 96); y1 = block_sum<NW>(y1, s.sc() + 96); if (TID == 0) yp[CTA] = make_float2(y0, y1); }
}
template<int G> DEV float2 act_sum(const float2 *yp, const float *b3) { /* by one warp */
  float a = 0, b = 0, c = __ldcg(b3), d = __ldcg(b3 + 1); UN for (int i = 0; i < (G + 31) / 32; i++) { int k = (TID & 31) + 32 * i;
    if (k < G) { float2 v = __ldcg(yp + k); a += v.x; b += v.y; } } a = warp_sum(a); b = warp_sum(b); return make_float2(a + c, b + d);
}
template<int NCB> DEV float2 psum(const float2 *part, int B, int row) { float2 v = make_float2(0, 0);
  UN for (int k = 0; k < NCB; k++) { float2 p = __ldcg(part + k * B + row); v.x += p.x; v.y += p.y; } return v; }

/* ---- DQN: act | forward (16 jobs) | backward (16 jobs) | Adam ------------------------------------------------------------ */
struct DqnArgs { float *P, *R, *M, *V, *G, *pw, *H2, *slot, *env, *don; float4 *rec; float2 *part, *yp; uint4 *mask; u32 *bar; u64 *prof; int i0, steps, warm, cap;
  u32 seed; };
template<int MODE, int PREC, int G, int PF, int PROF> KERNEL __launch_bounds__(NTH, 1) dqn(DqnArgs a) {
  constexpr int H = 128, B = 64, NCB = 4; using n = Net<H>; Sm<PREC, H, B> s;
  const int tid = TID, cta = CTA; Bar<MODE> bar(a.bar, G); u64 pt = PROF ? clock64() : 0; float *P = a.P, *Q = a.P + n::N, *PR = a.R, *QR = a.R + n::N;
  float b1t = powf(.9f, (float)max(a.i0 - a.warm, 0)), b2t = powf(.999f, (float)max(a.i0 - a.warm, 0)); int par = 0;
  float *es = s.sc(); /* environment: state 0..3, t 4, then the new transition: obs 8..11, next 12..15, action 16, done 17 */
  for (int q = tid; q < 3 * (H + 8); q += NTH) s.W1()[5 * (H + 8) + q] = 0;
  if (tid < B) { s.Xo()[tid * 12 + 4] = s.Xn()[tid * 12 + 4] = 1; UN for (int k = 5; k < 8; k++) s.Xo()[tid * 12 + k] = s.Xn()[tid * 12 + k] = 0; }
  if (tid < 5) es[tid] = a.env[tid];
  __syncthreads();
  /* job k of phase ph: forward: net k/8 (0 target, 1 online), rows (k/4)%2, columns k%4; backward: k < 8: D1, rows k/4, units k%4;
   * k >= 8: dW2, columns k%4, rows 2 ((k-8)/4) and the next */
  auto st = [&](int ph, int k) { if (ph == 0) stage<H>(s, k < 8 ? Q : P, k < 8 ? QR : PR, 0, k & 3); else stage<H>(s, P, PR, k < 8 ? 1 : 2, k & 3); };
#pragma unroll 1
  for (int i = a.i0; i < a.i0 + a.steps; i++) {
    const bool up = i >= a.warm; const u32 size = min(i + 1, a.cap);
    if (i == a.warm) bar.sync(); /* the last warm-up transition must be seen by all */
    act_part<H, G>(s, P, CF4(es), a.yp + (i & 1) * G); PT(0)
    if (PF) bar.arrive();
    if (PF && up && cta < 16) st(0, cta);
    u32 ix = 0; float4 o, x, e; /* the batch, whole, in every CTA; the newest transition is patched in after the barrier */
    if (up && tid >= 64 && tid < 64 + B) { ix = below(threefry(a.seed, S_IDX, i, tid - 64).x, size); o = __ldcg(a.rec + ix * 3); x = __ldcg(a.rec + ix * 3 + 1);
      e = __ldcg(a.rec + ix * 3 + 2); }
    uint2 rn; if (tid < 32) rn = threefry(a.seed, S_EPS, i, 0);
    if (PF) bar.wait(); else bar.sync(); PT(7)
    if (tid < 32) {
      float4 st = CF4(es); CpPre pre = cp_pre(st); int t = (int)es[4]; float2 q = act_sum<G>(a.yp + (i & 1) * G, P + n::B3);
      float eps = fmaxf(.01f, 1.f - i * (.99f / 50000.f));
      bool act = u01(rn.x) < eps ? rn.y >> 31 : q.y > q.x; float4 ob = st; bool d = cp_post(st, t, pre, act); if (d) cp_reset(st, t, a.seed, 0, i);
      __syncwarp();
      if (tid == 0) { F4(es) = st; es[4] = (float)t; F4(es + 8) = ob; F4(es + 12) = st; es[16] = act; es[17] = d;
        if (cta == 0) { int j = i % a.cap; a.rec[j * 3] = ob; a.rec[j * 3 + 1] = st; a.rec[j * 3 + 2] = make_float4(act, 1.f, d, 0.f); a.don[i] = d; } }
    }
    __syncthreads(); PT(1)
    if (!up) { if (i % 1000 == 0) { for (int q = cta * NTH + tid; q < n::N; q += G * NTH) { Q[q] = P[q]; QR[q] = PR[q]; } } continue; }
    if (tid >= 64 && tid < 64 + B) {
      if ((int)ix == i % a.cap) { o = CF4(es + 8); x = CF4(es + 12); e = make_float4(es[16], 1.f, es[17], 0.f); }
      F4(s.Xo() + (tid - 64) * 12) = o; F4(s.Xn() + (tid - 64) * 12) = x; F4(s.rv() + (tid - 64) * 4) = e;
    }
#pragma unroll 1
    for (int k = cta; k < 16; k += G) {
      if (!PF || k != cta) { __syncthreads(); st(0, k); }
      int net = k >> 3, cb = k & 3, r0 = ((k >> 2) & 1) * 32;
      fwd<PREC, H>(s, (net ? s.Xo() : s.Xn()) + r0 * 12, 1, cb, net ? a.H2 + r0 * H + cb * 32 : 0, a.mask + cb * (B / 4) + r0 / 4, a.part + (net * NCB + cb) * B + r0);
    }
    PT(2) if (PF) { bar.arrive(); if (cta < 16) st(1, cta); bar.wait(); } else bar.sync(); PT(7)
    Bits<H> bt; if (cta < 8) bits<H, B>(bt, a.mask + (cta >> 2) * 8, 1);
    if (tid < B) {
      float2 q = psum<NCB>(a.part + NCB * B, B, tid), t = psum<NCB>(a.part, B, tid); float4 e = CF4(s.rv() + tid * 4);
      float y = e.y + .99f * (1.f - e.z) * fmaxf(t.x + __ldcg(Q + n::B3), t.y + __ldcg(Q + n::B3 + 1)),
        d = ((e.x > .5f ? q.y + __ldcg(P + n::B3 + 1) : q.x + __ldcg(P + n::B3)) - y) * (2.f / B);
      F2(s.dy() + 2 * tid) = e.x > .5f ? make_float2(0, d) : make_float2(d, 0);
    }
    float ss = 0;
#pragma unroll 1
    for (int k = cta; k < 16; k += G) {
      if (!PF || k != cta) { __syncthreads(); st(1, k); } if (k < 8 && k != cta) bits<H, B>(bt, a.mask + (k >> 2) * 8, 1);
      if (k < 8) { int r0 = (k >> 2) * 32; bwd<PREC, H, B>(s, s.Xo() + r0 * 12, 1, k & 3, bt, s.dy() + 2 * r0, 4, a.pw + (k >> 2) * 5 * H, 0); }
      else ss += dw<PREC, H, B>(s, s.Xo(), 2, ((k - 8) >> 2) * 2, k & 3, a.mask, a.H2, s.dy(), a.G);
    }
    ss = block_sum<NW>(ss, s.sc() + 96); if (tid == 0) a.slot[par * G + cta] = ss;
    PT(3) bar.sync(); PT(7)
    b1t *= .9f; b2t *= .999f;
    adam<PREC, H, G, 1, 2>(s, P, PR, a.M, a.V, a.G, a.pw, a.slot + par * G, Q, QR, i % 1000 == 0 ? 2 : 0, 1e-3f, 10.f, b1t, b2t, 0.f); par ^= 1;
    PT(4) bar.sync(); PT(7)
  }
  if (cta == 0 && tid < 5) a.env[tid] = es[tid];
}

/* ---- SAC: act | 6 tile phases, Adam after the third and the sixth -------------------------------------------------------- */
struct SacArgs { float *P, *R, *M, *V, *G, *pw, *H2, *slot, *env, *rew, *nlp, *lp, *da; float4 *rec; float2 *part, *yp; uint4 *mask; u32 *bar; u64 *prof;
  int i0, steps, warm, cap; u32 seed; };
DEV float softplus(float z) { return fmaxf(z, 0.f) + __logf(1.f + __expf(-fabsf(z))); }
DEV void squash(float mu, float ls, float e, float &a, float &lp) { /* a: tanh(u) */
  float l = fminf(fmaxf(ls, -20.f), 2.f), u = fmaf(__expf(l), e, mu); a = tanh_<0>(u); lp = -.5f * e * e - l - .9189385f - 2.f * (.69314718f - u - softplus(-2.f * u)); }
DEV float2 normal2(uint2 r) { float m = fsqrt(-2.f * __logf(u01(r.x))), s, c; sincos_(6.2831853f * u01(r.y), s, c); return make_float2(m * s, m * c); }
template<int MODE, int PREC, int G, int PF, int PROF> KERNEL __launch_bounds__(NTH, 1) sac(SacArgs a) {
  constexpr int H = 256, B = 256; using n = Net<H>; Sm<PREC, H, B> s; constexpr int N = n::N;
  const int tid = TID, cta = CTA; Bar<MODE> bar(a.bar, G); u64 pt = PROF ? clock64() : 0; int par = 0; /* networks: 0 actor, 1, 2 critics, 3, 4 targets */
  float b1t = powf(.9f, (float)max(a.i0 - a.warm, 0)), b2t = powf(.999f, (float)max(a.i0 - a.warm, 0));
  float *es = s.sc(); /* th, thd, t, la, lam, lav; new transition: obs+action 8..11, next+reward 12..15 */
  float *e1 = s.rv(), *e2 = s.rv() + B, *rw = s.rv() + 2 * B;
  for (int q = tid; q < 3 * (H + 8); q += NTH) s.W1()[5 * (H + 8) + q] = 0;
  if (tid < B) { float *x = s.Xo() + tid * 12, *y = s.Xn() + tid * 12; x[4] = y[4] = 1; UN for (int k = 5; k < 8; k++) x[k] = y[k] = 0; }
  if (tid < 6) es[tid] = a.env[tid];
  __syncthreads();
  float2 *pA = a.part, *pT = a.part + 4 * 8 * B, *pQ = pT + 2 * 8 * B; auto b3 = [&](int net, int o) { return __ldcg(a.P + net * N + n::B3 + o); };
  /* 128 jobs a phase: network, kind (0 forward, 1 D1, 2 dW2), 32 columns cb, blocks of 32 rows from b0, how many */
  struct Job { int net, kind, cb, b0, nb; };
  auto job = [&](int ph, int k) { int w = k & 63; Job j; j.cb = k & 7;
    if (ph == 0) { j.net = k < 64 ? 0 : k < 96 ? 1 : 2; j.kind = 0; j.b0 = ((k >> 3) & 3) * 2; j.nb = 2; } /* actor on next and current observations, critics */
    else if (ph == 2) { j.net = 1 + (w >> 5); j.kind = k < 64 ? 1 : 2; j.b0 = ((w >> 3) & 3) * 2; j.nb = 2; } /* critics backward */
    else if (ph == 5) { j.net = 0; j.kind = k < 64 ? 1 : 2; j.b0 = w >> 3; j.nb = 1; } /* actor backward */
    else { j.net = (ph == 1 ? 3 : 1) + (k >> 6); j.kind = ph == 4; j.b0 = (k >> 3) & 7; j.nb = 1; } /* targets; new critics at the policy's action; down to the action */
    return j; };
  auto st = [&](int ph, int k) { Job j = job(ph, k); stage<H>(s, a.P + j.net * N, a.R + j.net * N, j.kind, j.cb); };
#pragma unroll 1
  for (int i = a.i0; i < a.i0 + a.steps; i++) {
    const bool up = i >= a.warm; const u32 size = min(i + 1, a.cap); const float th = es[0], thd = es[1], al = __expf(es[3]); float sn, cs; sincos_(th, sn, cs);
    if (i == a.warm) bar.sync();
    act_part<H, G>(s, a.P, make_float4(cs, sn, thd, 0.f), a.yp + (i & 1) * G); PT(0)
    u32 ix = 0; float4 o, x; float nz = 0; if (PF) bar.arrive();
    if (up) { if (PF) st(0, cta);
      if (tid < B) { ix = below(threefry(a.seed, S_IDX, i, tid).x, size); o = __ldcg(a.rec + ix * 2); x = __ldcg(a.rec + ix * 2 + 1); }
      if (tid >= NTH - B) { int r = tid - (NTH - B); float2 e = normal2(threefry(a.seed, S_NOISE, i, r)); e1[r] = e.x; e2[r] = e.y; } }
    if (tid < 32) { uint2 z = threefry(a.seed, S_EPS, i, 1); nz = up ? normal2(z).x : 4.f * u01(z.x) - 2.f; }
    if (PF) bar.wait(); else bar.sync(); PT(8)
    if (tid < 32) {
      float2 y = act_sum<G>(a.yp + (i & 1) * G, a.P + n::B3); float ac, lp; squash(y.x, y.y, nz, ac, lp); ac = up ? 2.f * ac : nz;
      float u = fminf(fmaxf(ac, -2.f), 2.f), q = (th + 3.14159265f) * .159154943f, an = (q - floorf(q)) * 6.2831853f - 3.14159265f,
        r = -(an * an + .1f * thd * thd + .001f * u * u);
      float w = fminf(fmaxf(thd + (15.f * sn + 3.f * u) * .05f, -8.f), 8.f), nt = th + w * .05f; int t = (int)es[2] + 1;
      if (t >= 200) { uint2 z = threefry(a.seed, S_RESET, 0, i); nt = (2.f * u01(z.x) - 1.f) * 3.14159265f; w = 2.f * u01(z.y) - 1.f; t = 0; }
      float4 ro = make_float4(cs, sn, thd, ac); sincos_(nt, sn, cs); float4 rn = make_float4(cs, sn, w, r); __syncwarp();
      if (tid == 0) { es[0] = nt; es[1] = w; es[2] = (float)t; F4(es + 8) = ro; F4(es + 12) = rn; if (cta == 0) { int j = i % a.cap; a.rec[j * 2] = ro;
          a.rec[j * 2 + 1] = rn; a.rew[i] = r; } }
    }
    __syncthreads(); PT(1)
    if (!up) continue;
    if (tid < B) { if ((int)ix == i % a.cap) { o = CF4(es + 8); x = CF4(es + 12); }
      F4(s.Xo() + tid * 12) = o; F4(s.Xn() + tid * 12) = make_float4(x.x, x.y, x.z, 0.f); rw[tid] = x.w; }
    b1t *= .9f; b2t *= .999f;
#pragma unroll 1
    for (int ph = 0; ph < 6; ph++) {
      float ss = 0;
#pragma unroll 1
      for (int k = cta; k < 128; k += G) {
        const Job j = job(ph, k); const int r0 = j.b0 * 32, row = j.kind == 2 ? tid : r0 + tid, c = k >> 6; /* c: which of two */
        if (!PF || k != cta || ph == 3) { __syncthreads(); stage<H>(s, a.P + j.net * N, a.R + j.net * N, j.kind, j.cb); }
        uint4 *mask = a.mask + j.net * 8 * (B / 4); Bits<H> bt; if (j.kind == 1) bits<H, B>(bt, mask + r0 / 4, j.nb);
        if (ph && tid < (j.kind == 2 ? B : 32 * j.nb)) { /* a row's values between the networks */
          if (ph == 1 || ph == 3) { float2 y = psum<8>(ph == 1 ? pA : pA + 8 * B, B, row); float ac, lp;
            squash(y.x + b3(0, 0), y.y + b3(0, 1), (ph == 1 ? e1 : e2)[row], ac, lp); (ph == 1 ? s.Xn() : s.Xo())[row * 12 + 3] = 2.f * ac;
            if ((k & 71) == 0) (ph == 1 ? a.nlp : a.lp)[row] = lp; }
          else if (ph == 2) { float2 t0 = psum<8>(pT, B, row), t1 = psum<8>(pT + 8 * B, B, row), q = psum<8>(pA + (1 + j.net) * 8 * B, B, row);
            float y = rw[row] + .99f * (fminf(t0.x + b3(3, 0), t1.x + b3(4, 0)) - al * __ldcg(a.nlp + row));
            F2(s.dy() + 2 * row) = make_float2((q.x + b3(j.net, 0) - y) * (2.f / B), 0.f); }
          else if (ph == 4) { float2 q0 = psum<8>(pQ, B, row), q1 = psum<8>(pQ + 8 * B, B, row);
            F2(s.dy() + 2 * row) = make_float2((q0.x + b3(1, 0) <= q1.x + b3(2, 0)) == (c == 0) ? -1.f / B : 0.f, 0.f); }
          else { float2 y = psum<8>(pA + 8 * B, B, row); float d = 0; UN for (int q = 0; q < 16; q++) d += __ldcg(a.da + q * B + row); float ls = y.y + b3(0, 1), ac, lp;
            squash(y.x + b3(0, 0), ls, e2[row], ac, lp);
            float kk = al / B, gu = 2.f * (kk * ac + d * (1.f - ac * ac));
            F2(s.dy() + 2 * row) = make_float2(gu, ls > -20.f && ls < 2.f ? gu * __expf(ls) * e2[row] - kk : 0.f); }
        }
        const float *X = (ph == 0 && k < 32) || ph == 1 ? s.Xn() : s.Xo(); float *H2 = a.H2 + j.net * B * H;
        if (j.kind == 0) fwd<PREC, H>(s, X + r0 * 12, j.nb, j.cb, ph == 1 || (ph == 0 && k < 32) ? 0 : H2 + r0 * H + j.cb * 32, mask + j.cb * (B / 4) + r0 / 4,
          (ph == 0 ? pA + (k >> 5) * 8 * B : (ph == 1 ? pT : pQ) + c * 8 * B) + j.cb * B + r0);
        else if (j.kind == 1) bwd<PREC, H, B>(s, X + r0 * 12, j.nb, j.cb, bt, s.dy() + 2 * r0, j.net ? 4 : 3,
          a.pw + ((j.net == 2) * 4 + (ph == 2 ? j.b0 >> 1 : j.b0)) * 5 * H, ph == 4 ? a.da + (c * 8 + j.cb) * B + r0 : 0);
        else ss += dw<PREC, H, B>(s, X, j.nb, j.b0, j.cb, mask, H2, s.dy(), a.G + j.net * N);
      }
      if (ph == 2 || ph == 5) { ss = block_sum<NW>(ss, s.sc() + 96); if (tid == 0) a.slot[par * G + cta] = ss; }
      PT(2 + ph) bar.arrive(); if (PF && ph != 2 && ph != 5) st(ph + 1, cta); /* the next phase's weights do not change at this barrier */
      bar.wait(); PT(10 + ph)
      if (ph == 2 || ph == 5) {
        const int w = ph == 2; float e = 0; if (!w && tid < B) e = __ldcg(a.lp + tid) - 1.f;
        if (w) adam<PREC, H, G, 2, 4>(s, a.P + N, a.R + N, a.M + N, a.V + N, a.G + N, a.pw, a.slot + par * G, a.P + 3 * N, a.R + 3 * N, 1, 3e-4f, 10.f, b1t, b2t, 0.f);
        else e = adam<PREC, H, G, 1, 8>(s, a.P, a.R, a.M, a.V, a.G, a.pw, a.slot + par * G, a.P, a.R, 0, 3e-4f, 10.f, b1t, b2t, e);
        par ^= 1;
        if (!w && tid == 0) { /* the temperature, in every CTA alike */
          float g = -al * e / B; g *= fminf(1.f, __fdividef(10.f, fabsf(g) + 1e-6f)); es[4] = .9f * es[4] + .1f * g; es[5] = .999f * es[5] + .001f * g * g;
          es[3] -= __fdividef(__fdividef(3e-4f * es[4], 1.f - b1t), fsqrt(__fdividef(es[5], 1.f - b2t)) + 1e-5f); }
        PT(9) bar.sync(); PT(8)
      }
    }
  }
  __syncthreads(); if (cta == 0 && tid < 6) a.env[tid] = es[tid];
}
} // namespace tile

/* ===================================== naive PPO: a phase an operation, all in global memory ========================== */
namespace naive {
using namespace ppo;
struct Args { float *P, *M, *V, *G, *gp, *H1, *H2, *D2, *D1, *dy, *norm, *dones; float4 *rec, *env; int *envt; u32 *bar; int E, bits, u0, updates, KS; u32 seed; };
template<int MODE> KERNEL __launch_bounds__(512, 1) kern(Args a) {
  const int NC = NCTA, GT = NC * 512, gt = CTA * 512 + TID, E = a.E, N = E * T, MB = N / 4; Bar<MODE> bar(a.bar, NC); float *sm = SMEM; int par = 0;
  float b1t = powf(.9f, 16.f * a.u0), b2t = powf(.999f, 16.f * a.u0); const float inv = 1.f / MB;
  auto total = [&](float v) { v = block_sum<16>(v, sm); if (TID == 0) a.norm[par * NC + CTA] = v; bar.sync(); v = 0;
    for (int i = TID & 31; i < NC; i += 32) v += __ldcg(a.norm + par * NC + i); par ^= 1; return warp_sum(v); };
  auto l1 = [&](int n, auto row) { for (int q = gt; q < 2 * n * 64; q += GT) { int net = q / (n * 64), r = q / 64 % n, u = q % 64; const float *P = a.P + net * PN;
      float4 x = row(r);
    a.H1[q] = tanh_<0>(fmaf(x.x, P[oW1 + 4 * u], fmaf(x.y, P[oW1 + 4 * u + 1], fmaf(x.z, P[oW1 + 4 * u + 2], fmaf(x.w, P[oW1 + 4 * u + 3], P[oB1 + u]))))); } bar.sync();
    };
  auto l2 = [&](int n) { for (int q = gt; q < 2 * n * 64; q += GT) { int net = q / (n * 64), u = q % 64; const float *P = a.P + net * PN, *h = a.H1 + (q & ~63);
      float z = P[oB2 + u];
#pragma unroll 8
    for (int k = 0; k < 64; k++) z = fmaf(h[k], P[k * 64 + u], z); a.H2[q] = tanh_<0>(z); } bar.sync(); };
  auto out = [&](int n, int r, float *y) { for (int o = 0; o < 3; o++) {
      const float *P = a.P + (o == 2) * PN, *w = P + oW3 + (o == 1) * 64, *h = a.H2 + ((o == 2) * n + r) * 64; float z = P[oB3 + (o == 1)];
#pragma unroll 8
    for (int k = 0; k < 64; k++) z = fmaf(h[k], w[k], z); y[o] = z; } };
  for (int upd = a.u0; upd < a.u0 + a.updates; upd++) {
    for (int t = 0; t <= T; t++) {
      l1(E, [&](int r) { return a.env[r]; }); l2(E);
      for (int e = gt; e < E; e += GT) {
        float y[3]; out(E, e, y); float4 *rc = a.rec + (e * (T + 1) + t) * 3; if (t == T) { rc[1].x = y[2]; continue; }
        float u = u01(threefry(a.seed, S_ACT, e, upd * T + t).x), d = y[1] - y[0]; bool act = d > __logf(__fdividef(u, 1.f - u)); float z = act ? -d : d;
        float4 st = a.env[e]; int et = a.envt[e];
        rc[0] = st; bool dn = cp_step(st, et, act); if (dn) cp_reset(st, et, a.seed, e, upd * T + t + 1);
        rc[1] = make_float4(y[2], dn, 0, 0); rc[2] = make_float4(act, -(fmaxf(z, 0.f) + __logf(1.f + __expf(-fabsf(z)))), 0, 0); a.env[e] = st; a.envt[e] = et;
      }
      bar.sync();
    }
    float nd = 0;
    for (int e = gt; e < E; e += GT) { float adv = 0, nv = a.rec[(e * (T + 1) + T) * 3 + 1].x;
      for (int t = T - 1; t >= 0; t--) { float4 *rc = a.rec + (e * (T + 1) + t) * 3; float k = 1.f - rc[1].y, v = rc[1].x; nd += rc[1].y;
        adv = 1.f + .99f * nv * k - v + .99f * .95f * k * adv; nv = v; rc[2].z = adv; rc[2].w = adv + v; } }
    nd = total(nd); if (gt == 0) a.dones[upd] = nd;
    for (int m = 0; m < 16; m++) {
      uint2 k = threefry(a.seed, S_PERM, upd, m >> 2); auto rec = [&](int r) { u32 q = permute((m & 3) * MB + r, a.bits, k.x, k.y);
        return a.rec + ((q / T) * (T + 1) + q % T) * 3; };
      float x = 0, x2 = 0; for (int q = gt; q < MB; q += GT) { float v = rec(q)[2].z; x += v; x2 += v * v; }
      x = total(x) * inv; x2 = total(x2) * inv; const float mean = x, is = __fdividef(1.f, sqrtf(fmaxf(x2 - x * x, 0.f)) + 1e-8f);
      l1(MB, [&](int r) { return rec(r)[0]; }); l2(MB);
      for (int r = gt; r < MB; r += GT) { float y[3], d; out(MB, r, y); float4 rd = rec(r)[2]; rd.z = (rd.z - mean) * is; float *o = a.dy + r * 4;
        loss(0, rd, y[0], y[1], inv, o[0], o[1]); loss(1, rd, y[2], 0, inv, o[2], d); }
      bar.sync();
      for (int q = gt; q < 2 * MB * 64; q += GT) { int net = q / (MB * 64), r = q / 64 % MB, u = q % 64; const float *w = a.P + net * PN + oW3 + u, *d = a.dy + r * 4;
        float h = a.H2[q]; a.D2[q] = (net ? d[2] * w[0] : d[0] * w[0] + d[1] * w[64]) * (1.f - h * h); }
      bar.sync();
      for (int q = gt; q < 2 * MB * 64; q += GT) { int net = q / (MB * 64), u = q % 64; const float *w = a.P + net * PN + u * 64, *d = a.D2 + (q & ~63);
        float z = 0, h = a.H1[q];
#pragma unroll 8
        for (int k = 0; k < 64; k++) z = fmaf(d[k], w[k], z); a.D1[q] = z * (1.f - h * h); }
      bar.sync();
      const int KP = MB / a.KS; /* rows split over KS partial sums */
      for (int q = gt; q < 2 * PN * a.KS; q += GT) { int p = q % PN, net = q / PN & 1, ks = q / (2 * PN), r0 = net * MB + ks * KP; float z = 0;
        if (p < 4096) { const float *h = a.H1 + r0 * 64 + p / 64, *d = a.D2 + r0 * 64 + p % 64;
#pragma unroll 4
          for (int r = 0; r < KP; r++) z = fmaf(h[r * 64], d[r * 64], z); }
        else if (p < oB1) { int c = p & 3, u = (p - oW1) >> 2; for (int r = 0; r < KP; r++) { const float *o = (const float *)rec(ks * KP + r);
            z = fmaf(o[c], a.D1[(r0 + r) * 64 + u], z); } }
        else if (p < oW3) { const float *d = (p < oB2 ? a.D1 : a.D2) + r0 * 64 + p % 64; for (int r = 0; r < KP; r++) z += d[r * 64]; }
        else if (p < oB3) { const float *h = a.H2 + r0 * 64 + p % 64, *d = a.dy + ks * KP * 4 + (net ? 2 : (p - oW3) / 64);
          if (!net || p < oW3 + 64) for (int r = 0; r < KP; r++) z = fmaf(h[r * 64], d[r * 4], z); }
        else if (p < oB3 + 2 - net) { const float *d = a.dy + ks * KP * 4 + (net ? 2 : p - oB3); for (int r = 0; r < KP; r++) z += d[r * 4]; }
        a.gp[q] = z; }
      bar.sync();
      float ss = 0; for (int q = gt; q < 2 * PN; q += GT) { float z = 0; for (int k = 0; k < a.KS; k++) z += a.gp[k * 2 * PN + q]; a.G[q] = z; ss += z * z; }
      ss = total(ss); float sc = fminf(1.f, __fdividef(.5f, sqrtf(ss) + 1e-6f)); b1t *= .9f; b2t *= .999f;
      for (int q = gt; q < 2 * PN; q += GT) { float g = a.G[q] * sc, mm = .9f * a.M[q] + .1f * g, v = .999f * a.V[q] + .001f * g * g; a.M[q] = mm; a.V[q] = v;
        a.P[q] -= 2.5e-4f / (1.f - b1t) * mm / (sqrtf(v / (1.f - b2t)) + 1e-5f); }
      bar.sync();
    }
  }
}
} // namespace naive

/* ============================================ small measurements ===================================================== */
namespace micro {
template<int MODE> KERNEL bar_k(u32 *c, int n, u64 *out) { Bar<MODE> b(c, NCTA); u64 t0 = clock64(); for (int i = 0; i < n; i++) b.sync();
  if (CTA == 0 && TID == 0) out[0] = clock64() - t0; }
KERNEL bar_ll(u64 *c, int n, u64 *out) { /* flag and value in one 8-byte word, relaxed: an exchange without fences */
  u64 t0 = clock64(); u32 acc = 0;
  for (int i = 1; i <= n; i++) {
    __syncthreads(); if (TID == 0) { u64 v = ((u64)acc << 32) | i; asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" :: "l"(c + CTA), "l"(v) : "memory"); }
    if (TID < NCTA) { u64 v; do asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(v) : "l"(c + TID) : "memory"); while ((u32)v < (u32)i); acc += (u32)(v >> 32); }
    __syncthreads();
  }
  if (CTA == 0 && TID == 0) out[0] = clock64() - t0 + (acc & 0);
}
KERNEL bar_hier(u32 *c, int n, u64 *out, int cs) { /* cluster barrier, the leaders' counter, cluster barrier */
  u64 t0 = clock64(); u32 k = 0; const int leaders = NCTA / cs;
  for (int i = 0; i < n; i++) { cluster_sync(); k += leaders; if (CTA % cs == 0 && TID == 0) { red_rel(c); while ((int)(ld_acq(c) - k) < 0) {} } cluster_sync(); }
  if (CTA == 0 && TID == 0) out[0] = clock64() - t0;
}
KERNEL lat(const u32 *p, int n, u64 *out) { /* latency of a load from L2 */
  u32 i = 0; u64 t0 = clock64(); for (int k = 0; k < n; k++) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(i) : "l"(p + i)); out[0] = clock64() - t0; out[1] = i; }
KERNEL ds_lat(int n, u64 *out, int mode) { /* distributed shared memory: 0 latency, 1 bandwidth of reads, 2 of writes, all CTAs at once */
  for (int i = TID; i < 8192; i += (int)blockDim.x) SMEM[i] = 0; cluster_sync(); const int r = (CTA ^ 1); u64 t0 = clock64(); float acc = 0; u32 a = mapa(SMEM, r);
  if (mode == 0) for (int k = 0; k < n; k++) { float v; asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(v) : "r"(a)); a += fb(v); acc += v; }
  if (mode == 1) for (int k = 0; k < n; k++) UN for (int q = 0; q < 4; q++) { float4 v = ds_ld4(SMEM + ((TID * 4 + q * 2048 + k * 32) & 8191), r);
    acc += v.x + v.y + v.z + v.w; }
  if (mode == 2) for (int k = 0; k < n; k++) UN for (int q = 0; q < 4; q++) ds_st4(SMEM + ((TID * 4 + q * 2048) & 8191), r, make_float4(1, 2, 3, 4));
  cluster_sync(); if (TID == 0) out[CTA] = clock64() - t0 + (acc == 12345.f);
}
KERNEL rate(int n, u64 *out, int mode) { /* mma / fma / tanh issue rate of an SM */
  float c[8][4]; UN for (int i = 0; i < 8; i++) UN for (int j = 0; j < 4; j++) c[i][j] = TID * .001f; u32 a = fb(1.f + TID); __syncthreads(); u64 t0 = clock64();
  if (mode == 0) for (int k = 0; k < n; k++) UN for (int i = 0; i < 8; i++) mma8(c[i], a, a, a, a, a, a);
  if (mode == 1) for (int k = 0; k < n; k++) UN for (int i = 0; i < 8; i++) UN for (int j = 0; j < 4; j++) c[i][j] = fmaf(c[i][j], 1.0001f, .5f);
  if (mode == 2) for (int k = 0; k < n; k++) UN for (int i = 0; i < 8; i++) c[i][0] = tanh_mufu(c[i][0]);
  if (mode == 3) for (int k = 0; k < n; k++) UN for (int i = 0; i < 8; i++) c[i][0] = tanh_<0>(c[i][0]);
  if (mode == 4) for (int k = 0; k < n; k++) mma8(c[0], a, a, a, a, a, a);
  __syncthreads(); u64 t1 = clock64(); float s = 0; UN for (int i = 0; i < 8; i++) UN for (int j = 0; j < 4; j++) s += c[i][j]; if (TID == 0) out[0] = t1 - t0;
  if (s == 12345.f) out[1] = 1;
}
template<int N> KERNEL line_k(int iters, u64 *out, float x) { /* N fma in a row, looped: what a large body costs in instruction fetches */
  float a[8]; UN for (int i = 0; i < 8; i++) a[i] = (float)(TID + i); __syncthreads(); u64 t0 = clock64();
#pragma unroll 1
  for (int k = 0; k < iters; k++) { UN for (int i = 0; i < N; i++) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(a[i & 7]) : "f"(x)); }
  __syncthreads(); u64 t1 = clock64(); float s = 0; UN for (int i = 0; i < 8; i++) s += a[i]; if (TID == 0) out[CTA] = t1 - t0; if (s == 1.2345f) out[200] = 1;
}
template<int N> void icache();
} // namespace micro

/* =================================================== host ============================================================= */
static u32 *g_bar;
template<class T> static T *dalloc(size_t n) { T *p; CK(cudaMalloc(&p, n * sizeof(T))); CK(cudaMemset(p, 0, n * sizeof(T))); return p; }
template<class T> static void put(T *d, const T *h, size_t n) { CK(cudaMemcpy(d, h, n * sizeof(T), cudaMemcpyHostToDevice)); }
template<class T> static std::vector<T> get(const T *d, size_t n) { std::vector<T> v(n); CK(cudaMemcpy(v.data(), d, n * sizeof(T), cudaMemcpyDeviceToHost)); return v; }
template<class T> static void zero(T *d, size_t n) { CK(cudaMemset(d, 0, n * sizeof(T))); }
static void dfree(void *p) { CK(cudaFree(p)); }
static float last_ms;
template<class... A> static void launch(void (*k)(A...), int ncta, int cluster, int nth, size_t smem, A... args) { /* timed by events */
  CK(cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)smem));
  if (cluster > 8) CK(cudaFuncSetAttribute(k, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  cudaLaunchConfig_t c = {}; c.gridDim = dim3(ncta); c.blockDim = dim3(nth); c.dynamicSmemBytes = smem; cudaLaunchAttribute at[1];
  if (cluster > 1) { at[0].id = cudaLaunchAttributeClusterDimension; at[0].val.clusterDim.x = cluster; at[0].val.clusterDim.y = at[0].val.clusterDim.z = 1; c.attrs = at;
    c.numAttrs = 1; }
  static cudaEvent_t e0 = 0, e1 = 0; if (!e0) { CK(cudaEventCreate(&e0)); CK(cudaEventCreate(&e1)); }
  CK(cudaMemset(g_bar, 0, 4096)); CK(cudaDeviceSynchronize()); CK(cudaEventRecord(e0)); CK(cudaLaunchKernelEx(&c, k, args...)); CK(cudaEventRecord(e1));
  CK(cudaEventSynchronize(e1)); CK(cudaGetLastError()); CK(cudaEventElapsedTime(&last_ms, e0, e1));
}
template<int N> void micro::icache() { u64 *out = dalloc<u64>(256);
  for (int w : {1, 8, 16}) { for (int k = 0; k < 2; k++) launch(micro::line_k<N>, 128, 1, w * 32, (size_t)0, 64, out, 1.0001f);
    printf("icache: a body of %3d KB, %2d warps an SM: %.2f cycles an instruction of a warp (at best %.2f)\n", N / 64, w, (double)get(out, 1)[0] / 64 / N,
      w <= 4 ? 1. : w / 4.); } dfree(out); }
static u64 hseed = 1;
static double hu() { hseed = hseed * 6364136223846793005ull + 1442695040888963407ull; return ((hseed >> 33) + .5) / 2147483648.0; }
static double hn() { return sqrt(-2 * log(hu())) * cos(6.283185307 * hu()); }
static void orth(float *dst, int rows, int cols, int rs, int cs, double scale) { /* orthogonal: Gram-Schmidt on the shorter side */
  int n = std::min(rows, cols), len = std::max(rows, cols); std::vector<std::vector<double>> q(n, std::vector<double>(len));
  for (int i = 0; i < n; i++) { for (auto &x : q[i]) x = hn(); for (int k = 0; k < i; k++) { double d = 0; for (int j = 0; j < len; j++) d += q[i][j] * q[k][j];
      for (int j = 0; j < len; j++) q[i][j] -= d * q[k][j]; }
    double s = 0; for (double x : q[i]) s += x * x; for (auto &x : q[i]) x /= sqrt(s); }
  for (int r = 0; r < rows; r++) for (int c = 0; c < cols; c++) dst[r * rs + c * cs] = (float)(scale * (rows < cols ? q[r][c] : q[c][r]));
}
struct Lay { int H, W1, B1, B2, W3, B3, N, wk, wu; }; /* wk, wu: strides of W1 by input, by unit */
static const Lay LP = {64, ppo::oW1, ppo::oB1, ppo::oB2, ppo::oW3, ppo::oB3, ppo::PN, 1, 4};
template<int H> static Lay lay() { using n = tile::Net<H>; return {H, n::W1, n::B1, n::B2, n::W3, n::B3, n::N, H, 1}; }
static void net_init(float *p, const Lay &l, int I, int O, double last) { for (int i = 0; i < l.N; i++) p[i] = 0; orth(p + l.W1, I, l.H, l.wk, l.wu, sqrt(2.));
  orth(p, l.H, l.H, l.H, 1, sqrt(2.)); orth(p + l.W3, l.H, O, 1, l.H, last); }
/* reference in double: forward of a row, and its gradient */
struct Row { std::vector<double> h1, h2; double y[2]; };
typedef std::vector<double> vd;
static void ref_fwd(const vd &p, const Lay &l, bool th, const double *x, Row &r) {
  r.h1.resize(l.H); r.h2.resize(l.H); auto f = [&](double z) { return th ? tanh(z) : z > 0 ? z : 0; };
  for (int u = 0; u < l.H; u++) { double z = p[l.B1 + u]; for (int k = 0; k < 4; k++) z += x[k] * p[l.W1 + k * l.wk + u * l.wu]; r.h1[u] = f(z); }
  for (int u = 0; u < l.H; u++) r.h2[u] = p[l.B2 + u];
  for (int k = 0; k < l.H; k++) for (int u = 0; u < l.H; u++) r.h2[u] += r.h1[k] * p[k * l.H + u];
  for (int u = 0; u < l.H; u++) r.h2[u] = f(r.h2[u]);
  for (int o = 0; o < 2; o++) { r.y[o] = p[l.B3 + o]; for (int u = 0; u < l.H; u++) r.y[o] += r.h2[u] * p[l.W3 + o * l.H + u]; }
}
static void ref_bwd(const vd &p, const Lay &l, bool th, const double *x, const Row &r, const double *dy, vd *g, double *dx) {
  vd d2(l.H), d1(l.H); auto f = [&](double h) { return th ? 1 - h * h : h > 0 ? 1. : 0.; };
  for (int u = 0; u < l.H; u++) { d2[u] = (dy[0] * p[l.W3 + u] + dy[1] * p[l.W3 + l.H + u]) * f(r.h2[u]); }
  for (int k = 0; k < l.H; k++) { double z = 0; for (int u = 0; u < l.H; u++) z += d2[u] * p[k * l.H + u]; d1[k] = z * f(r.h1[k]); }
  if (g) { vd &G = *g; for (int o = 0; o < 2; o++) { G[l.B3 + o] += dy[o]; for (int u = 0; u < l.H; u++) G[l.W3 + o * l.H + u] += dy[o] * r.h2[u]; }
    for (int u = 0; u < l.H; u++) { G[l.B2 + u] += d2[u]; G[l.B1 + u] += d1[u]; for (int k = 0; k < 4; k++) G[l.W1 + k * l.wk + u * l.wu] += x[k] * d1[u]; }
    for (int k = 0; k < l.H; k++) for (int u = 0; u < l.H; u++) G[k * l.H + u] += r.h1[k] * d2[u]; }
  if (dx) for (int k = 0; k < 4; k++) { dx[k] = 0; for (int u = 0; u < l.H; u++) dx[k] += d1[u] * p[l.W1 + k * l.wk + u * l.wu]; }
}
static double rel(const float *a, const vd &b, int lo, int hi) { double d = 0, s = 0; for (int i = lo; i < hi; i++) { d += (a[i] - b[i]) * (a[i] - b[i]);
    s += b[i] * b[i]; } return sqrt(d / (s + 1e-300)); }

/* ---- PPO runs ---------------------------------------------------------------------------------------------------------- */
struct PpoRun { const char *name; int E, nc, cluster, rows; size_t smem; void (*k)(ppo::Args); };
static ppo::Args ppo_args(int E, int nc, int maxupd, int rows) {
  ppo::Args a = {}; int N = E * ppo::T; a.P = dalloc<float>(2 * ppo::PN); a.M = dalloc<float>(2 * ppo::PN); a.V = dalloc<float>(2 * ppo::PN);
  a.part = dalloc<float>((size_t)std::max(nc, 2) * ppo::PN); a.norm = dalloc<float>(2 * nc); a.stat = dalloc<float>(nc * 32); a.adv = dalloc<float>(N);
  a.dones = dalloc<float>((size_t)maxupd * nc); a.rec = dalloc<float4>((size_t)N * 2); a.env = dalloc<float4>(E); a.envt = dalloc<int>(E); a.prof = dalloc<u64>(16);
  a.bar = g_bar; a.E = E; a.bits = 0; while ((1 << a.bits) < N) a.bits++; a.rows = rows; a.seed = 7;
  std::vector<float> p(2 * ppo::PN); hseed = 1; net_init(p.data(), LP, 4, 2, .01); net_init(p.data() + ppo::PN, LP, 4, 1, 1.); put(a.P, p.data(), p.size());
  std::vector<float4> s(E); for (auto &x : s) { x.x = (float)(hu() * .1 - .05); x.y = (float)(hu() * .1 - .05); x.z = (float)(hu() * .1 - .05);
    x.w = (float)(hu() * .1 - .05); } put(a.env, s.data(), E);
  return a;
}
static void ppo_free(ppo::Args &a) { for (void *p : {(void *)a.P, (void *)a.M, (void *)a.V, (void *)a.part, (void *)a.norm, (void *)a.stat, (void *)a.adv,
      (void *)a.dones, (void *)a.rec, (void *)a.env, (void *)a.envt, (void *)a.prof}) dfree(p); }
static void ppo_check(const PpoRun &r, int seed) { /* the first minibatch's gradient against double precision */
  ppo::Args a = ppo_args(r.E, r.nc, 4, r.rows); a.seed = seed; a.dbg = dalloc<float>(2 * ppo::PN); a.updates = 1; auto p0 = get(a.P, 2 * ppo::PN);
  launch(r.k, r.nc, r.cluster, 256, r.smem, a);
  int N = r.E * ppo::T, MB = N / 4; auto rec = get(a.rec, (size_t)N * 2); auto g = get(a.dbg, 2 * ppo::PN); auto P = get(a.P, 2 * ppo::PN);
  vd G[2] = {vd(ppo::PN), vd(ppo::PN)}, p[2]; for (int n = 0; n < 2; n++) p[n].assign(p0.begin() + n * ppo::PN, p0.begin() + (n + 1) * ppo::PN);
  /* values and GAE again, from the records: advantages of environment 0 */
  uint2 k = threefry(seed, S_PERM, 0, 0); double mean = 0, var = 0; std::vector<int> ix(MB); std::vector<char> seen(N, 0); int dup = 0;
  for (int i = 0; i < N; i++) { u32 q = permute(i, a.bits, k.x, k.y); if (q >= (u32)N || seen[q]) dup++; else seen[q] = 1; }
  for (int i = 0; i < MB; i++) { ix[i] = permute(i, a.bits, k.x, k.y); mean += rec[ix[i] * 2 + 1].z / MB;
    } for (int i = 0; i < MB; i++) var += pow(rec[ix[i] * 2 + 1].z - mean, 2) / MB;
  double vbad = 0; for (int i : ix) {
    float4 o = rec[i * 2], d = rec[i * 2 + 1]; double x[4] = {o.x, o.y, o.z, o.w}, A = (d.z - mean) / (sqrt(var) + 1e-8), dy[2]; Row rr; ref_fwd(p[0], LP, true, x, rr);
    double z = log(exp(rr.y[0]) + exp(rr.y[1])), g0 = rr.y[0] - z, g1 = rr.y[1] - z, q0 = exp(g0), q1 = exp(g1), rt = exp((d.x > .5 ? g1 : g0) - d.y),
      cl = std::min(std::max(rt, .8), 1.2), gn = rt * A <= cl * A ? -A * rt / MB : 0, ent = -(q0 * g0 + q1 * g1), e = .01 / MB;
    dy[0] = gn * ((d.x < .5) - q0) + e * q0 * (g0 + ent); dy[1] = gn * ((d.x > .5) - q1) + e * q1 * (g1 + ent); ref_bwd(p[0], LP, true, x, rr, dy, &G[0], 0);
    ref_fwd(p[1], LP, true, x, rr); dy[0] = .5 * (rr.y[0] - d.w) / MB; dy[1] = 0; vbad = std::max(vbad, fabs(rr.y[0] - (d.w - d.z)));
    ref_bwd(p[1], LP, true, x, rr, dy, &G[1], 0);
  }
  double n2 = 0; for (auto &v : G) for (double x : v) n2 += x * x; double sc = std::min(1., .5 / (sqrt(n2) + 1e-6)); (void)sc;
  printf("check ppo %-34s grad rel.err actor %.1e critic %.1e (W2 %.1e %.1e), |value - ref| max %.1e, perm dups %d, sum P %.6f\n", r.name, rel(g.data(), G[0], 0, 4610),
    rel(g.data() + ppo::PN, G[1], 0, 4610), rel(g.data(), G[0], 0, 4096), rel(g.data() + ppo::PN, G[1], 0, 4096), vbad, dup, [&] { double z = 0;
    for (float x : P) z += fabs(x); return z; }());
  dfree(a.dbg); ppo_free(a);
}

static double ppo_time(const PpoRun &r, int updates, int reps) { /* env steps a second; best launch of reps, after a warm-up launch */
  int per = updates, tot = per * (reps + 1); ppo::Args a = ppo_args(r.E, r.nc, tot, r.rows); double best = 1e30; a.updates = per;
  for (int i = 0; i <= reps; i++) { a.u0 = i * per; launch(r.k, r.nc, r.cluster, 256, r.smem, a); if (i) best = std::min(best, (double)last_ms); }
  double N = (double)r.E * ppo::T, sps = N * per / best * 1e3; auto d = get(a.dones, (size_t)tot * r.nc); auto len = [&](int u) { double s = 0;
    for (int c = 0; c < r.nc; c++) s += d[(size_t)u * r.nc + c]; return N / std::max(s, 1.); };
  double l5 = 0, l195 = 0; for (int i = 1; i <= 5; i++) { l5 += len(tot - i) / 5; l195 += len(std::min(195, tot) - i) / 5; } auto P = get(a.P, 2 * ppo::PN);
  bool ok = true; for (float x : P) ok = ok && std::isfinite(x);
  printf("{\"algo\":\"ppo\",\"envs\":%d,\"variant\":\"%s\",\"sps\":%.0f,\"us_per_update\":%.1f,\"updates\":%d,\"ep_len_first\":%.1f,\"ep_len_195\":%.1f,\"ep_len_last5\":%.1f,\"finite\":%d}\n",
    r.E, r.name, sps, best * 1e3 / per, tot, len(0), l195, l5, ok); fflush(stdout);
  ppo_free(a); return sps;
}
static void ppo_prof(const PpoRun &r, int updates) { /* where CTA 0 spends an update */
  ppo::Args a = ppo_args(r.E, r.nc, 2 * updates, r.rows); a.updates = updates; launch(r.k, r.nc, r.cluster, 256, r.smem, a); zero(a.prof, 16); a.u0 = updates;
  launch(r.k, r.nc, r.cluster, 256, r.smem, a);
  auto p = get(a.prof, 16); double s = 0; for (int i = 0; i < 8; i++) s += p[i];
  const char *nm[] = {"rollout", "values+gae", "adv stats", "fwd+bwd", "grad store", "reduce", "adam+weights", "barrier"};
  printf("prof ppo E=%d %s: %.1f us/update:", r.E, r.name, last_ms * 1e3 / updates);
  for (int i = 0; i < 8; i++) printf(" %s %.1f us,", nm[i], p[i] / s * last_ms * 1e3 / updates); printf("\n"); fflush(stdout); ppo_free(a);
}
#define PPO(E, MODE, PREC, GN, R, RO, XCH, NG, PROF, NAME) {NAME, E, MODE == M_CTA ? 1 : 2 * GN, MODE == M_CLU ? 2 * GN : 1, E * 32 / GN, sizeof(float) * ppo::sm_floats<PREC, MODE == M_CTA ? 2 : 1, R, 32, XCH == 2>, ppo::kern<MODE, PREC, GN, R, RO, XCH, NG, PROF>}
static void naive_time(int E, int nc, int cluster, int updates, void (*k)(naive::Args), const char *name) {
  int N = E * ppo::T, MB = N / 4; naive::Args a = {}; ppo::Args b = ppo_args(E, 1, 1, 0); a.P = b.P; a.M = b.M; a.V = b.V; a.env = b.env; a.envt = b.envt;
  a.bits = b.bits; a.E = E; a.seed = 7; a.bar = g_bar; a.KS = std::max(1, std::min(nc * 512 / (2 * ppo::PN), MB / 16));
  while (MB % a.KS) a.KS--; a.G = dalloc<float>(2 * ppo::PN); a.gp = dalloc<float>((size_t)2 * ppo::PN * a.KS); size_t n = (size_t)2 * std::max(MB, E) * 64;
  a.H1 = dalloc<float>(n); a.H2 = dalloc<float>(n); a.D2 = dalloc<float>(n); a.D1 = dalloc<float>(n); a.dy = dalloc<float>((size_t)MB * 4);
  a.norm = dalloc<float>(2 * nc); a.dones = dalloc<float>(4 * updates); a.rec = dalloc<float4>((size_t)E * 129 * 3);
  double best = 1e30; a.updates = updates; for (int i = 0; i < 4; i++) { a.u0 = i * updates; launch(k, nc, cluster, 512, (size_t)1024, a);
    if (i) best = std::min(best, (double)last_ms); }
  auto d = get(a.dones, 4 * updates); auto P = get(a.P, 2 * ppo::PN); bool ok = true; for (float x : P) ok = ok && std::isfinite(x);
  printf("{\"algo\":\"ppo\",\"envs\":%d,\"variant\":\"%s\",\"sps\":%.0f,\"us_per_update\":%.1f,\"updates\":%d,\"ep_len_first\":%.1f,\"ep_len_last\":%.1f,\"finite\":%d}\n",
    E, name, (double)N * updates / best * 1e3, best * 1e3 / updates, 4 * updates, N / std::max(d[0], 1.f), N / std::max(d[4 * updates - 1], 1.f), ok); fflush(stdout);
  for (void *p : {(void *)a.G, (void *)a.gp, (void *)a.H1, (void *)a.H2, (void *)a.D2, (void *)a.D1, (void *)a.dy, (void *)a.norm, (void *)a.dones,
      (void *)a.rec}) dfree(p); ppo_free(b);
}

/* ---- DQN, SAC runs -------------------------------------------------------------------------------------------------------- */
struct DqnRun { const char *name; int G, cluster; size_t smem; void (*k)(tile::DqnArgs); };
struct SacRun { const char *name; int G, cluster; size_t smem; void (*k)(tile::SacArgs); };
#define DQN(MODE, PREC, G, PF, PROF, NAME) {NAME, G, MODE == M_CLU ? G : 1, tile::Sm<PREC, 128, 64>::FLOATS * 4, tile::dqn<MODE, PREC, G, PF, PROF>}
#define SAC(MODE, PREC, G, PF, PROF, NAME) {NAME, G, MODE == M_CLU ? G : 1, tile::Sm<PREC, 256, 256>::FLOATS * 4, tile::sac<MODE, PREC, G, PF, PROF>}
static std::vector<float> rounded(const std::vector<float> &p) { std::vector<float> r = p; for (auto &x : r) { u32 u; memcpy(&u, &x, 4); u += 0x1000; memcpy(&x, &u, 4);
    } return r; }
static tile::DqnArgs dqn_args(int total, bool tf) {
  using n = tile::Net<128>; tile::DqnArgs a = {}; a.P = dalloc<float>(2 * n::N); a.R = dalloc<float>(2 * n::N); a.M = dalloc<float>(n::N); a.V = dalloc<float>(n::N);
  a.G = dalloc<float>(n::N); a.pw = dalloc<float>(4 * 5 * 128); a.H2 = dalloc<float>(64 * 128); a.slot = dalloc<float>(512); a.env = dalloc<float>(8);
  a.don = dalloc<float>(total); a.cap = 100000;
  a.rec = dalloc<float4>((size_t)a.cap * 3); a.part = dalloc<float2>(2 * 8 * 64); a.mask = dalloc<uint4>(4 * 16); a.yp = dalloc<float2>(512); a.prof = dalloc<u64>(16);
  a.bar = g_bar; a.warm = 1000; a.seed = 3;
  std::vector<float> p(2 * n::N); hseed = 2; net_init(p.data(), lay<128>(), 4, 2, 1.); memcpy(p.data() + n::N, p.data(), n::N * 4); put(a.P, p.data(), p.size());
  auto r = tf ? rounded(p) : p; put(a.R, r.data(), r.size()); float e[5] = {.01f, .02f, -.03f, .04f, 0}; put(a.env, e, 5); return a;
}
static void dqn_free(tile::DqnArgs &a) { for (void *p : {(void *)a.P, (void *)a.R, (void *)a.M, (void *)a.V, (void *)a.G, (void *)a.pw, (void *)a.H2, (void *)a.slot,
      (void *)a.env, (void *)a.don, (void *)a.rec, (void *)a.part, (void *)a.mask, (void *)a.yp, (void *)a.prof}) dfree(p); }
static vd adam1(const vd &p, const vd &g, double lr, double clip) { double n = 0; for (double x : g) n += x * x; double sc = std::min(1., clip / (sqrt(n) + 1e-6));
  vd q = p; for (size_t i = 0; i < p.size(); i++) { double x = g[i] * sc; q[i] -= lr * x / (fabs(x) + 1e-5); } return q; }
static void dqn_check(const DqnRun &r, int warm, bool tf, int nrb) {
  using n = tile::Net<128>; Lay l = lay<128>(); tile::DqnArgs a = dqn_args(warm + 1, tf); a.warm = warm; a.steps = warm;
  launch(r.k, r.G, r.cluster, tile::NTH, r.smem, a); auto P0 = get(a.P, 2 * n::N);
  a.i0 = warm; a.steps = 1; launch(r.k, r.G, r.cluster, tile::NTH, r.smem, a); auto rec = get(a.rec, (size_t)(warm + 1) * 3);
  auto g = get(a.G, n::N), pw = get(a.pw, (size_t)nrb * 5 * 128), P1 = get(a.P, n::N);
  for (int k = 0; k < 5 * 128; k++) { g[n::W1 + k] = 0; for (int i = 0; i < nrb; i++) g[n::W1 + k] += pw[i * 640 + k]; }
  vd p(P0.begin(), P0.begin() + n::N), q(P0.begin() + n::N, P0.end()), G(n::N);
  for (int b = 0; b < 64; b++) { u32 i = below(threefry(a.seed, S_IDX, warm, b).x, warm + 1); float4 o = rec[i * 3], nx = rec[i * 3 + 1], e = rec[i * 3 + 2];
    double x[4] = {o.x, o.y, o.z, o.w}, z[4] = {nx.x, nx.y, nx.z, nx.w}, dy[2] = {0, 0}; Row R, T; ref_fwd(p, l, false, x, R); ref_fwd(q, l, false, z, T);
    int ac = e.x > .5; dy[ac] = (R.y[ac] - (e.y + .99 * (1 - e.z) * std::max(T.y[0], T.y[1]))) * 2 / 64; ref_bwd(p, l, false, x, R, dy, &G, 0); }
  vd Q = adam1(p, G, 1e-3, 10), d(n::N); std::vector<float> dp(n::N); for (int i = 0; i < n::N; i++) { d[i] = Q[i] - p[i]; dp[i] = (float)(P1[i] - P0[i]); }
  printf("check dqn %-34s grad rel.err W2 %.1e thin %.1e, step rel.err %.1e\n", r.name, rel(g.data(), G, 0, n::W1), rel(g.data(), G, n::W1, n::B3 + 2),
    rel(dp.data(), d, 0, n::N)); fflush(stdout); dqn_free(a);
}
static void dqn_time(const DqnRun &r, int steps, int reps, bool tf, bool prof) {
  int tot = 1000 + steps * (reps + 1); tile::DqnArgs a = dqn_args(tot, tf); a.steps = 1000; launch(r.k, r.G, r.cluster, tile::NTH, r.smem, a); double best = 1e30;
  a.steps = steps;
  for (int i = 0; i <= reps; i++) { a.i0 = 1000 + i * steps; if (prof) zero(a.prof, 16); launch(r.k, r.G, r.cluster, tile::NTH, r.smem, a);
    if (i) best = std::min(best, (double)last_ms); }
  auto d = get(a.don, tot); auto len = [&](int lo, int hi) { double s = 0; for (int i = lo; i < hi; i++) s += d[i]; return (hi - lo) / std::max(s, 1.); };
  auto P = get(a.P, 1000);
  printf("{\"algo\":\"dqn\",\"variant\":\"%s\",\"sps\":%.0f,\"us_per_step\":%.2f,\"steps\":%d,\"ep_len_first5k\":%.1f,\"ep_len_last5k\":%.1f,\"finite\":%d}\n", r.name,
    steps / best * 1e3, best * 1e3 / steps, tot, len(0, std::min(tot, 5000)), len(std::max(0, tot - 5000), tot), (int)std::isfinite(P[7]));
  if (prof) { auto p = get(a.prof, 16); double s = 0; for (int i = 0; i < 8; i++) s += p[i];
    const char *nm[] = {"act", "env", "forward", "backward", "adam", "-", "-", "barriers"}; printf("prof dqn %s:", r.name);
    for (int i = 0; i < 8; i++) printf(" %s %.2f us,", nm[i], p[i] / s * last_ms * 1e3 / steps); printf("\n"); }
  fflush(stdout); dqn_free(a);
}
static tile::SacArgs sac_args(int total, bool tf) {
  using n = tile::Net<256>; tile::SacArgs a = {}; a.P = dalloc<float>(5 * n::N); a.R = dalloc<float>(5 * n::N); a.M = dalloc<float>(3 * n::N);
  a.V = dalloc<float>(3 * n::N); a.G = dalloc<float>(3 * n::N); a.pw = dalloc<float>(2 * 8 * 5 * 256); a.H2 = dalloc<float>(3 * 256 * 256); a.slot = dalloc<float>(512);
  a.env = dalloc<float>(8); a.rew = dalloc<float>(total); a.nlp = dalloc<float>(256); a.lp = dalloc<float>(256); a.da = dalloc<float>(2 * 8 * 256); a.cap = 100000;
  a.rec = dalloc<float4>((size_t)a.cap * 2); a.part = dalloc<float2>(8 * 8 * 256); a.mask = dalloc<uint4>(3 * 8 * 64); a.yp = dalloc<float2>(512);
  a.prof = dalloc<u64>(16); a.bar = g_bar; a.warm = 1000; a.seed = 5;
  std::vector<float> p(5 * n::N); hseed = 3; net_init(p.data(), lay<256>(), 3, 2, .01); net_init(p.data() + n::N, lay<256>(), 4, 1, 1.);
  net_init(p.data() + 2 * n::N, lay<256>(), 4, 1, 1.); memcpy(p.data() + 3 * n::N, p.data() + n::N, 2 * n::N * 4); put(a.P, p.data(), p.size());
  auto r = tf ? rounded(p) : p; put(a.R, r.data(), r.size()); float e[6] = {3.f, .1f, 0, 0, 0, 0}; put(a.env, e, 6); return a;
}
static void sac_free(tile::SacArgs &a) { for (void *p : {(void *)a.P, (void *)a.R, (void *)a.M, (void *)a.V, (void *)a.G, (void *)a.pw, (void *)a.H2, (void *)a.slot,
      (void *)a.env, (void *)a.rew, (void *)a.nlp, (void *)a.lp, (void *)a.da, (void *)a.rec, (void *)a.part, (void *)a.mask, (void *)a.yp, (void *)a.prof}) dfree(p); }
static void sac_check(const SacRun &r, int warm, bool tf, int drb) {
  using n = tile::Net<256>; const int N = n::N, B = 256; Lay l = lay<256>(); tile::SacArgs a = sac_args(warm + 1, tf); a.warm = warm; a.steps = warm;
  launch(r.k, r.G, r.cluster, tile::NTH, r.smem, a); auto P0 = get(a.P, 5 * N);
  a.i0 = warm; a.steps = 1; launch(r.k, r.G, r.cluster, tile::NTH, r.smem, a); auto rec = get(a.rec, (size_t)(warm + 1) * 2);
  auto g = get(a.G, 3 * N), pw = get(a.pw, (size_t)drb * 5 * 256), P1 = get(a.P, 5 * N), en = get(a.env, 6);
  for (int k = 0; k < 5 * 256; k++) { g[n::W1 + k] = 0; for (int i = 0; i < drb; i++) g[n::W1 + k] += pw[i * 1280 + k]; }
  vd p[5]; for (int i = 0; i < 5; i++) p[i].assign(P0.begin() + i * N, P0.begin() + (i + 1) * N); vd G[3] = {vd(N), vd(N), vd(N)}; double al = 1, lps = 0;
  std::vector<float4> o(B), x(B); vd e1(B), e2(B); for (int b = 0; b < B; b++) { u32 i = below(threefry(a.seed, S_IDX, warm, b).x, warm + 1); o[b] = rec[i * 2];
    x[b] = rec[i * 2 + 1]; uint2 z = threefry(a.seed, S_NOISE, warm, b); double m = sqrt(-2 * log((double)u01(z.x))), t = 6.283185307179586 * u01(z.y);
    e1[b] = m * sin(t); e2[b] = m * cos(t); }
  auto squash = [](const Row &R, double e, double &ac, double &lp, double &ls) { ls = R.y[1]; double c = std::min(std::max(ls, -20.), 2.), u = R.y[0] + exp(c) * e;
    ac = tanh(u); lp = -.5 * e * e - c - .9189385 - 2 * (log(2.) - u - log1p(exp(-2 * u))); };
  for (int b = 0; b < B; b++) { Row A, T0, T1, Q; double z[4] = {x[b].x, x[b].y, x[b].z, 0}, w[4] = {o[b].x, o[b].y, o[b].z, o[b].w}, ac, lp, ls;
    ref_fwd(p[0], l, false, z, A); squash(A, e1[b], ac, lp, ls); z[3] = 2 * ac; ref_fwd(p[3], l, false, z, T0); ref_fwd(p[4], l, false, z, T1);
    double y = x[b].w + .99 * (std::min(T0.y[0], T1.y[0]) - al * lp);
    for (int c = 0; c < 2; c++) { ref_fwd(p[1 + c], l, false, w, Q); double dy[2] = {(Q.y[0] - y) * 2 / B, 0}; ref_bwd(p[1 + c], l, false, w, Q, dy, &G[1 + c], 0); } }
  vd gc = G[1]; gc.insert(gc.end(), G[2].begin(), G[2].end()); vd pc = p[1]; pc.insert(pc.end(), p[2].begin(), p[2].end()); vd nc = adam1(pc, gc, 3e-4, 10);
  for (int c = 0; c < 2; c++) p[1 + c].assign(nc.begin() + c * N, nc.begin() + (c + 1) * N);
  for (int b = 0; b < B; b++) { Row A, Q[2]; double w[4] = {o[b].x, o[b].y, o[b].z, 0}, ac, lp, ls, dx[4]; ref_fwd(p[0], l, false, w, A); squash(A, e2[b], ac, lp, ls);
    lps += lp; double v[4] = {w[0], w[1], w[2], 2 * ac}; for (int c = 0; c < 2; c++) ref_fwd(p[1 + c], l, false, v, Q[c]); int c = !(Q[0].y[0] <= Q[1].y[0]);
    double dq[2] = {-1. / B, 0}; ref_bwd(p[1 + c], l, false, v, Q[c], dq, 0, dx);
    double gu = 2 * (al / B * ac + dx[3] * (1 - ac * ac)), dy[2] = {gu, ls > -20 && ls < 2 ? gu * exp(ls) * e2[b] - al / B : 0};
    ref_bwd(p[0], l, false, w, A, dy, &G[0], 0); }
  vd na = adam1(p[0], G[0], 3e-4, 10); auto step = [&](int k, const vd &q) { vd d(N); std::vector<float> f(N); for (int i = 0; i < N; i++) { d[i] = q[i] - P0[k * N + i];
      f[i] = P1[k * N + i] - P0[k * N + i]; } return rel(f.data(), d, 0, N); };
  double tg = 0; for (int i = 0; i < N; i++) tg = std::max(tg, fabs(P1[3 * N + i] - (.995 * P0[3 * N + i] + .005 * P1[N + i])));
  printf("check sac %-34s grad rel.err critics W2 %.1e %.1e thin %.1e, actor W2 %.1e thin %.1e; step rel.err %.1e %.1e %.1e; target %.1e; la %.6f (%.6f)\n", r.name,
    rel(g.data() + N, G[1], 0, n::W1), rel(g.data() + 2 * N, G[2], 0, n::W1), rel(g.data() + N, G[1], n::B2, n::B3 + 1), rel(g.data(), G[0], 0, n::W1),
    rel(g.data(), G[0], n::W1, n::B3 + 2), step(1, p[1]), step(2, p[2]), step(0, na), tg, en[3], -3e-4 * (-(lps - B) > 0 ? 1 : -1)); fflush(stdout); sac_free(a);
}
static void sac_time(const SacRun &r, int steps, int reps, bool tf, bool prof) {
  int tot = 1000 + steps * (reps + 1); tile::SacArgs a = sac_args(tot, tf); a.steps = 1000; launch(r.k, r.G, r.cluster, tile::NTH, r.smem, a); double best = 1e30;
  a.steps = steps;
  for (int i = 0; i <= reps; i++) { a.i0 = 1000 + i * steps; if (prof) zero(a.prof, 16); launch(r.k, r.G, r.cluster, tile::NTH, r.smem, a);
    if (i) best = std::min(best, (double)last_ms); }
  auto d = get(a.rew, tot); auto mean = [&](int lo, int hi) { double s = 0; for (int i = lo; i < hi; i++) s += d[i]; return s / (hi - lo); }; auto e = get(a.env, 6);
  printf("{\"algo\":\"sac\",\"variant\":\"%s\",\"sps\":%.0f,\"us_per_step\":%.2f,\"steps\":%d,\"reward_first1k\":%.2f,\"reward_3k-5k\":%.2f,\"reward_last4k\":%.2f,\"reward_last500\":%.2f,\"alpha\":%.4f}\n",
    r.name, steps / best * 1e3, best * 1e3 / steps, tot, mean(0, 1000), mean(3000, 5000), mean(tot - 4000, tot), mean(tot - 500, tot), exp(e[3]));
  if (prof) { auto p = get(a.prof, 16); double s = 0; for (int i = 0; i < 16; i++) s += p[i];
    const char *nm[] = {"act", "env", "fwd 4 nets", "fwd targets", "critics bwd", "fwd critics", "to action", "actor bwd", "barriers: act, adam, adam", "adam (2)",
        "bar fwd 4", "bar fwd targets", "bar critics bwd", "bar fwd critics", "bar to action", "bar actor bwd"}; printf("prof sac %s:", r.name);
    for (int i = 0; i < 16; i++) printf(" %s %.2f us,", nm[i], p[i] / s * last_ms * 1e3 / steps); printf("\n"); }
  fflush(stdout); sac_free(a);
}
/* ---- the list ------------------------------------------------------------------------------------------------------------- */
static void bars() {
  u64 *out = dalloc<u64>(256); const int n = 2000;
  auto show = [&](const char *s, int nc, int nth) { printf("bar %-36s %4d CTAs x %4d threads: %.3f us, %.0f cycles\n", s, nc, nth, last_ms * 1e3 / n,
      (double)get(out, 1)[0] / n); };
  for (int nth : {256, 512, 1024}) { launch(micro::bar_k<M_CTA>, 1, 1, nth, (size_t)0, g_bar, n, out); show("__syncthreads (two)", 1, nth); }
  for (int cs : {4, 8, 16}) for (int nth : {256, 1024}) { launch(micro::bar_k<M_CLU>, cs, cs, nth, (size_t)0, g_bar, n, out); show("cluster", cs, nth); }
  for (int nc : {16, 64, 128, 132}) { launch(micro::bar_k<M_GRID>, nc, 1, 256, (size_t)0, g_bar, n, out); show("grid, one counter", nc, 256);
    launch(micro::bar_k<M_FLAG>, nc, 1, 256, (size_t)0, g_bar, n, out); show("grid, a flag per CTA", nc, 256);
    launch(micro::bar_ll, nc, 1, 256, (size_t)0, (u64 *)g_bar, n, out); show("grid, relaxed flag+value (no fence)", nc, 256); }
  for (int cs : {4, 8}) { launch(micro::bar_hier, 128, cs, 256, (size_t)0, g_bar, n, out, cs); char b[64]; snprintf(b, 64, "cluster of %d + leaders' counter", cs);
    show(b, 128, 256); }
  std::vector<u32> ch(1 << 16); for (size_t i = 0; i < ch.size(); i++) ch[i] = (u32)((i + 4099) % ch.size()); u32 *d = dalloc<u32>(ch.size());
  put(d, ch.data(), ch.size()); launch(micro::lat, 1, 1, 1, (size_t)0, (const u32 *)d, n, out); launch(micro::lat, 1, 1, 1, (size_t)0, (const u32 *)d, n, out);
  printf("L2 load latency %.0f cycles\n", (double)get(out, 1)[0] / n);
  launch(micro::ds_lat, 8, 8, 32, (size_t)65536, n, out, 0); printf("DSMEM load latency %.0f cycles\n", (double)get(out, 1)[0] / n);
  for (int cs : {8, 16}) for (int m : {1, 2}) { launch(micro::ds_lat, cs, cs, 512, (size_t)65536, n, out, m);
    printf("DSMEM %s, cluster %d: %.1f B/cycle a CTA\n", m == 1 ? "read" : "write", cs, 512. * 64 * n / get(out, 1)[0]); }
  for (int nth : {128, 256, 512}) { auto R = [&](int m, double per, const char *s) { launch(micro::rate, 1, 1, nth, (size_t)0, n, out, m);
      printf("rate %3d threads: %-26s %.1f per cycle an SM\n", nth, s, per * nth * n / get(out, 1)[0]); }; R(0, 8 * 1024 / 32., "mma tf32 multiply-adds");
    R(1, 32, "fma"); R(2, 8, "tanh.approx"); R(3, 8, "tanh rational"); }
  launch(micro::rate, 1, 1, 32, (size_t)0, n, out, 4); printf("mma tf32 dependent latency %.1f cycles\n", (double)get(out, 1)[0] / n);
}
/* usage: limit bar | icache | check | ppo | prof | naive | dqn | sac | all  [only variants whose "envs name" contains this] */
int main(int c, char **v) {
  std::string w = c > 1 ? v[1] : "all", f = c > 2 ? v[2] : ""; g_bar = dalloc<u32>(1024); auto on = [&](const char *s) { return w == s || w == "all"; };
  auto has = [&](std::string n) { return n.find(f) != std::string::npos; };
  auto pn = [](const PpoRun &r) { return "E" + std::to_string(r.E) + " " + r.name; };
  PpoRun ppos[] = { /* envs, barrier, precision, CTAs a network, rows a chunk, rollout, exchange, groups, profile */
    PPO(4, M_CTA, 0, 1, 64, 1, 0, 1, 0, "1 CTA, fp32"), PPO(4, M_CTA, 2, 1, 128, 1, 0, 2, 0, "1 CTA, tf32+approx"),
    PPO(4, M_CLU, 2, 2, 64, 1, 2, 1, 0, "cluster 4, tf32+approx, DSMEM async"), PPO(4, M_CLU, 2, 4, 32, 1, 2, 1, 0, "cluster 8, tf32+approx, DSMEM async"),
    PPO(4, M_CLU, 0, 8, 16, 1, 1, 1, 0, "cluster 16, fp32, DSMEM"), PPO(4, M_CLU, 1, 8, 16, 1, 2, 1, 0, "cluster 16, tf32, DSMEM async"),
      PPO(4, M_CLU, 2, 8, 16, 1, 0, 1, 0, "cluster 16, tf32+approx, L2"), PPO(4, M_CLU, 2, 8, 16, 1, 1, 1, 0, "cluster 16, tf32+approx, DSMEM"),
      PPO(4, M_CLU, 2, 8, 16, 1, 2, 1, 0, "cluster 16, tf32+approx, DSMEM async"),
    PPO(4, M_GRID, 2, 8, 16, 1, 0, 1, 0, "grid 16, tf32+approx"),
    PPO(64, M_CLU, 2, 8, 128, 1, 2, 2, 0, "cluster 16, tf32+approx, DSMEM async"), PPO(64, M_GRID, 2, 32, 64, 1, 0, 1, 0, "grid 64, tf32+approx"),
      PPO(64, M_GRID, 0, 64, 32, 1, 0, 1, 0, "grid 128, fp32"), PPO(64, M_GRID, 2, 64, 32, 1, 0, 1, 0, "grid 128, tf32+approx"),
    PPO(256, M_CLU, 2, 8, 128, 2, 2, 2, 0, "cluster 16, tf32+approx, DSMEM async"), PPO(256, M_GRID, 0, 64, 128, 1, 0, 1, 0, "grid 128, fp32"),
      PPO(256, M_GRID, 1, 64, 128, 1, 0, 1, 0, "grid 128, tf32"), PPO(256, M_GRID, 2, 64, 128, 1, 0, 1, 0, "grid 128, tf32+approx"),
      PPO(256, M_FLAG, 2, 64, 128, 1, 0, 1, 0, "grid 128, tf32+approx, flag barrier"),
    PPO(1024, M_GRID, 0, 64, 128, 16, 0, 1, 0, "grid 128, fp32"), PPO(1024, M_GRID, 1, 64, 128, 1, 0, 2, 0, "grid 128, tf32"),
      PPO(1024, M_GRID, 2, 64, 128, 1, 0, 2, 0, "grid 128, tf32+approx"),
    PPO(4096, M_GRID, 0, 64, 128, 32, 0, 1, 0, "grid 128, fp32"), PPO(4096, M_GRID, 1, 64, 128, 32, 0, 2, 0, "grid 128, tf32"),
      PPO(4096, M_GRID, 2, 64, 128, 4, 0, 2, 0, "grid 128, tf32+approx, rollout by warp"), PPO(4096, M_GRID, 2, 64, 128, 32, 0, 1, 0, "grid 128, tf32+approx, one group"),
      PPO(4096, M_GRID, 2, 64, 128, 32, 0, 2, 0, "grid 128, tf32+approx"),
  };
  PpoRun profs[] = { PPO(4, M_CLU, 2, 8, 16, 1, 2, 1, 1, "cluster 16, tf32+approx, DSMEM async"), PPO(256, M_GRID, 2, 64, 128, 1, 0, 1, 1, "grid 128, tf32+approx"),
      PPO(4096, M_GRID, 2, 64, 128, 32, 0, 2, 1, "grid 128, tf32+approx") };
  DqnRun dqns[] = { DQN(M_CTA, 1, 1, 1, 0, "1 CTA, tf32"), DQN(M_CLU, 1, 8, 1, 0, "cluster 8, tf32"), DQN(M_CLU, 0, 16, 1, 0, "cluster 16, fp32"),
      DQN(M_CLU, 1, 16, 1, 0, "cluster 16, tf32"), DQN(M_CLU, 1, 16, 0, 0, "cluster 16, tf32, no prefetch"), DQN(M_GRID, 1, 16, 1, 0, "grid 16, tf32"),
      DQN(M_CLU, 1, 16, 1, 1, "cluster 16, tf32, prof") };
  SacRun sacs[] = { SAC(M_CLU, 1, 16, 1, 0, "cluster 16, tf32"), SAC(M_GRID, 1, 64, 1, 0, "grid 64, tf32"), SAC(M_GRID, 0, 128, 1, 0, "grid 128, fp32"),
      SAC(M_GRID, 1, 128, 1, 0, "grid 128, tf32"), SAC(M_GRID, 1, 128, 0, 0, "grid 128, tf32, no prefetch"), SAC(M_FLAG, 1, 128, 1, 0, "grid 128, tf32, flag barrier"),
      SAC(M_GRID, 1, 128, 1, 1, "grid 128, tf32, prof") };
  if (on("bar")) bars();
  if (on("icache")) { micro::icache<1024>(); micro::icache<2048>(); micro::icache<4096>(); micro::icache<8192>(); micro::icache<12288>(); micro::icache<16384>(); }
  if (on("check")) {
    for (auto &r : ppos) if (r.E <= 256 && has(pn(r))) ppo_check(r, 7);
    for (auto &r : dqns) if (has(std::string("dqn ") + r.name)) dqn_check(r, 300, !strstr(r.name, "fp32"), 2);
    for (auto &r : sacs) if (has(std::string("sac ") + r.name)) sac_check(r, 300, !strstr(r.name, "fp32"), 8);
  }
  if (on("ppo")) for (auto &r : ppos) if (has(pn(r))) ppo_time(r, r.E <= 4 ? 195 : r.E <= 64 ? 100 : r.E <= 1024 ? 50 : 25, 3);
  if (on("prof")) for (auto &r : profs) if (has(pn(r))) ppo_prof(r, 20);
  if (on("naive")) { naive_time(4, 16, 16, 10, naive::kern<M_CLU>, "naive phases, cluster 16"); naive_time(4, 132, 1, 10, naive::kern<M_GRID>, "naive phases, grid 132");
    naive_time(256, 132, 1, 5, naive::kern<M_GRID>, "naive phases, grid 132"); naive_time(4096, 132, 1, 2, naive::kern<M_GRID>, "naive phases, grid 132"); }
  if (on("dqn")) for (auto &r : dqns) if (has(std::string("dqn ") + r.name)) dqn_time(r, 20000, 3, !strstr(r.name, "fp32"), strstr(r.name, "prof"));
  if (on("sac")) for (auto &r : sacs) if (has(std::string("sac ") + r.name)) sac_time(r, 5000, 2, !strstr(r.name, "fp32"), strstr(r.name, "prof"));
}

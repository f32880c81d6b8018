"""Writes test/golden/linalg.json: what JAX (CPU) gives for linear algebra, custom derivatives, segments and sizes.

usage: JAX_PLATFORMS=cpu python3 tools/golden/linalg.py test/golden/linalg.json
Every array is {"dtype", "shape", "data"}; NaN and infinities are strings. A case that JAX refuses is
{"error": type}. test/goldenCases/linalg.ts restates every case, by name, in TypeScript.
"""
import json, math, os, sys

os.environ["JAX_PLATFORMS"] = "cpu"
import numpy as np
import jax, jax.numpy as jnp
from jax import lax, nn
from pack import pack


cases = {}


def case(name, f):
    try:
        cases[name] = pack(f())
    except Exception as error:
        cases[name] = {"error": type(error).__name__}
        print(name, type(error).__name__, str(error)[:200])


# ---- inputs, from whole numbers so that every language has the same -------------------------------------
def grid(shape, seed):
    n = math.prod(shape)
    return jnp.array([((i * 37 + seed * 101 + i * i * 13) % 97) / 24 - 2 for i in range(n)], jnp.float32).reshape(shape)


A = grid((4, 4), 1)
B = grid((4, 3), 2)
v = grid((4,), 3)
W = grid((4, 4), 4)
batch = grid((3, 4, 4), 5)
tall = grid((5, 3), 6)
wide = grid((3, 5), 7)
S = A @ A.T + 0.5 * jnp.eye(4)
SB = batch @ jnp.swapaxes(batch, 1, 2) + 0.5 * jnp.eye(4)
L = jnp.tril(A) + 3 * jnp.eye(4)
singular = A.at[3].set(A[0] + A[1])
rank2 = jnp.outer(v, v) + jnp.outer(A[0], A[0])
small = grid((3, 3), 8)
two = grid((2, 2), 9)
one = grid((1, 1), 10)

la = jnp.linalg
symmetric = lambda x: x + x.T

# ---- values ---------------------------------------------------------------------------------------------
case("cholesky", lambda: la.cholesky(S))
case("cholesky upper", lambda: la.cholesky(S, upper=True))
case("cholesky batched", lambda: la.cholesky(SB))
case("cholesky of an asymmetric matrix", lambda: la.cholesky(S + jnp.triu(A, 1) * 0.1))
case("cholesky of an indefinite matrix", lambda: la.cholesky(symmetric(A)))
case("solve", lambda: la.solve(A, B))
case("solve of a vector", lambda: la.solve(A, v))
case("solve batched", lambda: la.solve(batch, B))
case("solve batched both", lambda: la.solve(batch, batch))
case("inv", lambda: la.inv(A))
case("inv batched", lambda: la.inv(batch))
for label, m in {"4": A, "3": small, "2": two, "1": one, "batch": batch, "singular": singular, "rank 2": rank2}.items():
    case(f"det of {label}", lambda: la.det(m))
    case(f"det' of {label}", lambda: jax.grad(lambda x: (la.det(x) * jnp.arange(1.0, 1.0 + la.det(m).size).reshape(la.det(m).shape)).sum())(m))
    if "singular" not in label and "rank" not in label:
        case(f"slogdet of {label}", lambda: tuple(la.slogdet(m)))
        case(f"slogdet' of {label}", lambda: jax.grad(lambda x: la.slogdet(x)[1].sum())(m))
case("slogdet of zeros", lambda: tuple(la.slogdet(jnp.zeros((3, 3)))))
for left in [True, False]:
    for lower in [True, False]:
        for trans in [False, True]:
            for unit in [False, True]:
                m, b = (L if lower else L.T), (B if left else B.T)
                key = "triangularSolve " + f"{left} {lower} {trans} {unit}".lower()
                options = dict(left_side=left, lower=lower, transpose_a=trans, unit_diagonal=unit)
                f = lambda a, b: lax.linalg.triangular_solve(a, b, **options)
                case(key, lambda: f(m, b))
                case(key + "'", lambda: jax.grad(lambda a, b: (f(a, b) ** 2).sum(), (0, 1))(m, b))
case("eigenvalues", lambda: la.eigvalsh(S))
case("eigenvalues of an asymmetric matrix", lambda: la.eigvalsh(A))
case("eigh reads the lower half", lambda: la.eigvalsh(A, UPLO="L", symmetrize_input=False))
case("eigh reads the upper half", lambda: la.eigvalsh(A, UPLO="U", symmetrize_input=False))
case("eigenvalues batched", lambda: la.eigvalsh(SB))
case("eigenvectors up to sign", lambda: jnp.abs(la.eigh(S)[1]))
case("singular values", lambda: [la.svd(m, compute_uv=False) for m in [A, tall, wide, batch, rank2]])
case("svd up to sign", lambda: [[jnp.abs(u), s, jnp.abs(vt)] for u, s, vt in [la.svd(m, full_matrices=False) for m in [A, tall, wide]]])
case("svd shapes", lambda: [jnp.array(x.shape) for m in [tall, wide] for x in la.svd(m)])
case("pinv", lambda: [la.pinv(m) for m in [A, tall, wide, rank2]])
case("matrixRank", lambda: [la.matrix_rank(m) for m in [A, tall, wide, rank2, batch]])
case("matrixPower", lambda: [la.matrix_power(A, n) for n in [0, 1, 2, 3, 5, -1, -2]])
case("matrixPower batched", lambda: la.matrix_power(batch, 3))
case("qr batched", lambda: tuple(la.qr(batch)))

# ---- derivatives ----------------------------------------------------------------------------------------
weigh = lambda x: (x * jnp.arange(1.0, 1.0 + x.size, dtype=x.dtype).reshape(x.shape)).sum()
case("cholesky'", lambda: jax.grad(lambda x: weigh(la.cholesky(x)))(S))
case("cholesky jvp", lambda: jax.jvp(la.cholesky, (S,), (W,))[1])
case("cholesky''", lambda: jax.jvp(jax.grad(lambda x: weigh(la.cholesky(x))), (S,), (W,))[1])
case("cholesky' batched", lambda: jax.vmap(jax.grad(lambda x: weigh(la.cholesky(x))))(SB))
case("solve'", lambda: jax.grad(lambda a, b: weigh(la.solve(a, b)), (0, 1))(A, B))
case("solve jvp", lambda: jax.jvp(la.solve, (A, B), (W, B * 2))[1])
case("solve''", lambda: jax.jvp(jax.grad(lambda a: weigh(la.solve(a, B))), (A,), (W,))[1])
case("solve' of a vector", lambda: jax.grad(lambda a, b: weigh(la.solve(a, b)), (0, 1))(A, v))
case("solve' batched", lambda: jax.grad(lambda a, b: weigh(la.solve(a, b)), (0, 1))(batch, B))
case("inv'", lambda: jax.grad(lambda a: weigh(la.inv(a)))(A))
case("inv' batched", lambda: jax.vmap(jax.grad(lambda a: weigh(la.inv(a))))(batch))
case("det''", lambda: jax.jvp(jax.grad(la.det), (A,), (W,))[1])
case("slogdet''", lambda: jax.jvp(jax.grad(lambda x: la.slogdet(x)[1]), (A,), (W,))[1])
case("eigenvalues'", lambda: jax.grad(lambda x: weigh(la.eigvalsh(x)))(S))
case("eigh'", lambda: jax.grad(lambda x: weigh(la.eigh(x)[1] ** 2))(S))
case("eigh jvp", lambda: jax.jvp(lambda x: (la.eigh(x)[0], la.eigh(x)[1] ** 2), (S,), (W,))[1])
case("eigh' batched", lambda: jax.vmap(jax.grad(lambda x: weigh(la.eigh(x)[1] ** 2)))(SB))
case("svd' values", lambda: [jax.grad(lambda x: weigh(la.svd(x, compute_uv=False)))(m) for m in [A, tall, wide]])
def svdLoss(x):
    u, s, vt = la.svd(x, full_matrices=False)
    return weigh(u ** 2) + weigh(s) + weigh(vt ** 2)
case("svd'", lambda: [jax.grad(svdLoss)(m) for m in [A, tall, wide]])
case("pinv'", lambda: [jax.grad(lambda x: weigh(la.pinv(x)))(m) for m in [A, tall, wide]])
case("qr' batched", lambda: jax.vmap(jax.grad(lambda x: weigh(la.qr(x)[0]) + weigh(la.qr(x)[1])))(batch))

# ---- associative scans, segments, sizes --------------------------------------------------------------------
x = grid((7, 2), 11)
ids = jnp.array([0, 2, 2, 5, 1, 2, -1])
sorted_ids = jnp.array([0, 0, 1, 1, 1, 3, 3])
case("associativeScan", lambda: [
    lax.associative_scan(jnp.add, x), lax.associative_scan(jnp.multiply, x, axis=1),
    lax.associative_scan(jnp.maximum, x, reverse=True), lax.associative_scan(jnp.add, x[:1]), lax.associative_scan(jnp.add, x[:6])])
def affine(p, q): return (q[0] * p[0], q[0] * p[1] + q[1])
case("associativeScan of a tree", lambda: lax.associative_scan(affine, (x[:, 0], x[:, 1])))
case("associativeScan'", lambda: jax.grad(lambda y: weigh(lax.associative_scan(affine, (y[:, 0], y[:, 1]))[1]))(x))
case("segmentSum", lambda: [jax.ops.segment_sum(x, ids, num_segments=4), jax.ops.segment_sum(x, sorted_ids), jax.ops.segment_sum(ids, ids, num_segments=3)])
case("segmentMax", lambda: [jax.ops.segment_max(x, ids, num_segments=4), jax.ops.segment_max(ids, ids, num_segments=4)])
case("segmentMin", lambda: [jax.ops.segment_min(x, ids, num_segments=4), jax.ops.segment_min(ids, ids, num_segments=4)])
case("segmentProd", lambda: [jax.ops.segment_prod(x, ids, num_segments=4), jax.ops.segment_prod(ids, ids, num_segments=4)])
for name, f in {"Sum": jax.ops.segment_sum, "Max": jax.ops.segment_max, "Min": jax.ops.segment_min, "Prod": jax.ops.segment_prod}.items():
    case(f"segment{name}'", lambda: jax.grad(lambda y: weigh(jnp.where(jnp.isfinite(f(y, ids, num_segments=4)), f(y, ids, num_segments=4), 0)))(x))
case("bincount", lambda: [jnp.bincount(jnp.array([0, 1, 1, 3, 9]), length=5), jnp.bincount(jnp.array([0, 1, 1, 3]), weights=jnp.array([0.5, 1.0, 2.0, 3.0]), length=6), jnp.bincount(jnp.array([-1, 1]), length=3), jnp.bincount(jnp.array([2, 2, 4]))])
mask = jnp.array([[3, 0, 0], [0, 4, 0], [5, 6, 0]])
case("nonzero", lambda: [list(jnp.nonzero(mask)), list(jnp.nonzero(mask, size=6)), list(jnp.nonzero(mask, size=2)), list(jnp.nonzero(mask, size=6, fill_value=-1)), list(jnp.nonzero(mask, size=6, fill_value=(-1, 7))), list(jnp.nonzero(jnp.array([True, False, True])))])
case("argwhere", lambda: [jnp.argwhere(mask), jnp.argwhere(mask, size=5), jnp.argwhere(mask, size=5, fill_value=-1)])
case("flatnonzero", lambda: [jnp.flatnonzero(mask), jnp.flatnonzero(mask, size=5), jnp.flatnonzero(mask, size=5, fill_value=-1)])
repeated = jnp.array([3.0, 1.0, 2.0, 1.0, 3.0])
case("unique", lambda: [jnp.unique(repeated), jnp.unique(repeated, size=5), jnp.unique(repeated, size=2), jnp.unique(repeated, size=5, fill_value=-7.0), jnp.unique(mask)])
case("unique with all", lambda: [list(jnp.unique(repeated, size=n, return_index=True, return_inverse=True, return_counts=True)) for n in [3, 5, 2]])
case("unique inverse of a matrix", lambda: list(jnp.unique(mask, return_inverse=True)))

# ---- small ones --------------------------------------------------------------------------------------------
case("softmax of nothing", lambda: [nn.softmax(jnp.zeros((2, 0))), nn.log_softmax(jnp.zeros((0, 2)), axis=0)])
case("hstack of scalars", lambda: [jnp.hstack([1.0, 2.0]), jnp.vstack([1.0, 2.0])])

# ---- derivatives of one's own ---------------------------------------------------------------------------------
@jax.custom_jvp
def log1pexp(x): return jnp.log(1.0 + jnp.exp(x))
@log1pexp.defjvp
def _(primals, tangents):
    (x,), (t,) = primals, tangents
    return log1pexp(x), (1 - 1 / (1 + jnp.exp(x))) * t
points = jnp.array([-3.0, 0.0, 2.0, 100.0])
case("customJvp", lambda: [jax.vmap(log1pexp)(points[:3]), jax.vmap(jax.grad(log1pexp))(points), jax.vmap(jax.grad(jax.grad(log1pexp)))(points[:3])])
@jax.custom_vjp
def clipped(x, y): return jnp.sin(x) * y
clipped.defvjp(lambda x, y: (clipped(x, y), (jnp.cos(x), jnp.sin(x), y)), lambda res, g: (jnp.clip(res[0] * g * res[2], -0.5, 0.5), res[1] * g))
def looped(x, y): return lax.scan(lambda c, e: (c + clipped(c * e, y), c), x, points / 10)[0]
case("customVjp", lambda: [jax.grad(clipped, (0, 1))(0.3, 2.0), jax.grad(looped, (0, 1))(0.3, 2.0), jax.vmap(jax.grad(looped, (0, 1)), (0, None))(points, 0.7), jax.grad(lambda y: jax.vmap(clipped, (0, None))(points, y).sum())(0.7)])
block = lambda c: jnp.sin(jnp.exp(jnp.cos(c)))
case("checkpoint", lambda: [jax.grad(lambda c: jax.checkpoint(block)(jax.checkpoint(block)(c)))(0.4), jax.grad(jax.grad(lambda c: jax.checkpoint(block)(c)))(0.4)])

with open(sys.argv[1], "w") as file:
    json.dump(cases, file, separators=(",", ":"))
print(len(cases), "cases of JAX", jax.__version__)

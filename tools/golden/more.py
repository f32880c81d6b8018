"""Writes test/golden/more.json: what JAX (CPU) gives for functions with options: values and gradients.

usage: JAX_PLATFORMS=cpu python3 tools/golden/more.py test/golden/more.json
A case is {"args", "value", "gradient"}: arguments, result, and the gradient of Σ cos(i) · result[i] by the float
arguments. A case that JAX refuses is {"error": type}. test/goldenCases/more restates every case, by name, in TypeScript.
"""
import json, math, os, sys

os.environ["JAX_PLATFORMS"] = "cpu"
import numpy as np
import jax, jax.numpy as jnp
from jax import lax, nn, random
from pack import pack

inf, nan = np.inf, np.nan
F, I, U, B = np.float32, np.int32, np.uint32, np.bool_
noise = np.random.RandomState(0)


def loss(result):
    leaves = [x for x in jax.tree.leaves(result) if jnp.asarray(x).dtype == jnp.float32]
    return sum(jnp.sum(jnp.cos(jnp.arange(x.size, dtype=jnp.float32)).reshape(x.shape) * x) for x in leaves)


cases = {}


def case(name, f, *args, grad=True):
    args = [jnp.asarray(a) for a in args]
    try:
        value = f(*args)
        cases[name] = {"args": pack(args), "value": pack(value)}
        floats = [i for i, a in enumerate(args) if a.dtype == jnp.float32]
        if grad and floats and any(jnp.asarray(x).dtype == jnp.float32 for x in jax.tree.leaves(value)):
            cases[name]["gradient"] = pack(jax.grad(lambda *a: loss(f(*a)), argnums=tuple(floats))(*args))
    except Exception as error:
        cases[name] = {"error": type(error).__name__}


def normal(*shape): return noise.randn(*shape).astype(F)
def ints(low, high, *shape): return noise.randint(low, high, shape).astype(I)
def positive(*shape): return (noise.rand(*shape) + 0.3).astype(F)


# ---- reductions -----------------------------------------------------------------------------------
x, mask = normal(3, 4), noise.rand(3, 4) > 0.4
counts, flags, bytes_ = ints(-9, 9, 3, 4), noise.rand(3, 4) > 0.5, noise.randint(0, 256, (3, 4)).astype(np.uint8)
case("sum options", lambda x, m: [jnp.sum(x, 1, where=m, initial=2.0), jnp.sum(x, 0, keepdims=True, where=m)], x, mask)
case("prod options", lambda x, m: [jnp.prod(x, 1, where=m, initial=2.0), jnp.prod(x, where=m)], x, mask)
case("max options", lambda x, m: [jnp.max(x, 1, where=m, initial=-1.0), jnp.min(x, 0, where=m, initial=0.5, keepdims=True)], x, mask)
case("mean options", lambda x, m: [jnp.mean(x, 1, where=m), jnp.var(x, 0, where=m | (x > 0), ddof=1), jnp.std(x, where=m)], x, mask)
case("any all where", lambda f, m: [jnp.any(f, 1, where=m), jnp.all(f, 1, where=m, keepdims=True)], flags, mask)
case("dtype of sums", lambda i, f, b, x: [
    jnp.sum(i, 0, dtype=F), jnp.sum(f, dtype=F), jnp.sum(b, 1, dtype=np.uint8), jnp.sum(x, dtype=I), jnp.prod(i, 1, dtype=F),
    jnp.prod(f, dtype=I), jnp.cumsum(f, 1, dtype=F), jnp.cumsum(x, dtype=I), jnp.cumprod(i, 0, dtype=F)], counts, flags, bytes_, x, grad=False)
case("dtype of means", lambda i, x: [jnp.mean(i, 0, dtype=I), jnp.mean(x * 9, 1, dtype=I), jnp.mean(i, dtype=F), jnp.var(i, 0, dtype=F), jnp.std(i, 1, dtype=F)], counts, x, grad=False)

# ---- windows and convolutions ---------------------------------------------------------------------
image = normal(2, 5, 6, 2)
pool = lambda op, init, dims, strides, padding, **kw: lambda x: lax.reduce_window(x, init, op, dims, strides, padding, **kw)
case("max pool", pool(lax.max, -inf, (1, 2, 3, 1), (1, 2, 2, 1), "VALID"), image)
case("max pool same", pool(lax.max, -inf, (1, 3, 3, 1), (1, 2, 2, 1), "SAME"), image)
case("max pool of ties", pool(lax.max, -inf, (1, 3, 2, 1), (1, 1, 1, 1), "SAME"), np.round(image))
case("min pool lower", pool(lax.min, inf, (1, 2, 2, 1), (1, 1, 2, 1), "SAME_LOWER"), image)
case("sum pool padded", pool(lax.add, 0.0, (1, 2, 2, 1), (1, 2, 1, 1), ((0, 0), (1, 0), (2, 1), (0, 0))), image)
case("sum pool dilated", pool(lax.add, 0.0, (1, 2, 2, 1), (1, 1, 1, 1), "VALID", base_dilation=(1, 2, 1, 1), window_dilation=(1, 1, 3, 1)), image)
case("product window", pool(lax.mul, 1.0, (2, 3), (1, 2), "SAME"), image[0, :, :, 0], grad=False)
case("max window from", pool(lax.max, 0.5, (3,), (2,), "SAME"), normal(7), grad=False)
case("integer window", pool(lax.max, -2147483648, (2, 2), (1, 1), "VALID"), counts)
dn1, dn3 = ("NWC", "WIO", "NWC"), ("NDHWC", "DHWIO", "NDHWC")
conv = lambda *a, **kw: lambda x, w: lax.conv_general_dilated(x, w, *a, **kw)
case("conv 1-D", conv((2,), "SAME", dimension_numbers=dn1), normal(2, 7, 3), normal(3, 3, 4))
case("conv 1-D channels first", conv((1,), ((2, 1),), rhs_dilation=(2,), dimension_numbers=("NCW", "OIW", "NCW")), normal(2, 3, 7), normal(4, 3, 2))
case("conv 2-D lower", conv((2, 2), "SAME_LOWER", dimension_numbers=("NHWC", "HWIO", "NHWC")), image, normal(2, 3, 2, 2))
case("conv 2-D groups", conv((1, 2), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC"), feature_group_count=2), image, normal(2, 2, 1, 4))
case("conv 3-D", conv((1, 2, 1), "SAME", dimension_numbers=dn3), normal(1, 3, 4, 3, 2), normal(2, 2, 3, 2, 2))
case("conv 3-D groups", conv((1, 1, 1), "VALID", dimension_numbers=dn3, feature_group_count=2), normal(1, 3, 3, 3, 2), normal(2, 2, 2, 1, 2))
up = lambda *a, **kw: lambda x, w: lax.conv_transpose(x, w, *a, **kw)
case("convTranspose same", up((2, 2), "SAME"), normal(1, 3, 4, 2), normal(3, 3, 2, 3))
case("convTranspose valid", up((3, 2), "VALID"), normal(1, 3, 2, 2), normal(2, 3, 2, 3))
case("convTranspose small kernel", up((3,), "SAME"), normal(1, 3, 2), normal(2, 2, 2))
case("convTranspose given", up((2,), ((1, 2),), rhs_dilation=(2,)), normal(1, 4, 2), normal(3, 2, 2))
case("convTranspose turned", up((2, 1), "SAME", transpose_kernel=True), normal(1, 3, 3, 3), normal(3, 2, 2, 3))

# ---- nn -------------------------------------------------------------------------------------------
points = np.array([-20, -4, -3, -2.5, -1, -0.7, 0, 0.3, 1, 1.7, 3, 6, 20], F)
for name, f in {
    "selu": nn.selu, "mish": nn.mish, "celu": nn.celu, "celuHalf": lambda x: nn.celu(x, 0.5), "softSign": nn.soft_sign,
    "hardTanh": nn.hard_tanh, "hardSigmoid": nn.hard_sigmoid, "hardSilu": nn.hard_silu, "squareplus": nn.squareplus,
    "squareplusOne": lambda x: nn.squareplus(x, 1.0), "sparsePlus": nn.sparse_plus, "sparseSigmoid": nn.sparse_sigmoid,
    "logSigmoid": nn.log_sigmoid,
}.items(): case(name, f, points)
case("glu", lambda x: [nn.glu(x), nn.glu(x, 0)], normal(4, 6))
q, k, v = normal(2, 3, 4, 5), normal(2, 6, 4, 5), normal(2, 6, 4, 5)
attend = lambda **kw: lambda q, k, v: nn.dot_product_attention(q, k, v, **kw)
bias, keep = normal(2, 4, 3, 6), noise.rand(2, 1, 3, 6) > 0.3
case("attention", attend(), q, k, v)
case("attention causal", attend(is_causal=True, scale=0.7), q, k, v)
case("attention bias mask", lambda q, k, v, b, m: nn.dot_product_attention(q, k, v, b, m), q, k, v, bias, keep)
case("attention groups", attend(), q, k[:, :, :2], v[:, :, :2])
case("attention unbatched", attend(is_causal=True), q[0], k[0], v[0])
case("attention lengths", lambda q, k, v, a, b: nn.dot_product_attention(q, k, v, query_seq_lengths=a, key_value_seq_lengths=b), q, k, v, np.array([2, 3], I), np.array([4, 6], I))
case("attention window", attend(local_window_size=(1, 2), is_causal=False, mask=jnp.ones((1, 1, 3, 6), bool)), q, k, v)
case("attention row without keys", lambda q, k, v, m: nn.dot_product_attention(q, k, v, mask=m), q, k, v, np.zeros((2, 1, 3, 6), B))

# ---- random ---------------------------------------------------------------------------------------
KEY = np.array([0, 42], U)
draw = lambda f: (lambda *a: f(*a))
case("laplace", lambda k: random.laplace(k, (4, 5)), KEY)
case("logistic", lambda k: random.logistic(k, (4, 5)), KEY)
case("cauchy", lambda k: random.cauchy(k, (4, 5)), KEY)
case("rademacher", lambda k: [random.rademacher(k, (20,)), random.rademacher(k, (3,), F)], KEY)
case("geometric", lambda k, p: random.geometric(k, p, (5, 4)), KEY, np.array([0.05, 0.3, 0.7, 0.99], F))
case("poisson", lambda k, lam: random.poisson(k, lam, (8, 5)), KEY, np.array([0, 0.4, 5, 25, 3000], F))
case("binomial", lambda k, p: [random.binomial(k, 20.0, p, (6, 4)), random.binomial(k, 1000.0, p, (6, 4))], KEY, np.array([0.02, 0.3, 0.5, 0.8], F), grad=False)
alphas = np.array([0.05, 0.5, 1.0, 3.0, 40.0], F)
case("gamma", lambda k, a: random.gamma(k, a, (4, 5)), KEY, alphas)
case("loggamma", lambda k, a: random.loggamma(k, a, (4, 5)), KEY, alphas)
case("gamma of its own shape", lambda k, a: random.gamma(k, a), KEY, np.array([300.0, 2.0, 0.7, 11.0], F))
case("beta", lambda k, a, b: random.beta(k, a, b, (4, 3)), KEY, np.array([0.3, 2.0, 5.0], F), np.array([0.7, 2.0, 30.0], F))
case("dirichlet", lambda k, a: random.dirichlet(k, a, (2, 3)), KEY, np.array([[0.2, 1.0, 3.0, 0.5]] * 3, F))
cov2 = np.array([[[2, 0.5, 0.1], [0.5, 1, -0.2], [0.1, -0.2, 3]], [[1, 0, 0], [0, 4, 1], [0, 1, 2]]], F)
case("multivariateNormal", lambda k, m, c: random.multivariate_normal(k, m, c), KEY, normal(2, 3), cov2)
case("multivariateNormal shape", lambda k, m, c: random.multivariate_normal(k, m, c, (4, 2)), KEY, normal(3), cov2)
case("categorical without replacement", lambda k, l: [random.categorical(k, l, shape=(3, 2), replace=False), random.categorical(k, l, axis=0, shape=(2, 5), replace=False)], KEY, normal(2, 5), grad=False)

# ---- statistics and others ------------------------------------------------------------------------
holes = x.copy(); holes[0, 1] = holes[2, 3] = nan; holes[1] = nan
case("nan reductions", lambda h: [jnp.nansum(h, 1), jnp.nanprod(h, 1), jnp.nanmean(h, 0), jnp.nanvar(h, 0), jnp.nanstd(h, 0, ddof=1), jnp.nanmax(h, 0), jnp.nanmin(h, 0, keepdims=True)], holes)
case("nan rows", lambda h: [jnp.nanmean(h, 1), jnp.nanvar(h, 1), jnp.nanmax(h, 1), jnp.nanmin(h, 1)], holes, grad=False)
case("nan where", lambda h, m: [jnp.nansum(h, where=m), jnp.nanmean(h, 0, where=m), jnp.nanmax(h, 1, initial=0.0, where=m)], holes, mask, grad=False)
case("quantile", lambda a: [jnp.quantile(a, 0.3, 1), jnp.quantile(a, jnp.array([0.0, 0.25, 1.0]), 0), jnp.quantile(a, 0.9, keepdims=True)], x)
case("quantile methods", lambda a: [jnp.quantile(a, 0.4, 1, method=m) for m in ["lower", "higher", "midpoint", "nearest"]], x)
case("quantile axes", lambda a: jnp.quantile(a, jnp.array([0.1, 0.5]), (0, 2), keepdims=True), normal(2, 3, 4))
case("percentile median", lambda a: [jnp.percentile(a, 30, 0), jnp.median(a, 1), jnp.median(a), jnp.median(a, (0, 1), keepdims=True)], x)
case("quantile of nan", lambda h: [jnp.quantile(h, 0.5, 1), jnp.median(h, 0)], holes, grad=False)
case("quantile of integers", lambda i: [jnp.quantile(i, 0.3), jnp.median(i, 1)], counts)
case("average", lambda a, w, u: [jnp.average(a, 1), jnp.average(a, weights=w), jnp.average(a, 1, weights=u), *jnp.average(a, 0, weights=w, returned=True)], x, positive(3, 4), positive(4))
case("diff", lambda a: [jnp.diff(a), jnp.diff(a, 2, 0), jnp.diff(a, prepend=1.0), jnp.diff(a, axis=0, append=a[:1])], x)
case("diff of others", lambda i, f: [jnp.diff(i), jnp.diff(f)], counts, flags)
case("select", lambda a, b: jnp.select([a > 1, a > 0, b > 0], [a, b * 2, a * b], 7.0), x, normal(3, 4))
case("isin", lambda i: [jnp.isin(i, jnp.array([1, -3, 8])), jnp.isin(i, jnp.array([[2, 5]]), invert=True)], counts)
case("meshgrid", lambda a, b, c: [*jnp.meshgrid(a, b), *jnp.meshgrid(a, b, indexing="ij"), *jnp.meshgrid(a, b, c, sparse=True)], normal(3), normal(2), normal(4))
case("interp", lambda a, p, f: [jnp.interp(a, p, f), jnp.interp(a, p, f, left=-9.0, right=9.0), jnp.interp(a, p, f, period=2.5)], np.linspace(-3, 4, 12).astype(F), np.array([-2, -1, 0.5, 0.75, 3], F), normal(5))
case("cov", lambda a, b: [jnp.cov(a), jnp.cov(a, b, rowvar=False, bias=True), jnp.cov(a[0]), jnp.cov(a, ddof=0)], x, normal(3, 4))
case("cov weights", lambda a, w: [jnp.cov(a, fweights=jnp.array([1, 2, 3, 1])), jnp.cov(a, aweights=w), jnp.cov(a, fweights=jnp.array([1, 2, 3, 1]), aweights=w, ddof=0)], x, positive(4))
case("corrcoef", lambda a: [jnp.corrcoef(a), jnp.corrcoef(a, rowvar=False)], normal(3, 5))
case("allclose", lambda a: [jnp.allclose(a, a + 1e-7), jnp.allclose(a, a + 1e-2), jnp.allclose(a, a + 1e-2, atol=0.1), jnp.isclose(a, a * 1.00001, rtol=1e-6)], x)

# ---- indexed updates ------------------------------------------------------------------------------
vector, twice, out_ = normal(5), np.array([1, 3, 1, 0], I), np.array([1, 7, -9, -1], I)
values = normal(4)
case("at divide power", lambda x, v: [x.at[1:3].divide(v[:2]), jnp.abs(x).at[jnp.array([0, 2])].power(jnp.abs(v[:2])), x.at[twice].divide(v)], vector, values, grad=False)
case("at divide'", lambda x, v: x.at[jnp.array([1, 4])].divide(v[:2], unique_indices=True), vector, values)
case("at apply", lambda x: [x.at[jnp.array([0, 3])].apply(jnp.exp), x.at[1:].apply(lambda y: y * y)], vector, grad=False)
case("at divide of integers", lambda i: [i.at[0].divide(2), i.at[jnp.array([1, 2])].power(2)], counts[0])
case("at max", lambda x, v: x.at[twice].max(v), vector, values)
case("at min", lambda x, v: x.at[twice].min(v), vector, values)
case("at max of ties", lambda x, v: x.at[twice].max(v), np.zeros(5, F), np.array([0, 1, 0, -1], F))
case("at min rows", lambda x, v: x.at[jnp.array([2, 0, 2])].min(v), normal(3, 2), normal(3, 2))
case("at get modes", lambda x, i: [x.at[i].get(mode="clip"), x.at[i].get(mode="fill"), x.at[i].get(mode="fill", fill_value=-1.0), x.at[i].get(mode="drop")], vector, out_)
case("at get default", lambda x, i: x.at[i].get(), vector, np.array([1, 7, -1], I), grad=False)
case("at get wrap", lambda x, i: x.at[i].get(mode="wrap"), vector, out_)
case("at get of integers", lambda a, f, i: [a.at[i].get(mode="fill"), f.at[i].get(mode="fill"), a.at[i].get(mode="fill", fill_value=3)], counts[:, 0], flags[:, 0], out_)
case("at get matrix", lambda x, i: [x.at[i, 1].get(mode="fill"), x.at[:, i].get(mode="fill", fill_value=0.0), x.at[9].get(mode="clip"), x.at[9, 1].get(mode="fill")], x, out_)
case("at set modes", lambda x, v, i: [x.at[i].set(v, mode="clip"), x.at[i].set(v, mode="drop"), x.at[i].add(v, mode="clip"), x.at[i].set(v, mode="fill"), x.at[i].max(v, mode="drop")], vector, values, np.array([1, 7, -9, 2], I))
case("at promise", lambda x, v, i: [x.at[i].get(mode="promise_in_bounds"), x.at[i].add(v, mode="promise_in_bounds")], vector, values, twice)

# ---- shaping --------------------------------------------------------------------------------------
case("roll", lambda x: [jnp.roll(x, (1, -2), (0, 1)), jnp.roll(x, 1, (0, 1)), jnp.roll(x, (1, 2), 1)], x)
case("roll traced", lambda x, s: [jnp.roll(x, s), jnp.roll(x, s, 1), jnp.roll(x, jnp.stack([s, -s]), (0, 1))], x, np.array(-5, I))
case("repeat counts", lambda x: [jnp.repeat(x, np.array([2, 0, 3]), 0), jnp.repeat(x, np.array([1, 2, 0, 1]), 1), jnp.repeat(x, 2)], x)
case("repeat traced", lambda x, c: [jnp.repeat(x, c, 0, total_repeat_length=5), jnp.repeat(x, c, 0, total_repeat_length=3), jnp.repeat(x, c, 0, total_repeat_length=8)], x, np.array([2, 0, 3], I))
cube = normal(2, 3, 4)
case("diagonal", lambda c: [jnp.diagonal(c), jnp.diagonal(c, 1, 1, 2), jnp.diagonal(c, -1, 2, 0), jnp.trace(c), jnp.trace(c, 1, 2, 1)], cube)
case("topK axis", lambda c: [*lax.top_k(c, 2, axis=1), *lax.top_k(c, 1, axis=0)], cube)
case("pad", lambda x: [jnp.pad(x, [[1, 2]]), jnp.pad(x, ((0, 1), (2, 0)), constant_values=3.0), *[jnp.pad(x, ((1, 2), (3, 1)), mode=m) for m in ["edge", "reflect", "symmetric", "wrap"]]], x)
case("pad far", lambda v: [jnp.pad(v, 7, mode=m) for m in ["edge", "reflect", "symmetric", "wrap"]], normal(3))
case("arrayEqual", lambda h: [jnp.array_equal(h, h), jnp.array_equal(h, h, equal_nan=True)], holes)
case("einsum lists", lambda a, b: [jnp.einsum(a, [0, 1], b, [2, 1], [2, 0]), jnp.einsum(a, [0, 1], b, [2, 1]), jnp.einsum(a, [..., 1], [..., 1])], x, normal(2, 4))
case("unstack append", lambda x: [*jnp.unstack(x), *jnp.unstack(x, axis=1), jnp.append(x, x[:1]), jnp.append(x, x[:1], 0)], x)
case("splits", lambda c: [*jnp.array_split(c, 3, 2), *jnp.hsplit(c, 3), *jnp.vsplit(c, 2), *jnp.dsplit(c, [1, 3])], cube)

# ---- elementwise ----------------------------------------------------------------------------------
real = np.array([-1e10, -50, -3, -1.5, -1, -0.5, -1e-4, -0.0, 0.0, 1e-4, 0.5, 1, 1.5, 2.5, 7, 1e10, inf, -inf, nan], F)
for name, f in {"arcsinh": jnp.arcsinh, "arccosh": jnp.arccosh, "arctanh": jnp.arctanh, "cbrt": jnp.cbrt, "rint": jnp.rint,
                "erfc": lax.erfc, "signbit": jnp.signbit, "logit": jax.scipy.special.logit}.items(): case(name, f, real)
case("sinc", jnp.sinc, real[1:-3])
gammas = np.array([-3.5, -1.2, -0.5, 0.01, 0.5, 1, 1.5, 2, 3.7, 12, 150], F)
case("lgamma", lax.lgamma, gammas)
case("digamma", lax.digamma, gammas, grad=False)
grid = np.array([-2.5, -1, -0.0, 0.0, 1, 3, nan], F)
left, right = (np.ravel(g) for g in np.meshgrid(grid, grid, indexing="ij"))
for name, f in {"fmod": jnp.fmod, "copysign": jnp.copysign, "fmax": jnp.fmax, "fmin": jnp.fmin}.items():
    case(name, f, left, right, grad=False)
case("fmax'", lambda a, b: [jnp.fmax(a, b), jnp.fmin(a, b), jnp.copysign(a, b), jnp.fmod(a, b)], np.array([1, -2, 3.5], F), np.array([2, 1.5, -1], F))
case("divmod", lambda a, b: [*jnp.divmod(a, b), *jnp.divmod(jnp.array([7, -7]), 3)], np.array([5.5, -5.5, 1], F), np.array([2, 2, -3], F))
case("cross", lambda a, b: [jnp.cross(a, b), jnp.cross(a[:, :2], b), jnp.cross(a[:, :2], b[:, :2]), jnp.cross(a, b[0]), jnp.cross(a.T, b.T, axis=0)], normal(4, 3), normal(4, 3))
case("trapezoid", lambda y, t: [jnp.trapezoid(y), jnp.trapezoid(y, dx=0.5, axis=0), jnp.trapezoid(y, t), jnp.trapezoid(y, jnp.abs(y))], x, np.array([0, 1, 1.5, 4], F))
case("grids", lambda: [jnp.tri(3), jnp.tri(2, 4, 1, I), jnp.indices((2, 3)), jnp.logspace(0, 2, 5), jnp.logspace(-1, 1, 3, base=2), jnp.geomspace(1, 256, 9), jnp.geomspace(-8, -1, 4, endpoint=False)])

# ---- corners of the above -------------------------------------------------------------------------
case("corners of reductions", lambda x, m: [jnp.var(x, 1, where=m, ddof=2), jnp.sum(x, (0, 1), keepdims=True, initial=1.5), jnp.mean(x, where=m, keepdims=True), jnp.average(x, 0, weights=jnp.abs(x), keepdims=True)], x, mask)
case("max pool of nan", pool(lax.max, -inf, (2, 2), (1, 1), "VALID"), holes, grad=False)
case("sum window from", pool(lax.add, 2.0, (2, 2), (2, 1), "SAME"), x, grad=False)
case("conv 1-D stretched", conv((1,), ((1, 1),), lhs_dilation=(3,), dimension_numbers=dn1), normal(1, 4, 2), normal(2, 2, 3))
case("conv 2-D letters", conv((1, 2), "VALID", dimension_numbers=("NWHC", "HWIO", "NHCW")), normal(1, 5, 4, 2), normal(2, 3, 2, 3))
case("attention one window", attend(local_window_size=1, is_causal=True), q, k, v)
case("attention mask of heads", lambda q, k, v, m: nn.dot_product_attention(q, k, v, mask=m, is_causal=True), q, k, v, noise.rand(1, 4, 3, 6) > 0.2)
case("gamma far out", lambda k, a: random.gamma(k, a), KEY, np.array([0.002, 0.9, 1.1, 800.0, 2e4], F))
case("loggamma far out", lambda k, a: random.loggamma(k, a), KEY, np.array([0.0005, 0.02, 900.0], F))
case("poisson of its own shape", lambda k, lam: random.poisson(k, lam), KEY, np.array([[9.9, 10.0], [1e6, 0.01]], F))
case("binomial corners", lambda k, n, p: random.binomial(k, n, p), KEY, np.array([0, 5, -1, 50, 40, 7.9], F), np.array([0.5, 1.0, 0.5, nan, 0.0, 0.3], F), grad=False)
case("quantile of computed shares", lambda x, s: [jnp.quantile(x, s, 0), jnp.percentile(x, 100 * s)], x, np.array([0.21, 0.77], F))
case("integers", lambda i: [jnp.pad(i, 1, constant_values=7), jnp.pad(i, ((2, 0), (0, 1)), mode="reflect"), jnp.diff(i, 3), jnp.roll(i, (1, 2), 1), jnp.select([i > 3, i < -3], [i, -i], 0), jnp.repeat(i, 2, 1, total_repeat_length=5), jnp.nanmax(i), jnp.cross(i[:, :3], i[:, 1:])], counts)
case("cross axes", lambda a, b: jnp.cross(a, b, axisa=0, axisb=1, axisc=0), normal(3, 4), normal(4, 3))
case("topK of ties", lambda i: lax.top_k(i, 2, axis=0), np.round(counts / 4).astype(I))
case("at in blocks", lambda x, v: [x.at[1, 1:3].max(v[:2]), x.at[:, ::2].min(v[0]), x.at[1:, 0].divide(v[:2])], x, values)
case("at through masks of two axes", lambda x, v, i: [x.at[i, 0].max(v, mode="drop"), x.at[0, i].min(v, mode="clip"), x.at[i, i].get(mode="fill", fill_value=2.0)], x, values, np.array([0, 2, 8, -1], I))

json.dump(cases, open(sys.argv[1], "w"), separators=(",", ":"))
print(len(cases), "cases with JAX", jax.__version__)
print({name: value["error"] for name, value in cases.items() if "error" in value})

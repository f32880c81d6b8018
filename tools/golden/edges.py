"""Writes test/golden/edges.json: what JAX (CPU) gives at the edges of its functions and of their derivatives.

usage: JAX_PLATFORMS=cpu python3 tools/golden/edges.py test/golden/edges.json
Every array is {"dtype", "shape", "data"}; NaN and infinities are strings. A case that JAX refuses is
{"error": type}. test/goldenCases/edges.ts restates every case, by name, in TypeScript.
"""
import json, math, os, sys

os.environ["JAX_PLATFORMS"] = "cpu"
import numpy as np
import jax, jax.numpy as jnp
from jax import lax, nn
from pack import pack

inf, nan = jnp.inf, jnp.nan


cases = {}


def case(name, f):
    try:
        cases[name] = pack(f())
    except Exception as error:
        cases[name] = {"error": type(error).__name__}


# ---- functions of one real variable ---------------------------------------------------------------
REAL = jnp.array(
    [0.0, -0.0, 1e-5, -1e-5, 0.3, -0.3, 0.5, -0.5, 0.99999994, 1.0, -1.0, 1.5, 2.0, -2.0, 3.0, 6.0, -6.0, 9.0,
     -10.0, 20.0, -20.0, 45.0, 88.0, -88.0, 89.0, 90.0, -90.0, 1000.0, -1000.0, 1e-30, -1e-30, 1e10, -1e10,
     1e20, -1e20, 3.4028235e38, -3.4028235e38, inf, -inf, nan],
    dtype=jnp.float32,
)
unary = {
    "abs": jnp.abs, "sign": jnp.sign, "negative": jnp.negative, "floor": jnp.floor, "ceil": jnp.ceil,
    "trunc": jnp.trunc, "round": jnp.round, "exp": jnp.exp, "expm1": jnp.expm1, "exp2": jnp.exp2,
    "log": jnp.log, "log1p": jnp.log1p, "log2": jnp.log2, "log10": jnp.log10, "sqrt": jnp.sqrt,
    "rsqrt": lax.rsqrt, "sin": jnp.sin, "cos": jnp.cos, "tan": jnp.tan, "arcsin": jnp.arcsin,
    "arccos": jnp.arccos, "arctan": jnp.arctan, "sinh": jnp.sinh, "cosh": jnp.cosh, "tanh": jnp.tanh,
    "erf": lax.erf, "erfInv": lax.erf_inv, "logistic": lax.logistic, "square": jnp.square,
    "reciprocal": jnp.reciprocal, "nanToNum": jnp.nan_to_num, "isnan": jnp.isnan, "isinf": jnp.isinf,
    "isfinite": jnp.isfinite, "relu": nn.relu, "relu6": nn.relu6, "leakyRelu": nn.leaky_relu, "elu": nn.elu,
    "gelu": nn.gelu, "geluExact": lambda x: nn.gelu(x, approximate=False), "silu": nn.silu,
    "softplus": nn.softplus, "sigmoid": nn.sigmoid, "logSigmoid": nn.log_sigmoid,
    "power0": lambda x: x**0, "power2": lambda x: x**2, "power3": lambda x: x**3, "power7": lambda x: x**7,
    "powerMinus1": lambda x: x**-1, "powerMinus2": lambda x: x**-2, "powerMinus3": lambda x: x**-3,
    "powerHalf": lambda x: jnp.power(x, 0.5), "clip": lambda x: jnp.clip(x, -1.0, 2.0),
    "clipLow": lambda x: jnp.clip(x, -1.0, None), "clipHigh": lambda x: jnp.clip(x, None, 2.0),
    "clamp": lambda x: lax.clamp(-1.0, x, 2.0), "modOne": lambda x: jnp.mod(x, 1.0),
    "floorDivideThree": lambda x: jnp.floor_divide(x, 3.0), "roundOne": lambda x: jnp.round(x, 1),
    "astypeInt32": lambda x: x.astype(jnp.int32), "astypeUint32": lambda x: x.astype(jnp.uint32),
    "astypeUint8": lambda x: x.astype(jnp.uint8), "astypeBool": lambda x: x.astype(jnp.bool_),
}
for name, f in unary.items():
    case(name, lambda: f(REAL))
    if f(REAL).dtype == jnp.float32:
        case(f"{name}'", lambda: jax.vmap(jax.grad(f))(REAL))

# ---- functions of two real variables --------------------------------------------------------------
GRID = jnp.array([0.0, -0.0, 1.0, -1.0, 2.5, -2.5, inf, -inf, nan], dtype=jnp.float32)
LEFT, RIGHT = (jnp.ravel(x) for x in jnp.meshgrid(GRID, GRID, indexing="ij"))
binary = {
    "add": jnp.add, "subtract": jnp.subtract, "multiply": jnp.multiply, "divide": jnp.divide,
    "maximum": jnp.maximum, "minimum": jnp.minimum, "mod": jnp.mod, "floorDivide": jnp.floor_divide,
    "power": jnp.power, "arctan2": jnp.arctan2, "hypot": jnp.hypot, "logaddexp": jnp.logaddexp,
    "rem": lax.rem, "equal": jnp.equal, "less": jnp.less, "lessEqual": jnp.less_equal, "isclose": jnp.isclose,
    "logicalAnd": jnp.logical_and,
}
for name, f in binary.items():
    case(name, lambda: f(LEFT, RIGHT))
    if f(LEFT, RIGHT).dtype == jnp.float32:
        case(f"{name} by the first", lambda: jax.vmap(jax.grad(f, 0))(LEFT, RIGHT))
        case(f"{name} by the second", lambda: jax.vmap(jax.grad(f, 1))(LEFT, RIGHT))
CLAMP = [jnp.ravel(x) for x in jnp.meshgrid(*[jnp.array([-1.0, 0.0, 1.0, nan], jnp.float32)] * 3, indexing="ij")]
case("lax.clamp", lambda: lax.clamp(*CLAMP))
for at in range(3): case(f"lax.clamp by {at}", lambda: jax.vmap(jax.grad(lax.clamp, at))(*CLAMP))

# ---- integers -------------------------------------------------------------------------------------
INTEGERS = {
    "int32": jnp.array([0, 1, -1, 2, 5, -5, 7, 31, 32, 2147483647, -2147483648], jnp.int32),
    "uint32": jnp.array([0, 1, 2, 5, 7, 31, 32, 2147483647, 2147483648, 4294967295], jnp.uint32),
    "uint8": jnp.array([0, 1, 2, 5, 7, 8, 100, 127, 128, 255], jnp.uint8),
    "bool": jnp.array([False, True]),
}
integerUnary = {
    "abs": jnp.abs, "sign": jnp.sign, "negative": jnp.negative, "square": jnp.square, "sqrt": jnp.sqrt,
    "round": jnp.round, "floor": jnp.floor, "bitwiseNot": jnp.bitwise_not, "logicalNot": jnp.logical_not,
    "isnan": jnp.isnan, "isfinite": jnp.isfinite, "reciprocal": jnp.reciprocal, "relu": nn.relu,
    "astypeInt32": lambda x: x.astype(jnp.int32), "astypeUint32": lambda x: x.astype(jnp.uint32),
    "astypeUint8": lambda x: x.astype(jnp.uint8), "astypeFloat32": lambda x: x.astype(jnp.float32),
    "power3": lambda x: x**3, "sum": jnp.sum, "prod": jnp.prod, "mean": jnp.mean, "max": jnp.max,
    "min": jnp.min, "cumsum": jnp.cumsum, "cumprod": jnp.cumprod, "argmax": jnp.argmax, "argmin": jnp.argmin,
    "sort": jnp.sort, "var": jnp.var, "std": jnp.std, "any": jnp.any, "all": jnp.all,
    "cummax": lax.cummax, "cummin": lax.cummin,
}
integerBinary = {
    "multiply": jnp.multiply, "divide": jnp.divide, "floorDivide": jnp.floor_divide, "mod": jnp.mod,
    "rem": lax.rem, "div": lax.div, "leftShift": jnp.left_shift, "rightShift": jnp.right_shift,
    "shiftRightLogical": lax.shift_right_logical,
}
for dtype, values in INTEGERS.items():
    for name, f in integerUnary.items(): case(f"{dtype} {name}", lambda: f(values))
    a, b = (jnp.ravel(x) for x in jnp.meshgrid(values, values, indexing="ij"))
    for name, f in integerBinary.items(): case(f"{dtype} {name} pairs", lambda: f(a, b))

# ---- reductions -----------------------------------------------------------------------------------
rows = {
    "plain": jnp.array([[1.0, -2.0, 3.0], [0.5, 0.5, -0.25]], jnp.float32),
    "nan": jnp.array([[1.0, nan, 3.0], [0.0, -0.0, 0.0]], jnp.float32),
    "inf": jnp.array([[inf, 1.0, inf], [-inf, -inf, -inf]], jnp.float32),
    "infBoth": jnp.array([[inf, -inf, 0.0], [0.0, inf, 2.0]], jnp.float32),
    "empty": jnp.zeros((2, 0), jnp.float32),
    "noRows": jnp.zeros((0, 3), jnp.float32),
}
mask = jnp.array([[True, False, True], [False, False, False]])
reductions = {
    "sum": jnp.sum, "prod": jnp.prod, "mean": jnp.mean, "var": jnp.var, "std": jnp.std, "max": jnp.max,
    "min": jnp.min, "argmax": jnp.argmax, "argmin": jnp.argmin, "any": jnp.any, "all": jnp.all,
    "logsumexp": nn.logsumexp, "softmax": nn.softmax, "logSoftmax": nn.log_softmax, "cumsum": jnp.cumsum,
    "cumprod": jnp.cumprod, "sort": jnp.sort, "argsort": jnp.argsort, "countNonzero": jnp.count_nonzero,
    "norm": lambda x, axis: jnp.linalg.norm(x, axis=axis), "normOne": lambda x, axis: jnp.linalg.norm(x, 1, axis),
    "normInf": lambda x, axis: jnp.linalg.norm(x, jnp.inf, axis),
    "normMinusInf": lambda x, axis: jnp.linalg.norm(x, -jnp.inf, axis),
    "normZero": lambda x, axis: jnp.linalg.norm(x, 0, axis), "normThree": lambda x, axis: jnp.linalg.norm(x, 3, axis),
    "normMinusTwo": lambda x, axis: jnp.linalg.norm(x, -2, axis),
    "varOne": lambda x, axis: jnp.var(x, axis, ddof=1), "varThree": lambda x, axis: jnp.var(x, axis, ddof=3),
    "cummax": lambda x, axis: lax.cummax(x, axis), "cummin": lambda x, axis: lax.cummin(x, axis),
}
differentiable = ["sum", "prod", "mean", "var", "std", "max", "min", "logsumexp", "softmax", "logSoftmax",
                  "cumsum", "cumprod", "sort", "norm", "normOne", "normInf", "normThree", "varThree", "cummax"]
WEIGHTS = jnp.array([0.7, -1.3, 0.4], jnp.float32)
for label, x in rows.items():
    for name, f in reductions.items():
        case(f"{name} of {label}", lambda: f(x, axis=1))
        if name in differentiable:
            def weighted(v):
                out = f(v, axis=1)
                return jnp.sum(out * WEIGHTS[: out.shape[1]]) if out.ndim == 2 else jnp.sum(out)
            case(f"{name}' of {label}", lambda: jax.grad(weighted)(x))
for name in ["sum", "prod", "mean", "var", "std", "any", "all"]:
    f = reductions[name]
    case(f"{name} where", lambda: f(rows["plain"], axis=1, where=mask))
    case(f"{name} where, of nan", lambda: f(rows["nan"], axis=1, where=mask, keepdims=True))
for name in ["max", "min"]:
    f = reductions[name]
    case(f"{name} where", lambda: f(rows["plain"], axis=1, where=mask, initial=0.25))
    case(f"{name} where without initial", lambda: f(rows["plain"], axis=1, where=mask))
    case(f"{name} initial of empty", lambda: f(rows["empty"], axis=1, initial=2.0))
    case(f"{name} of empty, all axes", lambda: f(rows["empty"]))
case("sum initial", lambda: jnp.sum(rows["plain"], axis=1, initial=10.0))
case("prod initial", lambda: jnp.prod(rows["plain"], axis=1, initial=10.0))
case("sum where'", lambda: jax.grad(lambda x: jnp.sum(x, where=mask))(rows["nan"]))
case("mean where'", lambda: jax.grad(lambda x: jnp.mean(x, where=mask))(rows["plain"]))
case("softmax of all axes", lambda: nn.softmax(rows["plain"], axis=(0, 1)))
case("logsumexp of nothing", lambda: nn.logsumexp(jnp.zeros((0,), jnp.float32)))
case("mean of nothing", lambda: jnp.mean(jnp.zeros((0,), jnp.float32)))
case("standardize", lambda: nn.standardize(rows["plain"]))
case("standardize of equal", lambda: nn.standardize(jnp.ones((2, 3), jnp.float32)))
case("oneHot", lambda: nn.one_hot(jnp.array([0, 2, -1, 3]), 3))
case("lax.cumsum", lambda: lax.cumsum(rows["plain"]))
case("lax.cumsum reverse", lambda: lax.cumsum(rows["plain"], 1, reverse=True))
case("cumsum of a number", lambda: jnp.cumsum(5.0, 0))
case("cumsum of a scalar", lambda: jnp.cumsum(jnp.float32(5), 0))
case("cumsum of a scalar, flattened", lambda: jnp.cumsum(jnp.float32(5)))
case("sum of a scalar along 0", lambda: jnp.sum(jnp.float32(5), axis=0))
case("sort of a scalar", lambda: jnp.sort(jnp.float32(5)))
case("argmax of a scalar", lambda: jnp.argmax(jnp.float32(5)))
case("softmax of a scalar", lambda: nn.softmax(jnp.float32(5)))

# ---- matrix norms ---------------------------------------------------------------------------------
matrices = {
    "square": jnp.array([[1.0, 2.0], [3.0, 4.0]], jnp.float32),
    "wide": jnp.array([[1.0, -2.0, 0.5, 3.0], [2.0, 0.0, -1.0, 1.0]], jnp.float32),
    "tall": jnp.array([[1.0, -2.0], [0.5, 3.0], [2.0, 0.0], [-1.0, 1.0], [4.0, 4.0]], jnp.float32),
    "five": jnp.array(np.cos(np.arange(25.0) ** 1.5).reshape(5, 5), jnp.float32),
    "singular": jnp.array([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [1.0, 0.0, 1.0]], jnp.float32),
    "zero": jnp.zeros((2, 3), jnp.float32),
    "eye": jnp.eye(3, dtype=jnp.float32),
    "graded": jnp.array([[1.0, 1e-3, 0.0], [0.0, 1e-3, 1e-6], [0.0, 0.0, 1e-6]], jnp.float32),
    "large": jnp.array([[1e30, 2e30], [3e30, -1e30]], jnp.float32),
    "empty": jnp.zeros((0, 3), jnp.float32),
}
for label, m in matrices.items():
    for order in ["fro", "nuc", inf, -inf, 1, -1, 2, -2]:
        name = {inf: "inf", -inf: "-inf"}.get(order, order)
        case(f"norm {name} of {label}", lambda: jnp.linalg.norm(m, order))
        if label in ("square", "wide", "tall", "five"):
            case(f"norm {name}' of {label}", lambda: jax.grad(lambda x: jnp.linalg.norm(x, order))(m))
case("norm of a matrix", lambda: jnp.linalg.norm(matrices["wide"]))
case("norm of three axes", lambda: jnp.linalg.norm(jnp.arange(8.0).reshape(2, 2, 2)))
case("norm 2 of three axes", lambda: jnp.linalg.norm(jnp.arange(8.0).reshape(2, 2, 2), 2))
case("norm 2 over axes 0 and 2", lambda: jnp.linalg.norm(jnp.arange(8.0).reshape(2, 2, 2), 2, (0, 2)))
case("norm 1 over axes 2 and 0, kept", lambda: jnp.linalg.norm(jnp.arange(8.0).reshape(2, 2, 2), 1, (2, 0), keepdims=True))
case("norm nuc over axes 0 and 2, kept", lambda: jnp.linalg.norm(jnp.arange(8.0).reshape(2, 2, 2), "nuc", (0, 2), keepdims=True))
case("norm of a scalar", lambda: jnp.linalg.norm(jnp.float32(-3)))
case("norm 3 of a matrix", lambda: jnp.linalg.norm(matrices["wide"], 3))
case("norm of an empty vector, inf", lambda: jnp.linalg.norm(jnp.zeros((0,), jnp.float32), inf))
case("norm of integers", lambda: jnp.linalg.norm(jnp.array([3, 4])))
case("norm' at zero", lambda: jax.grad(jnp.linalg.norm)(jnp.zeros((2,), jnp.float32)))

# ---- indexing, sorting, joining -------------------------------------------------------------------
vector = jnp.array([1.0, 2.0, 3.0], jnp.float32)
matrix = jnp.arange(12.0, dtype=jnp.float32).reshape(3, 4)
outside = jnp.array([-5, -3, -1, 0, 2, 3, 7])
case("x[outside]", lambda: vector[outside])
for mode in ["clip", "wrap", "fill"]: case(f"take {mode}", lambda: jnp.take(vector, outside, mode=mode))
case("take fill of int32", lambda: jnp.take(jnp.array([1, 2, 3]), outside, mode="fill"))
case("take fill of uint8", lambda: jnp.take(jnp.array([1, 2, 3], jnp.uint8), outside, mode="fill"))
case("take fill of bool", lambda: jnp.take(jnp.array([True, False, True]), outside, mode="fill"))
case("take fill along 1", lambda: jnp.take(matrix, jnp.array([[0, 9], [-4, -5]]), axis=1, mode="fill"))
case("x.at[outside].set", lambda: jnp.zeros(3).at[jnp.array([-4, -1, 5])].set(1.0))
case("dynamicSlice outside", lambda: lax.dynamic_slice(vector, (jnp.int32(7),), (2,)))
case("dynamicSlice negative", lambda: lax.dynamic_slice(vector, (jnp.int32(-1),), (2,)))
for side in ["left", "right"]:
    case(f"searchsorted {side}", lambda: jnp.searchsorted(vector, jnp.array([nan, -inf, inf, 1.0, 2.5, 3.0, -0.0]), side=side))
    case(f"searchsorted {side} with nan", lambda: jnp.searchsorted(jnp.array([0.0, 1.0, nan, nan]), jnp.array([nan, 1.0, inf, -0.0]), side=side))
    case(f"searchsorted {side} of nothing", lambda: jnp.searchsorted(jnp.zeros((0,)), jnp.array([nan, 1.0]), side=side))
    case(f"searchsorted {side} of integers", lambda: jnp.searchsorted(jnp.array([1, 3, 3, 5]), jnp.array([0, 3, 4, 9]), side=side))
mixed = jnp.array([2.0, nan, -0.0, 0.0, -inf, inf, 2.0, nan], jnp.float32)
case("sort mixed", lambda: jnp.sort(mixed))
case("sort mixed descending", lambda: jnp.sort(mixed, descending=True))
case("argsort mixed", lambda: jnp.argsort(mixed))
case("argsort mixed descending", lambda: jnp.argsort(mixed, descending=True))
case("topK mixed", lambda: lax.top_k(mixed, 5))
case("topK ties", lambda: lax.top_k(jnp.array([1, 3, 3, 2]), 3))
case("argmax mixed", lambda: jnp.argmax(mixed))
case("hstack of numbers", lambda: jnp.hstack([1.0, 2.0]))
case("hstack of scalars and a vector", lambda: jnp.hstack([1.0, vector]))
case("hstack of matrices", lambda: jnp.hstack([matrix, matrix]))
case("vstack of numbers", lambda: jnp.vstack([1.0, 2.0]))
case("vstack of vectors", lambda: jnp.vstack([vector, vector]))
case("concatenate of numbers", lambda: jnp.concatenate([1.0, 2.0]))
case("diag k", lambda: [jnp.diag(vector, 1), jnp.diag(vector, -2), jnp.diag(matrix, 1), jnp.diag(matrix, -1), jnp.diag(matrix, 9)])
case("diagonal offset", lambda: [jnp.diagonal(matrix, 2), jnp.diagonal(matrix, -2)])
case("trace offset", lambda: [jnp.trace(matrix), jnp.trace(matrix, 1), jnp.trace(matrix, -2)])
case("tril triu", lambda: [jnp.tril(matrix, 1), jnp.triu(matrix, -1)])
case("clip of an integer", lambda: jnp.clip(jnp.array([1, 5, 9]), 2, 6))
case("isclose equalNan", lambda: jnp.isclose(jnp.array([nan, 1.0, inf]), jnp.array([nan, 1.0 + 1e-6, -inf]), equal_nan=True))
case("arange fractions", lambda: jnp.arange(0.0, 1.0, 0.1, dtype=jnp.float32))
case("arange down", lambda: jnp.arange(5, -2, -2))
case("linspace", lambda: [jnp.linspace(0, 1, 7), jnp.linspace(2, -2, 5, endpoint=False), jnp.linspace(0, 1, 1)])
case("linspace of integers", lambda: jnp.linspace(-1, 10, 5, dtype=jnp.int32))
case("prod' with zeros", lambda: [jax.grad(jnp.prod)(jnp.array([2.0, 0.0, 3.0])), jax.grad(jnp.prod)(jnp.array([0.0, 0.0, 3.0]))])
case("max' of ties", lambda: jax.grad(jnp.max)(jnp.array([2.0, 5.0, 5.0, 1.0])))
case("matmul of nothing", lambda: jnp.matmul(jnp.zeros((2, 0)), jnp.zeros((0, 3))))
case("matmul with inf", lambda: jnp.matmul(jnp.array([[0.0, 1.0]]), jnp.array([[inf], [1.0]])))
case("arrayEqual with nan", lambda: jnp.array_equal(jnp.array([nan]), jnp.array([nan])))
case("where with nan", lambda: jnp.where(jnp.array([nan, 0.0]), 1.0, 2.0))

# ---- control flow under vmap ----------------------------------------------------------------------
def safe_log(x): return lax.cond(x > 0, jnp.log, lambda v: v * 2, x)
def safe_root(x): return lax.switch((x > 0).astype(int), [lambda v: v, jnp.sqrt], x)
def safe_scan(x): return lax.scan(lambda c, _: (safe_log(c), None), x, None, length=1)[0]
POINTS = jnp.array([1.0, 0.0, -1.0])
for name, f in [("cond", safe_log), ("switch", safe_root), ("cond in scan", safe_scan)]:
    case(f"gradient of vmapped {name}", lambda: jax.grad(lambda x: jax.vmap(f)(x).sum())(POINTS))
    case(f"vmapped gradient of {name}", lambda: jax.vmap(jax.grad(f))(POINTS))
    case(f"jvp of vmapped {name}", lambda: jax.jvp(jax.vmap(f), (POINTS,), (jnp.ones(3),))[1])
case("gradient of what a batch shares", lambda: jax.grad(
    lambda w: jax.vmap(lambda x: lax.cond(x > 0, lambda: x / w, lambda: x * w))(jnp.array([0.0, -1.0, -2.0])).sum()
)(0.0))

with open(sys.argv[1], "w") as out:
    out.write("{\n" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in cases.items()) + "\n}\n")
print(jax.__version__, len(cases), "cases,", sum("error" in v for v in cases.values() if isinstance(v, dict)), "refused")

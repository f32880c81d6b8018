"""Trees of arrays as JSON: every array is {"dtype", "shape", "data"}; NaN and infinities are strings."""
import math

import numpy as np


def num(v):
    v = v.item() if hasattr(v, "item") else v
    if isinstance(v, float):
        if math.isnan(v): return "nan"
        if math.isinf(v): return "inf" if v > 0 else "-inf"
    return v


def arr(x):
    x = np.asarray(x)
    d = x.reshape(-1)
    if x.dtype == np.float32: data = [num(float(str(v))) if np.isfinite(v) else num(float(v)) for v in d]
    else: data = [num(v) for v in d]
    return {"dtype": str(x.dtype), "shape": list(x.shape), "data": data}


def pack(t):
    if isinstance(t, dict): return {k: pack(v) for k, v in t.items()}
    if isinstance(t, (list, tuple)): return [pack(v) for v in t]
    return arr(t)

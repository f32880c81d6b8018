"""Has real XLA, by way of JAX on eight simulated CPU devices, split and run the cases that partitioned.devices.test.ts wrote.

usage: XLA_FLAGS=--xla_force_host_platform_device_count=8 JAX_PLATFORMS=cpu python run.py FOLDER
Prints how many of them give what is expected, and what is different in the others.
"""

import glob, json, os, sys

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from jax._src.lib import xla_client

TYPES = {"bool": np.bool_, "uint8": np.uint8, "int32": np.int32, "uint32": np.uint32, "float32": np.float32}
devices = jax.devices()
client = devices[0].client


def compiled(text, count):
    options = xla_client.CompileOptions()
    options.num_replicas = 1
    options.num_partitions = count
    options.device_assignment = xla_client.DeviceAssignment.create(np.arange(count).reshape(1, count))
    build = options.executable_build_options
    build.num_replicas = 1
    build.num_partitions = count
    build.use_spmd_partitioning = True
    build.device_assignment = options.device_assignment
    return client.compile_and_load(text, xla_client.DeviceList(tuple(devices[:count])), options)


def run(stem):
    with open(stem + ".json") as file:
        case = json.load(file)
    with open(stem + ".mlir") as file:
        text = file.read()
    data = np.fromfile(stem + ".bin", np.uint8)
    sizes = [axis["size"] for axis in case["axes"]]
    count = int(np.prod(sizes))
    mesh = Mesh(np.array(devices[:count]).reshape(sizes), [axis["name"] for axis in case["axes"]])
    at = 0

    def whole(description):
        nonlocal at
        dtype = np.dtype(TYPES[description["dtype"]])
        length = int(np.prod(description["shape"], dtype=np.int64)) * dtype.itemsize
        at += length
        return data[at - length : at].view(dtype).reshape(description["shape"])

    def sharding(description):
        spec = PartitionSpec(*[tuple(names) or None for names in description["layout"]])
        return NamedSharding(mesh, spec)

    arguments = [jax.device_put(whole(one), sharding(one)) for one in case["inputs"]]
    results = compiled(text, count).execute_sharded(arguments).disassemble_into_single_device_arrays()
    for number, (description, result) in enumerate(zip(case["outputs"], results)):
        shape = tuple(description["shape"])
        expected_whole = whole(description)
        indices = sharding(description).devices_indices_map(shape)
        for device, got in enumerate(result):
            expected = expected_whole[indices[devices[device]]]
            got = np.asarray(got)
            if got.shape != expected.shape:
                return f"output {number} has shape {got.shape} instead of {expected.shape} on a device"
            if description["dtype"] != "float32":
                same = np.array_equal(got, expected)
            else:
                same = np.allclose(got, expected, rtol=case["tolerance"], atol=2 * case["tolerance"], equal_nan=True)
            if not same:
                worst = np.max(np.abs(got.astype(np.float64) - expected.astype(np.float64)))
                return f"output {number} differs on device {device} by up to {worst}"
    return None


problems = []
stems = sorted(name[:-5] for name in glob.glob(os.path.join(sys.argv[1], "*.json")))
for stem in stems:
    try:
        problem = run(stem)
    except Exception as error:  # one that cannot be compiled is told, and the others go on
        problem = str(error)[:300]
    if problem is not None:
        problems.append(f"{os.path.basename(stem)}: {problem}")
print(f"{len(stems) - len(problems)} of {len(stems)} partitioned programs give what is expected (JAX {jax.__version__})")
print("\n".join(problems[:40]))
sys.exit(1 if problems else 0)

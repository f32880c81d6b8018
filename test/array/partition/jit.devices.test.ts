// Functions compiled for several devices: what the shardings of arguments and results mean.
import { describe, expect, it } from "vitest";
import {
  devicePut,
  grad,
  jit,
  lax,
  makeProgram,
  Mesh,
  meshOfShape,
  NamedSharding,
  np,
  PartitionSpec,
  random,
  shardMap,
  devices,
  type Array,
} from "vibe-rl/array";
import "vibe-rl";
import { differences } from "../../closeness.js";

const mesh = new Mesh([devices().slice(0, 2), devices().slice(2, 4)], ["batch", "fsdp"]);
const over = (...entries: (null | string | string[])[]) => NamedSharding(mesh, PartitionSpec(entries));

const x = random.normal(random.key(0), [8, 4]);
const w = random.normal(random.key(1), [4, 6]);
const model = (x: Array, w: Array): Array => np.tanh(np.matmul(x, w)).mul(x.sum()).mean();

describe("jit on several devices", () => {
  it("takes the shardings of its arguments, and leaves results where they lie", () => {
    const f = jit((x: Array, w: Array) => np.tanh(np.matmul(x, w)));
    const y = f(devicePut(x, over(["batch", "fsdp"])), devicePut(w, over()));
    expect(y.sharding.equals(over(["batch", "fsdp"], null))).toBe(true);
    expect(y.addressableShards.map(({ data }) => data.shape)).toEqual(
      globalThis.Array.from({ length: 4 }, () => [2, 6]),
    );
    expect(differences(y, np.tanh(np.matmul(x, w)), { rtol: 1e-5, atol: 1e-6 })).toEqual([]);
  });

  it.each([
    ["data parallel", over(["batch", "fsdp"]), over()],
    ["sharded parameters", over(["batch", "fsdp"]), over("fsdp")],
    ["along columns", over(null, "batch"), over(null, "fsdp")],
  ])("computes gradients as one device does: %s", (_, ofX, ofW) => {
    const step = (x: Array, w: Array): Array => w.sub(grad(model, { argnums: 1 })(x, w).mul(0.1));
    const sharded = jit(step, { inShardings: [ofX, ofW], outShardings: ofW });
    const result = sharded(x, w);
    expect(result.sharding.equals(ofW)).toBe(true);
    expect(differences(result, step(x, w), { rtol: 1e-5, atol: 1e-5 })).toEqual([]);
    expect(differences(sharded(x, result), step(x, step(x, w)), { rtol: 1e-5, atol: 1e-5 })).toEqual([]);
  });

  it("draws the same random numbers however they are split", () => {
    const draw = (key: Array) => random.normal(key, [16, 3]);
    const whole = jit(draw)(random.key(3));
    const split = jit(draw, { outShardings: over("fsdp") })(random.key(3));
    expect(split.toArray()).toEqual(whole.toArray());
  });

  it("runs shardMap and constraints where they say", () => {
    const f = shardMap((x: Array) => lax.psum(x.sum(), ["batch", "fsdp"]), {
      ...{ mesh, inSpecs: PartitionSpec([["batch", "fsdp"]]), outSpecs: PartitionSpec([]) },
    });
    expect(jit(f)(x).item()).toBeCloseTo(x.sum().item(), 4);
    const g = jit((x: Array) => lax.withShardingConstraint(x.mul(2), over("batch")).sum(1));
    const y = g(x);
    expect(y.addressableShards[0].data.shape).toEqual([4]);
    expect(differences(y, x.mul(2).sum(1), { rtol: 1e-5, atol: 1e-6 })).toEqual([]);
  });

  it("shows the program of one device", () => {
    const f = (x: Array, w: Array): Array => np.matmul(x, w).sum();
    const program = makeProgram(f, { inShardings: [over(["batch", "fsdp"]), over()] })(x, w);
    expect(program.toString()).toMatch(/float32\[2,4\][\s\S]*psum[\s\S]*batch,fsdp/);
  });

  it("finds a batch to split by itself, if that pays", () => {
    const all = meshOfShape([8], ["devices"]);
    const f = (x: Array, w: Array): Array => np.tanh(np.matmul(x, w));
    const auto = jit(f, { inShardings: "auto", mesh: all });
    const [data, weights] = [random.normal(random.key(5), [512, 64]), random.normal(random.key(6), [64, 64])];
    const y = auto(data, weights);
    expect(y.addressableShards[0].data.shape).toEqual([64, 64]);
    expect(differences(y, f(data, weights), { rtol: 1e-5, atol: 1e-5 })).toEqual([]);
    // A batch behind an axis of time.
    const sums = jit(
      (steps: Array) =>
        lax.scan((c: Array, x: Array) => [c.add(np.sin(x)), null], np.zeros([4096]), steps)[0],
      {
        inShardings: "auto",
        mesh: all,
      },
    );
    expect(sums(np.ones([16, 4096])).addressableShards[0].data.shape).toEqual([512]);
    expect(jit(f, { inShardings: "auto" })(data, weights).addressableShards).toHaveLength(8);
    // Adding up a few numbers is done before the devices have met.
    const total = jit((v: Array) => v.sum(), { inShardings: "auto", mesh: all });
    expect(total(np.ones([16])).item()).toBe(16);
    expect(total(np.ones([16])).isFullyReplicated).toBe(true);
  });

  it("keeps what is donated on the devices", () => {
    const step = jit((w: Array, x: Array) => w.add(x.sum(0)), {
      donateArgnums: 0,
      inShardings: [over("fsdp"), over("batch")],
    });
    let w = devicePut(np.zeros([4]), over("fsdp"));
    for (let turn = 0; turn < 5; turn++) w = step(w, x);
    expect(differences(w, x.sum(0).mul(5), { rtol: 1e-5, atol: 1e-5 })).toEqual([]);
  });

  it("refuses meshes that do not go together, and what cannot be split evenly", () => {
    const other = new Mesh(devices().slice(0, 2), ["batch"]);
    const f = jit((x: Array, w: Array) => np.matmul(x, w));
    const there = devicePut(w, NamedSharding(other, PartitionSpec([])));
    expect(() => f(devicePut(x, over("batch")), there)).toThrow(/different meshes.*devicePut/s);
    expect(() =>
      jit((x: Array) => x, { inShardings: over(null, ["batch", "fsdp"]) })(np.ones([2, 6])),
    ).toThrow(/dimension 1.*extent 6.*do not divide/s);
    expect(() => jit((x: Array) => x, { inShardings: [over(), over()] })(x)).toThrow(
      /2 entries.*1 argument/s,
    );
  });
});

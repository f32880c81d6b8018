// Programs for several devices are well-formed StableHLO. With VIBE_RL_PARTITIONED_DIR they are written to files, many of
// them, together with what they must compute, for run.py.
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { lax, np, shardMap, type Array } from "vibe-rl/array";
import { PPOConfig } from "vibe-rl/algorithms/ppo";
import { make } from "vibe-rl/env";
import { RunnerConfig, trainPPOMultiGPU } from "vibe-rl/runner";
import {
  expandCalls,
  meshOfShape,
  PartitionSpec,
  registerBackend,
  type Layout,
  type NamedAxis,
  type Program,
  type ShardedOptions,
  type Shards,
} from "../../../src/array/index.js";
import type { Concrete } from "../../../src/array/core/array.js";
import { concrete, interpret } from "../../../src/array/core/interpret.js";
import { traceProgram } from "../../../src/array/core/trace.js";
import { flattenArrays } from "../../../src/array/lax/leaves.js";
import { splitProgram } from "../../../src/array/partition/partition.js";
import { ShardedElements } from "../../../src/array/sharding/shardedElements.js";
import { NamedSharding } from "../../../src/array/sharding/namedSharding.js";
import { specOf } from "../../../src/array/sharding/placement.js";
import { showSharding } from "../../../src/compiler/stablehlo/shardings.js";
import { wasmBackend } from "../../../src/device/wasm/backend.js";
import { blocksOf } from "../../array/partition/simulate.js";
import { P, row, values } from "../../array/shardMapBlocks.js";
import { argumentsFor, mixedPrograms, toFunction } from "../mixedPrograms.js";
import { stateArguments, statePrograms, toStateFunction } from "../statePrograms.js";
import { casesFolder, checkPartitioned } from "./partitioned.js";

const count = casesFolder === null ? 10 : 100;

const meshes: readonly (readonly NamedAxis[])[] = [
  [{ name: "a", size: 8 }],
  [
    { name: "a", size: 2 },
    { name: "b", size: 4 },
  ],
  [
    { name: "a", size: 2 },
    { name: "b", size: 2 },
    { name: "c", size: 2 },
  ],
];

/** A layout that splits what can be split, as some numbers say. */
function layoutFor(shape: readonly number[], axes: readonly NamedAxis[], number: () => number): Layout {
  const layout: string[][] = shape.map(() => []);
  const counts = shape.map(() => 1);
  for (const { name, size } of axes) {
    const dimension = number() % (shape.length + 1);
    if (dimension === shape.length || shape[dimension] % (counts[dimension] * size) !== 0) continue;
    layout[dimension].push(name);
    counts[dimension] *= size;
  }
  return layout;
}

/** The program of a function, its layouts by chance and by our own partitioner, and its results on one device. */
function check(name: string, f: (...args: Array[]) => unknown, args: readonly Array[], seed: number): void {
  let state = seed + 1;
  const number = (): number => (state = (Math.imul(state, 48271) >>> 0) % 2147483647) >>> 8;
  const axes = meshes[seed % meshes.length];
  const traced = traceProgram(
    "f",
    args.map(({ type }) => type),
    (inputs) => flattenArrays("f", f(...inputs), "the result").arrays,
  );
  const { program, constants } = expandCalls(traced.program, { keepShardMaps: true });
  const inputs = [...constants, ...traced.captures, ...args] as Concrete[];
  const given = program.inputs.map(({ type: { shape } }) => layoutFor(shape, axes, number));
  const split = splitProgram(program, { axes, inputs: given, outputs: program.outputs.map(() => null) });
  checkPartitioned({
    ...{ name, program, axes, inLayouts: split.inputs, outLayouts: split.outputs, inputs },
    outputs: interpret(program, inputs),
    tolerance: 1e-5,
  });
}

describe("programs for eight devices", { timeout: 600_000 }, () => {
  it("over all dtypes", () => {
    fc.sample(mixedPrograms(), { numRuns: count, seed: 11 }).forEach((program, at) => {
      check(JSON.stringify(program), toFunction(program), argumentsFor(program, at), at);
    });
  });

  it("with states that loops and branches exchange", () => {
    fc.sample(statePrograms(), { numRuns: count, seed: 11 }).forEach((program, at) => {
      check(JSON.stringify(program), toStateFunction(program), stateArguments(at), at);
    });
  });

  it("with every collective, and a constraint", () => {
    const f = (x: Array): Array[] => {
      const mapped = (g: (block: Array) => Array, outSpecs = P("i")) =>
        shardMap(g, { mesh: row, inSpecs: P("i"), outSpecs })(x);
      return [
        mapped((b) => lax.psum(b, "i"), P()),
        mapped((b) => lax.pmax(b, "i"), P()),
        mapped((b) => lax.pmin(b, "i"), P()),
        mapped((b) => lax.allGather(b, "i", { tiled: true }), P()),
        mapped((b) => lax.psumScatter(np.tile(b, [2, 1]), "i", { tiled: true })),
        mapped((b) =>
          lax.ppermute(b, "i", [
            [0, 1],
            [1, 2],
          ]),
        ),
        mapped((b) => lax.allToAll(b, "i", 1, 0, { tiled: true })),
        mapped((b) => b.add(lax.axisIndex("i").astype("float32"))),
        lax.withShardingConstraint(
          x.mul(2),
          NamedSharding(meshOfShape([4], ["i"]), PartitionSpec([null, "i"])),
        ),
      ];
    };
    const traced = traceProgram("f", [values.type], ([x]) => f(x));
    const { program } = expandCalls(traced.program, { keepShardMaps: true });
    const { axes } = row;
    const given: readonly Layout[] = [[["i"], []]];
    const { inputs, outputs } = splitProgram(program, {
      axes,
      inputs: given,
      outputs: program.outputs.map(() => null),
    });
    checkPartitioned({
      ...{ name: "collectives", program, axes, inLayouts: inputs, outLayouts: outputs },
      ...{ inputs: [values as Concrete], outputs: interpret(program, [values as Concrete]), tolerance: 1e-5 },
    });
  });
});

/** A device that records what it is to run on eight devices, and runs it on one. */
function recorder(
  record: (program: Program, options: ShardedOptions, inputs: Concrete[], outputs: Concrete[]) => void,
) {
  return {
    ...wasmBackend(),
    name: "recorder",
    sharded(program: Program, options: ShardedOptions) {
      const { axes, constants, inputs: inLayouts, outputs: outLayouts, name } = options;
      const mesh = meshOfShape(
        axes.map(({ size }) => size),
        axes.map((axis) => axis.name),
      );
      const expanded = expandCalls(program);
      const alone = wasmBackend().compile(expanded.program, {
        ...{ name, constants: [], donated: expanded.program.inputs.map(() => false) },
      });
      const whole = (shards: Shards, at: number): Concrete => {
        const { type } = program.inputs[constants.length + at];
        const sharding = NamedSharding(mesh, specOf(inLayouts[constants.length + at]));
        return concrete(type, new ShardedElements(sharding, shards, type).read());
      };
      return {
        bytesPerDevice: 0,
        run(given: readonly Shards[]): Shards[] {
          const inputs = [...(constants as Concrete[]), ...given.map(whole)];
          const outputs = alone.run([...expanded.constants, ...inputs]) as Concrete[];
          record(program, options, inputs, outputs);
          return outputs.map((output, at) => {
            const blocks = blocksOf(output, outLayouts[at], axes) as Concrete[];
            return { read: (device) => blocks[device].elements };
          });
        },
      };
    },
  };
}

/** Matrices along "fsdp" where they can be, as fsdpSharding has it for large ones. */
function fsdpLayout(layout: Layout, { shape }: Concrete): Layout {
  const largest = Math.max(...shape);
  if (shape.length !== 2 || layout.flat().length > 0 || largest % 2 === 1) return layout;
  return shape.map((_, axis) => (axis === shape.indexOf(largest) ? ["fsdp"] : []));
}

describe("trainPPOMultiGPU", () => {
  afterEach(() => vi.unstubAllEnvs());

  it("is a program with annotations, parameters split over two devices each", async () => {
    const found: string[] = [];
    registerBackend(
      recorder((program, { axes, name, ...layouts }, inputs, outputs) => {
        const [inLayouts, outLayouts] = [
          layouts.inputs.map((layout, at) => fsdpLayout(layout, inputs[at])),
          layouts.outputs.map((layout, at) => fsdpLayout(layout, outputs[at])),
        ];
        found.push(...inLayouts.map((layout) => showSharding(layout, axes)));
        checkPartitioned({
          ...{ name, program, axes, inLayouts, outLayouts, inputs, outputs },
          tolerance: 1e-5,
        });
      }),
      { isDefault: false },
    );
    vi.stubEnv("VIBE_RL_DEVICE", "recorder");
    const [env, params] = make("CartPole-v1");
    const ppoConfig = PPOConfig({ nSteps: 16, nMinibatches: 2, nEpochs: 2, lr: 1e-3, hiddenSizes: [32, 32] });
    await trainPPOMultiGPU(env, params, {
      ppoConfig,
      runnerConfig: RunnerConfig({
        ...{ totalTimesteps: 2 * 8 * 16, numDevices: 8, fsdpDevices: 2, numEnvs: 1, seed: 3 },
        ...{ logInterval: 1e6, evalEvery: 1e6, plot: false },
      }),
    });
    expect(found.some((sharding) => sharding.includes("last_tile_dim_replicate"))).toBe(true);
  });
});

it("XLA's notation has the devices in the order of the parts", () => {
  const axes = [
    { name: "a", size: 2 },
    { name: "b", size: 2 },
  ];
  expect(showSharding([[], []], axes)).toBe("{replicated}");
  expect(showSharding([["a"], ["b"]], axes)).toBe("{devices=[2,2]0,1,2,3}");
  expect(showSharding([["b"], ["a"]], axes)).toBe("{devices=[2,2]0,2,1,3}");
  expect(showSharding([["b"], []], axes)).toBe("{devices=[2,1,2]0,2,1,3 last_tile_dim_replicate}");
  expect(showSharding([["b", "a"]], axes)).toBe("{devices=[4]0,2,1,3}");
});

// Functions compiled for several devices: partitioned, run by all of them, their results left where they lie.
import { Array } from "../core/array.js";
import { environment } from "../core/environment.js";
import { fail } from "../core/errors.js";
import { typesOf, type Program } from "../core/program.js";
import { chooseLayouts } from "../partition/choose.js";
import { splitProgram, type SplitProgram } from "../partition/partition.js";
import { wholeLayout, type Layout } from "../sharding/axes.js";
import { localDeviceCount } from "../sharding/devices.js";
import type { Mesh } from "../sharding/mesh.js";
import { NamedSharding } from "../sharding/namedSharding.js";
import { shardsFor } from "../sharding/place.js";
import { meshOf, shardingOf, specOf, spreadShardings, type MakeMesh } from "../sharding/placement.js";
import { ShardedElements } from "../sharding/shardedElements.js";
import type { Backend, CompileOptions, Executable, SpmdExecutable } from "./backend.js";
import {
  type AskedShardings,
  type MeshPlan,
  type ShardingSupport,
  type TracedFunction,
} from "./shardingSupport.js";

/** Where the inputs that are not constants and the outputs of a program lie; null leaves it open. */
interface Placement {
  readonly mesh: Mesh;
  readonly inputs: readonly (NamedSharding | null)[];
  readonly outputs: readonly (NamedSharding | null)[];
  /** Whether the layouts of inputs that are open are chosen by what the program then costs. */
  readonly isChosen: boolean;
}

/** What `jit` needs in order to compile for several devices, given how a mesh is made. */
export const shardingSupport = (makeMesh: MakeMesh): ShardingSupport => ({
  placeKey: (array) => {
    const sharding = shardingOf(array);
    return sharding === null ? "" : `@${sharding.toString()}`;
  },
  plan: (operation, asked, traced) => planOf(operation, asked, traced, makeMesh),
});

function planOf(
  operation: string,
  { inShardings, outShardings, mesh: given }: AskedShardings,
  { args, result, program }: TracedFunction,
  makeMesh: MakeMesh,
): MeshPlan | null {
  const isChosen = inShardings === "auto";
  const inputs = args.flatMap((tree, at) => {
    if (tree === null) return [];
    const own = shardingOfArgument(operation, inShardings, at, args.length);
    const ofTree = spreadShardings(operation, own, tree.structure, `inShardings[${at}]`);
    return ofTree.map((sharding, leaf) => sharding ?? shardingOf(tree.arrays[leaf]));
  });
  const outputs = spreadShardings(operation, outShardings, result, "outShardings");
  const asked = meshOf(operation, [...inputs, ...outputs], program, makeMesh) ?? given ?? null;
  const mesh = asked ?? (isChosen ? makeMesh([localDeviceCount()], ["batch"]) : null);
  if (mesh === null || mesh.size === 1) return null;
  const placement: Placement = { mesh, inputs, outputs, isChosen };
  return {
    mesh,
    split: (whole, constants) => splitOver(whole, constants, placement),
    over: (backend) => ({ ...backend, ...overMesh(backend, placement) }),
  };
}

/** What `inShardings` says about one argument. */
function shardingOfArgument(
  operation: string,
  inShardings: AskedShardings["inShardings"],
  at: number,
  count: number,
): unknown {
  if (inShardings === "auto") return null;
  if (!globalThis.Array.isArray(inShardings)) return inShardings;
  if (inShardings.length === count) return inShardings[at];
  fail(
    operation,
    `inShardings has ${inShardings.length} entries, but the function was called with ${count} arguments`,
  );
}

/** A program split over the devices of a mesh. Its first inputs are constants, which every device has all of. */
function splitOver(
  program: Program,
  constants: number,
  { mesh, inputs, outputs, isChosen }: Placement,
): SplitProgram {
  const layout = (sharding: NamedSharding | null, shape: readonly number[]) => {
    sharding?.shardShape(shape);
    return sharding?.layoutFor(shape.length) ?? null;
  };
  const given = program.inputs.map(({ type: { shape } }, at) =>
    at < constants ? wholeLayout(shape.length) : layout(inputs[at - constants], shape),
  );
  return splitProgram(program, {
    axes: mesh.axes,
    inputs: isChosen ? chooseLayouts(program, mesh.axes, given) : given,
    outputs: program.outputs.map(({ type: { shape } }, at) => layout(outputs[at], shape)),
    ...(environment("VIBE_RL_LOG_SHARDING") !== undefined && { tell: logSharding }),
  });
}

function logSharding(line: string): void {
  // oxlint-disable-next-line no-console
  console.error(`vibe-rl: ${line}`);
}

/** What of a backend compiles, for all devices of a mesh. */
function overMesh(
  backend: Backend,
  placement: Placement,
): Required<Pick<Backend, "compile" | "compileAsync">> {
  const { mesh } = placement;
  const prepare = (
    program: Program,
    { constants, donated, name, matmulPrecision = null }: CompileOptions,
  ) => {
    const split = splitOver(program, constants.length, placement);
    // What was asked for is returned as it was written.
    const shardings = (asked: readonly (NamedSharding | null)[], layouts: readonly Layout[]) =>
      layouts.map((layout, at) => asked[at] ?? NamedSharding(mesh, specOf(layout)));
    const inputs = shardings(placement.inputs, split.inputs.slice(constants.length));
    const outputs = shardings(placement.outputs, split.outputs);
    const types = typesOf(program.outputs);
    const finish = (executable: SpmdExecutable): Executable => ({
      run: (given) =>
        executable
          .run(given.map((array, at) => shardsFor(array, inputs[at])))
          .map(
            (shards, at) =>
              new Array(types[at], null, null, new ShardedElements(outputs[at], shards, types[at])),
          ),
      bytesPerDevice: executable.bytesPerDevice,
    });
    return { split, finish, options: { name, constants, donated, matmulPrecision, axes: mesh.axes } };
  };
  const spmd = (program: Program, options: CompileOptions): Executable => {
    if (backend.spmd === undefined && backend.sharded === undefined) refuse(backend);
    const prepared = prepare(program, options);
    const { inputs, outputs } = prepared.split;
    if (backend.sharded !== undefined)
      return prepared.finish(backend.sharded(program, { ...prepared.options, inputs, outputs }));
    if (backend.spmd === undefined) refuse(backend);
    return prepared.finish(backend.spmd(prepared.split.program, prepared.options));
  };
  return {
    compile: spmd,
    compileAsync: async (program, options) => {
      if (backend.spmdAsync === undefined || backend.sharded !== undefined) return spmd(program, options);
      const prepared = prepare(program, options);
      return prepared.finish(await backend.spmdAsync(prepared.split.program, prepared.options));
    },
  };
}

function refuse({ name }: Backend): never {
  fail(
    "jit",
    `device ${JSON.stringify(name)} cannot run a program on several devices; use a mesh of one, or another device`,
  );
}

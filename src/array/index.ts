// The array language: JAX's vocabulary in TypeScript. Functions written in it can be recorded as Programs,
// differentiated, vectorised and compiled.
import "./np/methods.js";

import * as debug from "./debug.js";
import * as lax from "./lax/index.js";
import * as nn from "./nn/index.js";
import * as np from "./np/index.js";
import * as ops from "./ops.js";
import * as random from "./random/index.js";
import * as tree from "./tree/index.js";

export { debug, lax, nn, np, ops, random, tree };
export { blockUntilReady } from "./blockUntilReady.js";
export { ravelPytree } from "./ravelPytree.js";

// The same class under a name that shadows nothing.
export { Array as NDArray } from "./core/array.js";
export { Array, type ArrayLike, type Concrete, type Nested, type RemoteElements } from "./core/array.js";
export { dtypes, itemSize, viewBytes, type DType, type TypedArray } from "./core/dtype.js";
export { ArrayError, describe, fail } from "./core/errors.js";
export { nearestName, tellNearest } from "./core/nearest.js";
export * as rules from "./core/rules.js";
export { check, checkName, checkOptions, problemWith, showValue, type Rule } from "./core/rules.js";
export {
  countEquations,
  hasEffect,
  mapSubPrograms,
  newLiteral,
  newVariable,
  subPrograms,
  typesOf,
  variablesRead,
  type Atom,
  type Equation,
  type Literal,
  type Program,
  type Variable,
} from "./core/program.js";
export { ShapeDtypeStruct, type ShapeDtypeStructOptions } from "./core/shapeDtypeStruct.js";
export { sizeOf, type Axes, type Shape } from "./core/shape.js";
export type { ArrayType } from "./core/type.js";
export type { Index, Range } from "./np/indexing.js";
export type { Shardings } from "./sharding/placement.js";
export {
  defaultDevice,
  registerBackend,
  type Backend,
  type CompileOptions,
  type Executable,
  matmulPrecisions,
  type MatmulPrecision,
} from "./transforms/backend.js";
export type {
  ResidentExecutable,
  ShardedOptions,
  Shards,
  SpmdExecutable,
  SpmdOptions,
} from "./transforms/backend.js";
export * as axes from "./sharding/axes.js";
export type { Layout, NamedAxis } from "./sharding/axes.js";
export {
  devices,
  howToGetDevices,
  localDeviceCount,
  offerDevices,
  setCpuDevices,
  type Device,
} from "./sharding/devices.js";
export { Mesh, meshOfShape, type NestedDevices } from "./sharding/mesh.js";
export { costOf, type Costs } from "./partition/costs.js";
export { divideProgram, type DividedProgram, type Machine } from "./partition/divide.js";
export { planPieces, type PieceOptions, type PiecePlan, type PieceSizes } from "./partition/pieces.js";
export { PartitionSpec, type PartitionEntry } from "./sharding/partitionSpec.js";
export { NamedSharding, type Sharding } from "./sharding/namedSharding.js";
export type { Shard } from "./sharding/addressable.js";
export { devicePut, type ShardingTree } from "./sharding/place.js";
export { PlacedElements, ShardedElements } from "./sharding/shardedElements.js";
export type { ShardingConstraintParams } from "./primitives/shardingConstraint.js";
export { spreadPrefix, type Prefix } from "./tree/prefix.js";
export { visualizeSharding, type Sharded, type VisualizeOptions } from "./sharding/visualize.js";
export { SingleDeviceSharding, type BlockIndex, type Extent } from "./sharding/singleDeviceSharding.js";
export type {
  AllToAllParams,
  CollectiveParams,
  PermuteDevicesParams,
  TiledParams,
} from "./primitives/collectives.js";
export { residentProgram, type ResidentProgram } from "./transforms/residentProgram.js";

// What compilers and devices need of the language: its programs and the parameters of its primitives.
export { environment } from "./core/environment.js";
export { concrete, evaluateLiterals } from "./core/interpret.js";
export { traceClosed } from "./core/trace.js";
export { arrayType } from "./core/type.js";
export { mul as mulPrimitive } from "./primitives/arithmetic.js";
export { printMessage } from "./primitives/debugPrint.js";
export { expandCalls } from "./transforms/expand.js";
export { showProgram } from "./transforms/listing.js";
export { batchProgram } from "./transforms/batch.js";
export { pruneProgram } from "./transforms/prune.js";
export { substitute } from "./transforms/substitute.js";
export type { CondParams } from "./control/cond.js";
export type { ScanParams } from "./control/scanParams.js";
export type { WhileParams } from "./control/while.js";
export type { Primitive } from "./core/primitive.js";
export type { BroadcastParams } from "./primitives/broadcast.js";
export type { ConvertParams } from "./primitives/convert.js";
export type { DebugPrintParams } from "./primitives/debugPrint.js";
export type { DotParams } from "./primitives/dot.js";
export type { GatherParams, ScatterParams } from "./primitives/gather.js";
export type { IotaParams } from "./primitives/iota.js";
export type { ArgReduceParams, ReduceParams } from "./primitives/reduce.js";
export type { PadParams, SliceParams } from "./primitives/slice.js";
export type { SortParams } from "./primitives/sort.js";
export type { WindowParams } from "./primitives/window.js";
export { checkGrads, type CheckGradsOptions } from "./transforms/checkGrads.js";
export { checkpoint, remat } from "./transforms/checkpoint.js";
export { customJvp, type CustomJvp, type CustomOptions, type DefjvpOptions } from "./transforms/customJvp.js";
export { customVjp, type CustomVjp } from "./transforms/customVjp.js";
export { grad, valueAndGrad, type Argnums, type GradOptions } from "./transforms/derivatives.js";
export { jvp, linearize, vjp, type AuxOptions } from "./transforms/directional.js";
export { evalShape, makeProgram, type ClosedProgram, type ShapeDtype } from "./transforms/inspect.js";
export { hessian, jacfwd, jacrev, type Jacobian, type JacobianOptions } from "./transforms/jacobian.js";
export { compiledFor, jit, jitChoice, precompile, type JitOptions } from "./transforms/jit.js";
export {
  shardMap,
  type MeshAxes,
  type ShardMapOptions,
  type SpecEntries,
  type SpecTree,
} from "./transforms/shardMap.js";
export { simulateSpmd } from "./transforms/spmd.js";
export type { ShardMapParams } from "./control/shardMap.js";
export { vmap, type AxisTree, type VmapOptions } from "./transforms/vmap.js";

// Matrix products: tiles of 4 rows × 2 vectors of columns that stay in registers over the whole depth.
//
// What matters to V8 (measured): eight accumulators and no unrolling of the depth, one splat-load per row and
// step, constant distances in the instructions' offsets. Columns that do not lie next to each other in memory,
// or whose rows would collide in the cache, are packed into panels first.
import type { DotKernel, DotOperand } from "../kernel.js";
import type { Assembler } from "./assembler.js";
import { transpose } from "./transpose.js";
import { pointLoop, TileEpilogue } from "./epilogue.js";
import type { Features } from "./math.js";
import { loadsIn, rootsOf } from "../plan/accesses.js";
import { addCounters, type Surroundings } from "./pointers.js";

/** Rows and vectors of a tile. */
const tileRows = 4;
const tileVectors = 2;
const panelColumns = tileVectors * 4;
/** Rows of the left operand that stay in the cache while all panels pass. */
const blockRows = 96;

/** An axis of the product, with its steps in bytes in either operand. */
interface Axis {
  readonly extent: number;
  /** The axis of the kernel's points that it is; -1 for the depth. */
  readonly point: number;
  readonly left: number;
  readonly right: number;
}

interface Problem {
  readonly batch: readonly Axis[];
  readonly rows: readonly Axis[];
  readonly columns: readonly Axis[];
  readonly depth: readonly Axis[];
  readonly left: DotOperand;
  readonly right: DotOperand;
}

const extentOf = (axes: readonly Axis[]): number => axes.reduce((product, { extent }) => product * extent, 1);
const lastOf = (axes: readonly Axis[]): Axis => axes[axes.length - 1];

/** Elements of float32 that a product's panels take. */
export function dotScratch(kernel: Omit<DotKernel, "scratch">): number {
  const problem = orient(problemOf(kernel));
  const method = methodOf(problem);
  const depth = extentOf(problem.depth);
  const columns = lastOf(problem.columns)?.extent ?? 1;
  if (method === "deep") return columns * Math.ceil(depth / 4) * 4;
  return (method === "packed" ? rightPanels(problem) : 0) + (packsLeft(problem) ? depth * blockRows : 0);
}

/** Elements of the right operand in panels, and what is read beyond them. */
const rightPanels = ({ depth, columns }: Problem): number =>
  extentOf(depth) * Math.ceil((lastOf(columns)?.extent ?? 1) / panelColumns) * panelColumns + 8;

/** Whether rows that lie next to each other are far apart from step to step, so that they fall out of the cache. */
function packsLeft({ rows, columns, depth }: Problem): boolean {
  const [row, column] = [lastOf(rows), lastOf(columns)];
  if (depth.length !== 1 || row === undefined || column === undefined) return false;
  return (
    row.left === 4 && row.extent >= tileRows && depth[0].left >= 256 && column.extent >= 4 * panelColumns
  );
}

/** How a product is computed: in tiles from where the operands are, from packed panels, or along the depth. */
function methodOf({ rows, columns, depth }: Problem): "direct" | "packed" | "deep" {
  const isNarrow = extentOf(columns) < 4;
  // Few columns and a depth in order: vectors run along the depth instead.
  if (isNarrow && columns.length <= 1 && depth.length === 1 && depth[0].left === 4 && depth[0].extent >= 16) {
    return "deep";
  }
  const isInOrder = columns.length === 0 || lastOf(columns).right === 4;
  const step = lastOf(depth)?.right ?? 0;
  const collides = !isNarrow && extentOf(rows) >= 8 && step >= 512;
  return isInOrder && !collides ? "direct" : "packed";
}

export function renderDot(
  asm: Assembler,
  kernel: DotKernel,
  surroundings: Surroundings,
  features: Features,
): void {
  const problem = orient(problemOf(kernel));
  new DotRenderer(asm, kernel, problem, surroundings, features).render();
}

function problemOf({
  batch,
  rows,
  columns,
  depth,
  left,
  right,
  stores,
}: Omit<DotKernel, "scratch">): Problem {
  const axes = (
    extents: readonly number[],
    first: number,
    lefts: readonly number[],
    rights: readonly number[],
  ): Axis[] =>
    extents.map((extent, at) => ({
      extent,
      point: first < 0 ? -1 : first + at,
      left: (lefts[at] ?? 0) * 4,
      right: (rights[at] ?? 0) * 4,
    }));
  // Axes that all accesses walk as one become one.
  const collapse = (list: readonly Axis[]): Axis[] => {
    const joined: Axis[] = [];
    for (const axis of [...list].reverse()) {
      const inner = joined[0] as Axis | undefined;
      const continues =
        inner !== undefined &&
        axis.left === inner.left * inner.extent &&
        axis.right === inner.right * inner.extent &&
        (axis.point < 0 || stores.every((store) => continuesIn(store, axis, inner)));
      if (axis.extent === 1) continue;
      if (continues) joined[0] = { ...inner, extent: inner.extent * axis.extent };
      else joined.unshift(axis);
    }
    return joined;
  };
  return {
    batch: axes(batch, 0, left.batch, right.batch).filter(({ extent }) => extent > 1),
    rows: collapse(axes(rows, batch.length, left.free, [])),
    columns: collapse(axes(columns, batch.length + rows.length, [], right.free)),
    depth: collapse(axes(depth, -1, left.depth, right.depth)),
    left,
    right,
  };
}

/** Whether everything a store touches goes on from one axis to the next. */
function continuesIn(store: DotKernel["stores"][number], outer: Axis, inner: Axis): boolean {
  const addresses = [store.address, ...loadsIn(rootsOf([store]))];
  return addresses.every(({ strides }) => strides[outer.point] === strides[inner.point] * inner.extent);
}

/** Exchanges rows and columns where vectors run better along the rows. */
function orient(problem: Problem): Problem {
  const { rows, columns, left, right } = problem;
  const isNarrow = extentOf(columns) < 4;
  const hasRowsInOrder = rows.length > 0 && lastOf(rows).left === 4 && lastOf(rows).extent >= 4;
  if (!isNarrow || !hasRowsInOrder) return problem;
  const flip = (axes: readonly Axis[]) =>
    axes.map((axis) => ({ ...axis, left: axis.right, right: axis.left }));
  return {
    batch: flip(problem.batch),
    rows: flip(columns),
    columns: flip(rows),
    depth: flip(problem.depth),
    left: right,
    right: left,
  };
}

class DotRenderer {
  private readonly epilogue: TileEpilogue;
  private readonly row: Axis;
  private readonly column: Axis;
  /** Locals with the addresses of the current batch's, rows' and columns' first elements. */
  private readonly leftBase: number;
  private readonly rightBase: number;
  private readonly isPacked: boolean;
  private readonly isLeftPacked: boolean;
  private readonly isDeep: boolean;
  private readonly loops: readonly Axis[];

  constructor(
    private readonly asm: Assembler,
    private readonly kernel: DotKernel,
    private readonly problem: Problem,
    private readonly surroundings: Surroundings,
    private readonly features: Features,
  ) {
    const { batch, rows, columns } = problem;
    const single: Axis = { extent: 1, point: -2, left: 0, right: 0 };
    this.row = lastOf(rows) ?? single;
    this.column = lastOf(columns) ?? single;
    const method = methodOf(problem);
    this.isDeep = method === "deep";
    this.isPacked = method === "packed";
    this.isLeftPacked = method !== "deep" && packsLeft(problem);
    this.leftBase = asm.local("i32");
    this.rightBase = asm.local("i32");
    this.loops = [...batch, ...rows, ...columns];
    const vector = this.isDeep ? this.row : this.column;
    this.epilogue = new TileEpilogue(
      asm,
      kernel.stores,
      this.loops.map(({ point, extent }) => pointLoop(point, extent)),
      vector.point,
      surroundings,
      features,
    );
  }

  render(): void {
    const { asm, problem } = this;
    this.pushBase(problem.left);
    asm.set(this.leftBase);
    this.pushBase(problem.right);
    asm.set(this.rightBase);
    this.epilogue.pointers.start();
    this.overAxes(problem.batch, () => {
      if (this.isDeep) this.deepProduct();
      else this.tiledProduct();
    });
  }

  /** Pushes the address of an operand's first element. */
  private pushBase({ buffer, offset, counters, computed }: DotOperand): void {
    const { asm, surroundings } = this;
    if (computed.length > 0) throw new Error("operands of products at computed places are copied first");
    asm.i32(surroundings.addressOf(buffer) + offset * 4);
    addCounters(asm, { buffer, counters }, surroundings);
  }

  /** Loops over axes, moving the bases along. */
  private overAxes(axes: readonly Axis[], body: () => void): void {
    const [axis, ...rest] = axes;
    if (axis === undefined) {
      body();
      return;
    }
    this.asm.repeat(axis.extent, () => {
      this.overAxes(rest, body);
      this.move(axis, 1);
    });
    this.move(axis, -axis.extent);
  }

  /** Moves the bases and the epilogue's pointers along an axis. */
  private move(axis: Axis, count: number): void {
    const { asm } = this;
    const loop = this.loops.indexOf(axis);
    if (loop >= 0) this.epilogue.pointers.advance(loop, count);
    if (axis.left !== 0)
      asm
        .get(this.leftBase)
        .i32(axis.left * count)
        .op("i32.add")
        .set(this.leftBase);
    if (axis.right !== 0)
      asm
        .get(this.rightBase)
        .i32(axis.right * count)
        .op("i32.add")
        .set(this.rightBase);
  }

  // ---- tiles ------------------------------------------------------------------------------------------

  private tiledProduct(): void {
    const { rows, columns } = this.problem;
    this.overAxes(columns.slice(0, -1), () => {
      if (this.isPacked) this.pack();
      this.overAxes(rows.slice(0, -1), () => {
        const inBlocks = this.isPacked || this.isLeftPacked;
        const blocks = inBlocks ? Math.floor(this.row.extent / blockRows) : 0;
        const rest = this.row.extent - blocks * blockRows;
        this.asm.repeat(blocks, () => {
          this.panels(blockRows);
          this.moveRow(blockRows);
        });
        if (rest > 0) this.panels(rest);
        if (blocks > 0) this.moveRow(-blocks * blockRows);
      });
    });
  }

  private moveRow(count: number): void {
    this.move(this.row, count);
  }

  /** All panels of columns for some rows. */
  private panels(rows: number): void {
    const { asm } = this;
    const whole = Math.floor(this.column.extent / panelColumns);
    const rest = this.column.extent % panelColumns;
    const panel = asm.local("i32");
    if (this.isPacked) asm.i32(this.scratchAddress()).set(panel);
    if (this.isLeftPacked) this.packLeft(Math.floor(rows / tileRows));
    const moveColumn = (count: number) => {
      const loop = this.loops.indexOf(this.column);
      if (loop >= 0) this.epilogue.pointers.advance(loop, count);
      if (!this.isPacked && this.column.right !== 0) {
        asm
          .get(this.rightBase)
          .i32(this.column.right * count)
          .op("i32.add")
          .set(this.rightBase);
      }
    };
    this.asm.repeat(whole, () => {
      this.tilesDown(rows, tileVectors, 4, panel);
      moveColumn(panelColumns);
      if (this.isPacked)
        asm
          .get(panel)
          .i32(this.depthExtent() * panelColumns * 4)
          .op("i32.add")
          .set(panel);
    });
    if (rest > 0) this.tilesDown(rows, Math.ceil(rest / 4), ((rest - 1) % 4) + 1, panel);
    if (whole > 0) moveColumn(-whole * panelColumns);
    asm.release("i32", panel);
  }

  private depthExtent(): number {
    return extentOf(this.problem.depth);
  }

  private scratchAddress(): number {
    return this.surroundings.addressOf(this.kernel.scratch);
  }

  /** The tiles of one panel, from the first row to the last. */
  private tilesDown(rows: number, vectors: number, lastLanes: number, panel: number): void {
    const { asm } = this;
    const whole = Math.floor(rows / tileRows);
    const left = this.isLeftPacked ? asm.local("i32") : null;
    if (left !== null) asm.i32(this.leftScratch()).set(left);
    this.asm.repeat(whole, () => {
      this.tile(tileRows, vectors, lastLanes, panel, left);
      this.moveRow(tileRows);
      if (left !== null)
        asm
          .get(left)
          .i32(this.depthExtent() * tileRows * 4)
          .op("i32.add")
          .set(left);
    });
    const rest = rows % tileRows;
    if (rest > 0) this.tile(rest, vectors, lastLanes, panel, null);
    if (whole > 0) this.moveRow(-whole * tileRows);
    if (left !== null) asm.release("i32", left);
  }

  /** One tile: the sums over the depth, then what becomes of them. */
  private tile(
    rows: number,
    vectors: number,
    lastLanes: number,
    panel: number,
    /** Where the left operand's rows lie packed, if they do. */
    left: number | null,
  ): void {
    const { asm } = this;
    const sums = Array.from({ length: rows }, () => Array.from({ length: vectors }, () => asm.local("v128")));
    for (const sum of sums.flat()) asm.vector([0, 0, 0, 0]).set(sum);
    const [a, b] = [asm.local("i32"), asm.local("i32")];
    const [factor, ...columns] = Array.from({ length: vectors + 1 }, () => asm.local("v128"));
    asm.get(left ?? this.leftBase).set(a);
    asm.get(this.isPacked ? panel : this.rightBase).set(b);
    this.overDepth(a, b, left !== null, () => {
      columns.forEach((column, at) =>
        asm
          .get(b)
          .op("v128.load", at * 16)
          .set(column),
      );
      sums.forEach((row, at) => {
        asm
          .get(a)
          .op("v128.load32_splat", at * (left === null ? this.row.left : 4))
          .set(factor);
        row.forEach((sum, vector) => this.multiplyAdd(factor, columns[vector], sum));
      });
    });
    asm.release("i32", a).release("i32", b);
    [factor, ...columns].forEach((local) => asm.release("v128", local));
    this.finish(sums, lastLanes);
  }

  /** sum += x · y. */
  private multiplyAdd(x: number, y: number, sum: number): void {
    const { asm } = this;
    if (this.features.fma) asm.get(x).get(y).get(sum).op("f32x4.relaxed_madd").set(sum);
    else asm.get(sum).get(x).get(y).op("f32x4.mul").op("f32x4.add").set(sum);
  }

  /** Walks two pointers over the depth. A packed panel is walked straight through. */
  private overDepth(a: number, b: number, isLeftPacked: boolean, body: () => void): void {
    const { asm } = this;
    const walk = ([axis, ...rest]: readonly Axis[]): void => {
      if (axis === undefined) {
        body();
        return;
      }
      const isInnermost = rest.length === 0;
      const step = this.isPacked ? (isInnermost ? panelColumns * 4 : 0) : axis.right;
      this.asm.repeat(axis.extent, () => {
        walk(rest);
        asm
          .get(a)
          .i32(isLeftPacked ? tileRows * 4 : axis.left)
          .op("i32.add")
          .set(a);
        if (step !== 0) asm.get(b).i32(step).op("i32.add").set(b);
        if (!isInnermost) this.rewind(a, b, rest[0]);
      });
    };
    walk(this.problem.depth);
  }

  /** Takes back what the next inner axis of the depth has moved; those inside it were taken back there. */
  private rewind(a: number, b: number, { extent, left, right }: Axis): void {
    const { asm } = this;
    asm
      .get(a)
      .i32(-left * extent)
      .op("i32.add")
      .set(a);
    if (this.isPacked) return;
    asm
      .get(b)
      .i32(-right * extent)
      .op("i32.add")
      .set(b);
  }

  private finish(sums: readonly (readonly number[])[], lastLanes: number): void {
    const { asm, epilogue } = this;
    const [rowLoop, columnLoop] = [this.row, this.column].map((axis) => this.loops.indexOf(axis));
    const vectors = sums[0].length;
    for (let vector = 0; vector < vectors; vector++) {
      if (columnLoop >= 0) epilogue.pointers.ahead[columnLoop] = vector * 4;
      sums.forEach((row, at) => {
        if (rowLoop >= 0) epilogue.pointers.ahead[rowLoop] = at;
        epilogue.store(row[vector], vector === vectors - 1 ? lastLanes : 4);
        asm.release("v128", row[vector]);
        epilogue.forget(this.row.point);
      });
      epilogue.forget(null);
    }
    epilogue.pointers.ahead.fill(0);
  }

  // ---- packing ----------------------------------------------------------------------------------------

  /** Copies the right operand into panels: for each step of the depth, eight columns next to each other. */
  private pack(): void {
    const { asm } = this;
    const [source, target] = [asm.local("i32"), asm.local("i32")];
    asm.i32(this.scratchAddress()).set(target);
    const whole = Math.floor(this.column.extent / panelColumns);
    const rest = this.column.extent % panelColumns;
    const from = asm.local("i32");
    asm.get(this.rightBase).set(from);
    const panel = (columns: number) => {
      asm.get(from).set(source);
      this.overPacked(source, target, columns);
      asm
        .get(from)
        .i32(this.column.right * columns)
        .op("i32.add")
        .set(from);
    };
    this.asm.repeat(whole, () => panel(panelColumns));
    if (rest > 0) panel(rest);
    [source, target, from].forEach((local) => asm.release("i32", local));
  }

  private overPacked(source: number, target: number, columns: number): void {
    const { asm, column } = this;
    const walk = ([axis, ...rest]: readonly Axis[]): void => {
      if (axis === undefined) {
        this.packStep(source, target, columns);
        asm
          .get(target)
          .i32(panelColumns * 4)
          .op("i32.add")
          .set(target);
        return;
      }
      const inFours =
        rest.length === 0 && axis.right === 4 && column.right !== 4 ? Math.floor(axis.extent / 4) : 0;
      this.asm.repeat(inFours, () => {
        this.packTransposed(source, target, columns);
        asm.get(source).i32(16).op("i32.add").set(source);
        asm
          .get(target)
          .i32(panelColumns * 16)
          .op("i32.add")
          .set(target);
      });
      this.asm.repeat(axis.extent - inFours * 4, () => {
        walk(rest);
        asm.get(source).i32(axis.right).op("i32.add").set(source);
        const [inner] = rest;
        if (inner !== undefined)
          asm
            .get(source)
            .i32(-inner.right * inner.extent)
            .op("i32.add")
            .set(source);
      });
    };
    walk(this.problem.depth);
  }

  /** One step of the depth. */
  private packStep(source: number, target: number, columns: number): void {
    const { asm, column } = this;
    for (let vector = 0; vector * 4 < columns; vector++) {
      const lanes = Math.min(4, columns - vector * 4);
      const first = vector * 4 * column.right;
      asm.get(target);
      if (column.right === 4) asm.get(source).op("v128.load", first);
      else {
        const value = asm.local("v128");
        asm.get(source).op("v128.load32_zero", first).set(value);
        for (let lane = 1; lane < lanes; lane++) {
          asm
            .get(source)
            .get(value)
            .op("v128.load32_lane", first + lane * column.right, lane)
            .set(value);
        }
        asm.get(value).release("v128", value);
      }
      asm.op("v128.store", vector * 16);
    }
  }

  /** Four steps of the depth at once, which lie next to each other in each column. */
  private packTransposed(source: number, target: number, columns: number): void {
    const { asm, column } = this;
    for (let vector = 0; vector * 4 < columns; vector++) {
      const lines = [0, 1, 2, 3].map((lane) => {
        const line = asm.local("v128");
        const at = Math.min(vector * 4 + lane, columns - 1);
        asm
          .get(source)
          .op("v128.load", at * column.right)
          .set(line);
        return line;
      });
      transpose(asm, lines);
      lines.forEach((line, step) => {
        asm
          .get(target)
          .get(line)
          .op("v128.store", step * panelColumns * 4 + vector * 16)
          .release("v128", line);
      });
    }
  }

  private leftScratch(): number {
    return this.scratchAddress() + (this.isPacked ? rightPanels(this.problem) * 4 : 0);
  }

  /** Copies rows of the left operand: for each step of the depth, four rows next to each other. */
  private packLeft(tiles: number): void {
    const { asm } = this;
    const [axis] = this.problem.depth;
    const [first, source, target] = [asm.local("i32"), asm.local("i32"), asm.local("i32")];
    asm.get(this.leftBase).set(first).i32(this.leftScratch()).set(target);
    this.asm.repeat(tiles, () => {
      asm.get(first).set(source);
      this.asm.repeat(axis.extent, () => {
        asm.get(target).get(source).op("v128.load").op("v128.store");
        asm.get(source).i32(axis.left).op("i32.add").set(source);
        asm
          .get(target)
          .i32(tileRows * 4)
          .op("i32.add")
          .set(target);
      });
      asm
        .get(first)
        .i32(tileRows * 4)
        .op("i32.add")
        .set(first);
    });
    [first, source, target].forEach((local) => asm.release("i32", local));
  }

  // ---- vectors along the depth ------------------------------------------------------------------------

  /** Few columns: each sum is a product of two vectors, four rows at a time. */
  private deepProduct(): void {
    const { rows } = this.problem;
    this.packColumns();
    this.overAxes(rows.slice(0, -1), () => {
      const whole = Math.floor(this.row.extent / 4);
      this.asm.repeat(whole, () => {
        this.deepTile(4);
        this.moveRow(4);
      });
      const rest = this.row.extent % 4;
      if (rest > 0) this.deepTile(rest);
      if (whole > 0) this.moveRow(-whole * 4);
    });
  }

  private get deepStride(): number {
    return Math.ceil(this.depthExtent() / 4) * 16;
  }

  /** The columns one after the other in the scratch memory, zeros up to the next vector. */
  private packColumns(): void {
    const { asm } = this;
    const [axis] = this.problem.depth;
    const [source, target] = [asm.local("i32"), asm.local("i32")];
    for (let column = 0; column < this.column.extent; column++) {
      asm
        .get(this.rightBase)
        .i32(column * this.column.right)
        .op("i32.add")
        .set(source);
      asm.i32(this.scratchAddress() + column * this.deepStride).set(target);
      this.asm.repeat(axis.extent, () => {
        asm.get(target).get(source).op("f32.load").op("f32.store");
        asm.get(source).i32(axis.right).op("i32.add").set(source);
        asm.get(target).i32(4).op("i32.add").set(target);
      });
      for (let rest = axis.extent; rest % 4 !== 0; rest++) {
        asm.get(target).op("f32.const", 0).op("f32.store");
        asm.get(target).i32(4).op("i32.add").set(target);
      }
    }
    asm.release("i32", source).release("i32", target);
  }

  private deepTile(rows: number): void {
    const { asm } = this;
    const [axis] = this.problem.depth;
    const columns = this.column.extent;
    const sums = Array.from({ length: columns }, () => Array.from({ length: 4 }, () => asm.local("v128")));
    for (const sum of sums.flat()) asm.vector([0, 0, 0, 0]).set(sum);
    const [a, b, x] = [asm.local("i32"), asm.local("i32"), asm.local("v128")];
    const weights = sums.map(() => asm.local("v128"));
    asm.get(this.leftBase).set(a).i32(this.scratchAddress()).set(b);
    const step = (lanes: number) => {
      weights.forEach((weight, column) =>
        asm
          .get(b)
          .op("v128.load", column * this.deepStride)
          .set(weight),
      );
      for (let row = 0; row < rows; row++) {
        asm.get(a).op("v128.load", row * this.row.left);
        // Beyond the end stands something else, which must not meet even a zero: it may be NaN.
        if (lanes < 4)
          asm.constant([0, 1, 2, 3].map((lane) => (lane < lanes ? -1 : 0)) as never).op("v128.and");
        asm.set(x);
        sums.forEach((column, at) => this.multiplyAdd(x, weights[at], column[row]));
      }
    };
    this.asm.repeat(Math.floor(axis.extent / 4), () => {
      step(4);
      asm.get(a).i32(16).op("i32.add").set(a);
      asm.get(b).i32(16).op("i32.add").set(b);
    });
    if (axis.extent % 4 > 0) step(axis.extent % 4);
    asm.release("i32", a).release("i32", b).release("v128", x);
    weights.forEach((weight) => asm.release("v128", weight));
    const columnLoop = this.loops.indexOf(this.column);
    sums.forEach((lines, column) => {
      transpose(asm, lines);
      const [first, ...others] = lines;
      others.forEach((line) => asm.get(first).get(line).op("f32x4.add").set(first));
      if (columnLoop >= 0) this.epilogue.pointers.ahead[columnLoop] = column;
      this.epilogue.store(first, rows);
      this.epilogue.forget(null);
      lines.forEach((line) => asm.release("v128", line));
    });
    this.epilogue.pointers.ahead.fill(0);
  }
}

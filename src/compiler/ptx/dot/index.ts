// Products as PTX: every thread, or a few side by side, adds up a tile of sums in registers, then goes on with them.
import type { DotKernel, DotOperand, Expression } from "../../kernel.js";
import { extentOf, type ProductAxis } from "../../schedule/product.js";
import { productRegimes } from "../../schedule/sums.js";
import { expressionsBelow, rootsOf } from "../../walk.js";
import { divide, positionsOf } from "../indices.js";
import type { KernelText, Part, Reference } from "../surroundings.js";
import { Values } from "../values.js";
import { tilingOf, vector, type Tiling } from "./tiling.js";

export const renderDot = (text: KernelText, kernel: DotKernel): void =>
  new DotRenderer(text, kernel, tilingOf(kernel, text.threads)).render();

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** Where a row or a column of a tile is. */
interface Line {
  /** Its number, as a register or a number; beyond the last one where the tile sticks out. */
  readonly index: string;
  /** Whether it is there at all; null for always. */
  readonly isThere: string | null;
  readonly positions: readonly string[];
}

class DotRenderer {
  private readonly down: number;
  private readonly across: number;

  constructor(
    private readonly text: KernelText,
    private readonly kernel: DotKernel,
    private readonly tiling: Tiling,
  ) {
    const { product } = tiling;
    this.down = extentOf(product.rows);
    this.across = extentOf(product.columns);
  }

  private get out() {
    return this.text.out;
  }

  render(): void {
    const { text, out, tiling } = this;
    const { thread, threads } = text;
    const { product, rows, columns, split } = tiling;
    const shape = [extentOf(product.batch), Math.ceil(this.down / rows), Math.ceil(this.across / columns)];
    const tiles = shape[0] * shape[1] * shape[2];
    const { quotient: group, remainder: member } = divide(out, thread, split, threads);
    const groups = threads / split;
    const tile = (index: string) => this.tile(positionsOf(out, index, shape), member);
    if (split > 1) {
      // All lanes of a warp go along, so that none waits for another in vain.
      const turns = Math.ceil(tiles / groups);
      const turn = (index: string) => {
        const isOwn = tiles % groups === 0 ? null : out.pure("setp.lt.s32", "pred", index, String(tiles));
        const held = isOwn === null ? index : out.pure("min.s32", "b32", index, String(tiles - 1));
        this.tile(positionsOf(out, held, shape), member, isOwn);
      };
      if (turns === 1) turn(group);
      else
        out.loop("0", String(turns * groups), String(groups), (first) =>
          turn(out.pure("add.s32", "b32", first, group)),
        );
    } else if (tiles > groups) out.loop(group, String(tiles), String(groups), tile);
    else if (tiles === groups) tile(group);
    else out.when(out.effect("setp.lt.s32", "pred", group, String(tiles)), () => tile(group));
  }

  /** Rows or columns of a tile. */
  private lines(first: string, count: number, axes: readonly ProductAxis[], extent: number): Line[] {
    const { out } = this;
    const start = this.scaled(first, count);
    const extents = axes.map((axis) => axis.extent);
    return range(count).map((at) => {
      const index = this.plus(start, at);
      const isWhole = extent % count === 0;
      const isThere = isWhole || at === 0 ? null : out.pure("setp.lt.s32", "pred", index, String(extent));
      const held = isThere === null ? index : out.pure("min.s32", "b32", index, String(extent - 1));
      return { index, isThere, positions: positionsOf(out, held, extents) };
    });
  }

  private scaled(value: string, factor: number): string {
    const { register, constant } = this.text.sum([{ operand: value, factor }]);
    return register ?? String(constant);
  }

  private plus(value: string, by: number): string {
    if (by === 0) return value;
    return /^\d+$/.test(value)
      ? String(Number(value) + by)
      : this.out.pure("add.s32", "b32", value, String(by));
  }

  private tile([batch, row, column]: readonly string[], member: string, isOwn: string | null = null): void {
    const { out, tiling, text } = this;
    const { product } = tiling;
    const batchPositions = positionsOf(
      out,
      batch,
      product.batch.map(({ extent }) => extent),
    );
    const rows = this.lines(row, tiling.rows, product.rows, this.down);
    const columns = this.lines(column, tiling.columns, product.columns, this.across);
    const sums = range(tiling.rows * tiling.columns).map(() => text.variable("float32", "0f00000000"));
    this.addUp(batchPositions, rows, columns, member, sums);
    this.join(sums);
    this.store(batchPositions, rows, columns, member, sums, isOwn);
  }

  /** Runs through the depth. */
  private addUp(
    batch: readonly string[],
    rows: readonly Line[],
    columns: readonly Line[],
    member: string,
    sums: readonly string[],
  ): void {
    const { tiling, out } = this;
    const { product, split, steps } = tiling;
    const { depth } = product;
    const outerDepth = depth.slice(0, -1);
    const last = depth.at(-1);
    const length = last?.extent ?? 1;
    const chunk = steps * split;
    const whole = Math.floor(length / chunk) * chunk;
    const alongLast = (outer: readonly string[], into: readonly string[]) => {
      const add = (position: string, count: number) =>
        this.step({ batch, rows, columns, outer, position, count }, into);
      const start = this.scaled(member, steps);
      if (whole === chunk) out.scope(() => add(start, steps));
      else if (whole > 0) out.loop(start, String(whole), String(chunk), (position) => add(position, steps));
      const left = length - whole;
      if (left === 0) return;
      const first = this.plus(member, whole);
      if (split === 1 && left <= vector)
        range(left).forEach((at) => out.scope(() => add(String(whole + at), 1)));
      else out.loop(first, String(length), String(split), (position) => add(position, 1));
    };
    const outerCount = extentOf(outerDepth);
    const perThread = Math.ceil((outerCount * length) / split);
    const { block } =
      productRegimes.find(({ upTo }) => perThread <= upTo) ?? productRegimes[productRegimes.length - 1];
    const isLong = perThread > block;
    if (!isLong) {
      if (outerCount === 1)
        alongLast(
          outerDepth.map(() => "0"),
          sums,
        );
      else
        out.loop("0", String(outerCount), "1", (index) =>
          alongLast(
            positionsOf(
              out,
              index,
              outerDepth.map(({ extent }) => extent),
            ),
            sums,
          ),
        );
      return;
    }
    this.addLong(
      { outerDepth, outerCount, length, block: block * split, member, batch, rows, columns },
      sums,
    );
  }

  /** A great depth in blocks, of which what is lost between their totals is carried along. */
  private addLong(
    given: {
      readonly outerDepth: readonly ProductAxis[];
      readonly outerCount: number;
      readonly length: number;
      readonly block: number;
      readonly member: string;
      readonly batch: readonly string[];
      readonly rows: readonly Line[];
      readonly columns: readonly Line[];
    },
    sums: readonly string[],
  ): void {
    const { out, text, tiling } = this;
    const { steps, split } = tiling;
    const { outerDepth, outerCount, length, block, member, batch, rows, columns } = given;
    const extents = outerDepth.map(({ extent }) => extent);
    const parts = sums.map(() => text.variable("float32", "0f00000000"));
    const excesses = sums.map(() => text.variable("float32", "0f00000000"));
    const endBlock = () =>
      sums.forEach((sum, at) => {
        const rest = out.effect("sub.rn.f32", "f32", parts[at], excesses[at]);
        const next = out.effect("add.rn.f32", "f32", sum, rest);
        const gained = out.effect("sub.rn.f32", "f32", next, sum);
        const lost = out.effect("sub.rn.f32", "f32", gained, rest);
        const isNumber = out.effect("setp.num.f32", "pred", lost, lost);
        out.line(`selp.f32 ${excesses[at]}, ${lost}, 0f00000000, ${isNumber};`);
        out.line(`mov.f32 ${sum}, ${next};`);
        out.line(`mov.f32 ${parts[at]}, 0f00000000;`);
      });
    const chunk = steps * split;
    const blockLength = Math.max(chunk, Math.floor(block / chunk) * chunk);
    out.loop("0", String(outerCount), "1", (index) => {
      const outer = positionsOf(out, index, extents);
      const add = (position: string, count: number) =>
        this.step({ batch, rows, columns, outer, position, count }, parts);
      const whole = Math.floor(length / chunk) * chunk;
      out.loop("0", String(whole), String(blockLength), (start) => {
        const end = out.effect("add.s32", "b32", start, String(blockLength));
        const held = out.effect("min.s32", "b32", end, String(whole));
        const first = text.sum([
          { operand: start, factor: 1 },
          { operand: member, factor: steps },
        ]).register as string;
        out.loop(first, held, String(chunk), (position) => add(position, steps));
        endBlock();
      });
      if (whole < length) {
        out.loop(this.plus(member, whole), String(length), String(split), (position) => add(position, 1));
        endBlock();
      }
    });
  }

  /** Adds the products of some steps of depth to sums. */
  private step(at: Step, sums: readonly string[]): void {
    const { tiling, out } = this;
    const lefts = this.load("left", at, at.rows, tiling.left === "rows", tiling.left === "depth");
    const rights = this.load("right", at, at.columns, tiling.right === "columns", tiling.right === "depth");
    for (let step = 0; step < at.count; step++)
      for (let row = 0; row < tiling.rows; row++)
        for (let column = 0; column < tiling.columns; column++) {
          const sum = sums[row * tiling.columns + column];
          out.line(`fma.rn.f32 ${sum}, ${lefts[row][step]}, ${rights[column][step]}, ${sum};`);
        }
  }

  /** The elements of an operand for the lines of a tile and some steps: `[line][step]`. */
  private load(
    side: "left" | "right",
    { batch, outer, position, count }: Step,
    lines: readonly Line[],
    isAlongLines: boolean,
    isAlongDepth: boolean,
  ): string[][] {
    const { text, out } = this;
    const { product } = this.tiling;
    const operand: DotOperand = product[side];
    const lineAxes = side === "left" ? product.rows : product.columns;
    const place = (line: Line, step: number): Reference => {
      const parts: Part[] = [
        ...text.partsOf(operand),
        ...product.batch.map((axis, which) => ({ operand: batch[which], factor: axis[side] })),
        ...lineAxes.map((axis, which) => ({ operand: line.positions[which], factor: axis[side] })),
        ...product.depth.slice(0, -1).map((axis, which) => ({ operand: outer[which], factor: axis[side] })),
      ];
      const last = product.depth.at(-1);
      const stride = last === undefined ? 0 : last[side];
      return text.reference(operand.buffer, operand.offset + step * stride, [
        ...parts,
        { operand: position, factor: stride },
      ]);
    };
    const found = lines.map((): string[] => []);
    const wide = ({ space, text: address }: Reference): string[] => {
      const registers = range(vector).map(() => out.register("f32"));
      out.line(`ld.${space}.v4.f32 {${registers.join(", ")}}, ${address};`);
      return registers;
    };
    if (isAlongDepth && count === vector) {
      lines.forEach((line, at) => (found[at] = wide(place(line, 0))));
      return found;
    }
    for (let step = 0; step < count; step++) {
      if (isAlongLines) {
        for (let at = 0; at < lines.length; at += vector)
          wide(place(lines[at], step)).forEach((register, which) => found[at + which].push(register));
      } else lines.forEach((line, at) => found[at].push(text.load(place(line, step), "float32")));
    }
    return found;
  }

  /** Adds up what the threads that share a tile have. */
  private join(sums: readonly string[]): void {
    const { out } = this;
    for (let bit = 1; bit < this.tiling.split; bit *= 2) {
      for (const sum of sums) {
        const word = out.effect("mov.b32", "b32", sum);
        const got = out.effect("shfl.sync.bfly.b32", "b32", word, String(bit), "31", "-1");
        const theirs = out.effect("mov.b32", "f32", got);
        out.line(`add.f32 ${sum}, ${sum}, ${theirs};`);
      }
    }
  }

  /** What becomes of the sums: threads that share a tile take turns. */
  private store(
    batch: readonly string[],
    rows: readonly Line[],
    columns: readonly Line[],
    member: string,
    sums: readonly string[],
    isOwn: string | null,
  ): void {
    const { tiling, out } = this;
    const { split } = tiling;
    if (split === 1 || sums.length === 1) {
      const isFirst = split === 1 ? null : out.pure("setp.eq.s32", "pred", member, "0");
      const does = [isOwn, isFirst].filter((one) => one !== null);
      rows.forEach((row, down) =>
        columns.forEach((column, across) =>
          this.storeOne(batch, row, column, sums[down * columns.length + across], does),
        ),
      );
      return;
    }
    const mine = Math.ceil(sums.length / split);
    for (let turn = 0; turn < mine; turn++) {
      const some = sums.slice(turn * split, (turn + 1) * split);
      let sum = some[0];
      some.slice(1).forEach((other, at) => {
        const isHere = out.pure("setp.eq.s32", "pred", member, String(at + 1));
        sum = out.effect("selp.f32", "f32", other, sum, isHere);
      });
      const number = this.plus(member, turn * split);
      const { quotient: down, remainder: across } = divide(out, number, columns.length, mine * split);
      const row = this.chosen(rows, down, tiling.product.rows, this.down);
      const column = this.chosen(columns, across, tiling.product.columns, this.across);
      const isSum =
        (turn + 1) * split <= sums.length
          ? null
          : out.pure("setp.lt.s32", "pred", number, String(sums.length));
      this.storeOne(
        batch,
        row,
        column,
        sum,
        [isOwn, isSum].filter((one) => one !== null),
      );
    }
  }

  /** The line of a tile that has a number which is known only when it runs. */
  private chosen(lines: readonly Line[], number: string, axes: readonly ProductAxis[], extent: number): Line {
    const { out } = this;
    if (lines.length === 1) return lines[0];
    const index = this.text.sum([
      { operand: lines[0].index, factor: 1 },
      { operand: number, factor: 1 },
    ]);
    const at = index.register === null ? String(index.constant) : this.plus(index.register, index.constant);
    const isWhole = extent % lines.length === 0;
    const isThere = isWhole ? null : out.pure("setp.lt.s32", "pred", at, String(extent));
    const held = isThere === null ? at : out.pure("min.s32", "b32", at, String(extent - 1));
    return {
      index: at,
      isThere,
      positions: positionsOf(
        out,
        held,
        axes.map((axis) => axis.extent),
      ),
    };
  }

  private storeOne(
    batch: readonly string[],
    row: Line,
    column: Line,
    sum: string,
    does: readonly string[],
  ): void {
    const { text, out, kernel, tiling } = this;
    const { product } = tiling;
    const conditions = [...does, row.isThere, column.isThere].filter((one) => one !== null);
    const condition = conditions.reduce<string | null>(
      (all, one) => (all === null ? one : out.pure("and.pred", "pred", all, one)),
      null,
    );
    const axes = [
      ...product.batch.map((axis, which) => [axis.point, batch[which]] as const),
      ...product.rows.map((axis, which) => [axis.point, row.positions[which]] as const),
      ...product.columns.map((axis, which) => [axis.point, column.positions[which]] as const),
    ];
    const positions = new Map(axes);
    const values = new Values(
      text,
      (axis) => positions.get(axis) ?? "0",
      () => sum,
      sum,
    );
    const compute = () => {
      values.compute(expressionsBelow(rootsOf(kernel.stores)) as readonly Expression[]);
      values.store(kernel.stores);
    };
    if (condition === null) out.scope(compute);
    else out.when(condition, compute);
  }
}

/** Some steps of depth of a tile. */
interface Step {
  readonly batch: readonly string[];
  readonly rows: readonly Line[];
  readonly columns: readonly Line[];
  /** Positions along all axes of the depth but the last, and the first one along that. */
  readonly outer: readonly string[];
  readonly position: string;
  readonly count: number;
}

// Running through the depth of a product: chunks of steps whose operands are loaded while those before are multiplied.
import { extentOf, type ProductAxis } from "../../schedule/product.js";
import { positionsOf } from "../indices.js";
import type { KernelText, Part, Pointer } from "../surroundings.js";
import { chunksAtOnce, isLong, isWrittenOut, regimeOf, rotations, vector, type Tiling } from "./layout.js";
import { range, type Line } from "./lines.js";

/** What a thread has of a tile. */
export interface Tile {
  readonly batch: readonly string[];
  readonly rows: readonly Line[];
  readonly columns: readonly Line[];
  /** Which part of the depth it takes, and how many chunks further it begins. */
  readonly member: string;
  readonly rotation: string | null;
}

type Side = "left" | "right";

/** Operands of some steps: `[line][step]`. */
interface Operands {
  readonly left: readonly (readonly string[])[];
  readonly right: readonly (readonly string[])[];
}

const zero = "0f00000000";

export class Depth {
  private readonly outer: readonly ProductAxis[];
  private readonly length: number;
  private readonly chunk: number;

  constructor(
    private readonly text: KernelText,
    private readonly tiling: Tiling,
    private readonly tile: Tile,
  ) {
    const { depth } = tiling.product;
    this.outer = depth.slice(0, -1);
    this.length = depth.at(-1)?.extent ?? 1;
    this.chunk = tiling.steps * tiling.split;
  }

  private get out() {
    return this.text.out;
  }

  /** The sums of a tile, of this thread's part of the depth. */
  add(): string[] {
    const { tiling, text } = this;
    const sums = range(tiling.rows * tiling.columns).map(() => text.variable("float32", zero));
    if (isLong(tiling)) this.addLong(sums);
    else
      this.eachOuter((outer) => {
        const whole = this.wholeOf(this.length);
        this.stretch(outer, "0", whole, sums);
        this.rest(outer, whole, sums);
      });
    return sums;
  }

  private wholeOf(length: number): number {
    return Math.floor(length / this.chunk) * this.chunk;
  }

  private eachOuter(code: (positions: readonly string[]) => void): void {
    const { out, outer } = this;
    const extents = outer.map(({ extent }) => extent);
    if (outer.length === 0) code([]);
    else out.loop("0", String(extentOf(outer)), "1", (index) => code(positionsOf(out, index, extents)));
  }

  /** A great depth in blocks; what is lost between the totals of very many is carried along. */
  private addLong(sums: readonly string[]): void {
    const { out, text, tiling, length } = this;
    const { block, isCompensated } = regimeOf(tiling);
    const parts = sums.map(() => text.variable("float32", zero));
    const excesses = isCompensated ? sums.map(() => text.variable("float32", zero)) : null;
    const endBlock = () =>
      sums.forEach((sum, at) => {
        if (excesses === null) out.line(`add.f32 ${sum}, ${sum}, ${parts[at]};`);
        else {
          const rest = out.effect("sub.rn.f32", "f32", parts[at], excesses[at]);
          const next = out.effect("add.rn.f32", "f32", sum, rest);
          const gained = out.effect("sub.rn.f32", "f32", next, sum);
          const lost = out.effect("sub.rn.f32", "f32", gained, rest);
          const isNumber = out.effect("setp.num.f32", "pred", lost, lost);
          out.line(`selp.f32 ${excesses[at]}, ${lost}, ${zero}, ${isNumber};`);
          out.line(`mov.f32 ${sum}, ${next};`);
        }
        out.line(`mov.f32 ${parts[at]}, ${zero};`);
      });
    const blockLength = Math.max(this.chunk, this.wholeOf(block * tiling.split));
    const whole = this.wholeOf(length);
    const blocks = Math.floor(whole / blockLength) * blockLength;
    this.eachOuter((outer) => {
      if (blocks > 0)
        out.loop("0", String(blocks), String(blockLength), (start) => {
          this.stretch(outer, start, blockLength, parts);
          endBlock();
        });
      this.stretch(outer, String(blocks), whole - blocks, parts);
      this.rest(outer, whole, parts);
      if (blocks < length) endBlock();
    });
  }

  /** Steps that are no whole chunk for all. */
  private rest(outer: readonly string[], whole: number, sums: readonly string[]): void {
    const { out, length } = this;
    const { split } = this.tiling;
    const { member } = this.tile;
    if (whole === length) return;
    const add = (position: string) => this.multiply(this.load(this.places(outer, "0"), position, 1), 1, sums);
    if (split === 1 && length - whole < vector)
      range(length - whole).forEach((at) => out.scope(() => add(String(whole + at))));
    else out.loop(out.plus(member, whole), String(length), String(split), add);
  }

  /** Whole chunks from a position on. */
  private stretch(outer: readonly string[], start: string, length: number, sums: readonly string[]): void {
    const { out, text, chunk, tiling } = this;
    const { steps } = tiling;
    const chunks = length / chunk;
    if (chunks === 0) return;
    const { member, rotation } = this.tile;
    const places = this.places(outer, start);
    const load = (position: string, into?: Operands) => this.load(places, position, steps, into);
    const own = text.sum([
      { operand: member, factor: steps },
      ...(rotation === null ? [] : [{ operand: this.turned(rotation, chunks), factor: chunk }]),
    ]);
    const first = own.register ?? String(own.constant);
    if (isWrittenOut(chunks, tiling) && (rotation === null || chunks === 1)) {
      range(chunks).forEach((at) =>
        out.scope(() => this.multiply(load(out.plus(first, at * chunk)), steps, sums)),
      );
      return;
    }
    const next = (position: string): string => {
      const further = out.effect("add.s32", "b32", position, String(chunk));
      const isOver = out.effect("setp.ge.s32", "pred", further, String(length));
      const back = out.effect("add.s32", "b32", further, String(-length));
      return out.effect("selp.b32", "b32", back, further, isOver);
    };
    if (isWrittenOut(chunks, tiling)) {
      let position = first;
      range(chunks).forEach((at) => {
        if (at > 0) position = next(position);
        this.multiply(load(position), steps, sums);
      });
      return;
    }
    const position = out.effect("mov.u32", "b32", first);
    const { left, right } = tiling.product;
    const isNear = text.isFast(left.buffer) && text.isFast(right.buffer);
    const many = chunksAtOnce(tiling, text.threads, isNear);
    if (many === 1) {
      out.loop("0", String(chunks), "1", () => {
        this.multiply(load(position), steps, sums);
        out.line(`mov.u32 ${position}, ${next(position)};`);
      });
      return;
    }
    // Behind the last chunk the first ones are loaded again, and not used.
    const operands = range(many).map(() => this.registers());
    const advance = (into: Operands) =>
      out.scope(() => {
        load(position, into);
        out.line(`mov.u32 ${position}, ${next(position)};`);
      });
    operands.slice(1).forEach((_, at) => advance(operands[at]));
    out.loop("0", String(Math.floor(chunks / many)), "1", () =>
      operands.forEach((own, at) => {
        advance(operands[(at + many - 1) % many]);
        this.multiply(own, steps, sums);
      }),
    );
    operands.slice(0, chunks % many).forEach((own) => this.multiply(own, steps, sums));
  }

  /** Registers for the operands of a chunk. */
  private registers(): Operands {
    const { out, tiling } = this;
    const of = (lines: number) => range(lines).map(() => range(tiling.steps).map(() => out.register("f32")));
    return { left: of(tiling.rows), right: of(tiling.columns) };
  }

  /** How many chunks further a lane begins. */
  private turned(rotation: string, chunks: number): string {
    const { out } = this;
    const many = Math.min(rotations, chunks);
    return (many & (many - 1)) === 0
      ? out.pure("and.b32", "b32", rotation, String(many - 1))
      : out.pure("rem.u32", "b32", rotation, String(many));
  }

  /** Adds the products of some steps to sums. */
  private multiply({ left, right }: Operands, steps: number, sums: readonly string[]): void {
    const { tiling, out } = this;
    for (let step = 0; step < steps; step++)
      for (let row = 0; row < tiling.rows; row++)
        for (let column = 0; column < tiling.columns; column++) {
          const sum = sums[row * tiling.columns + column];
          out.line(`fma.rn.f32 ${sum}, ${left[row][step]}, ${right[column][step]}, ${sum};`);
        }
  }

  /** Where the lines of a tile begin, at a position along the depth. */
  private places(outer: readonly string[], start: string): Readonly<Record<Side, readonly Pointer[]>> {
    const { text, tile, tiling } = this;
    const { product } = tiling;
    const of = (side: Side, axes: readonly ProductAxis[], lines: readonly Line[]) => {
      const operand = product[side];
      const last = product.depth.at(-1)?.[side] ?? 0;
      return lines.map((line) => {
        const parts: Part[] = [
          ...text.partsOf(operand),
          ...product.batch.map((axis, which) => ({ operand: tile.batch[which], factor: axis[side] })),
          ...axes.map((axis, which) => ({ operand: line.positions[which], factor: axis[side] })),
          ...this.outer.map((axis, which) => ({ operand: outer[which], factor: axis[side] })),
          { operand: start, factor: last },
        ];
        return text.placeAt(operand, parts, () => tile.batch[0]);
      });
    };
    return { left: of("left", product.rows, tile.rows), right: of("right", product.columns, tile.columns) };
  }

  /** The operands of some steps, in new registers or in given ones. */
  private load(
    places: Readonly<Record<Side, readonly Pointer[]>>,
    position: string,
    steps: number,
    into?: Operands,
  ): Operands {
    const { tiling } = this;
    const of = (side: Side, isAlongLines: boolean): readonly (readonly string[])[] =>
      this.loadSide(side, places[side], position, steps, isAlongLines, into?.[side]);
    return { left: of("left", tiling.left === "rows"), right: of("right", tiling.right === "columns") };
  }

  private loadSide(
    side: Side,
    places: readonly Pointer[],
    position: string,
    steps: number,
    isAlongLines: boolean,
    into: readonly (readonly string[])[] | undefined,
  ): readonly (readonly string[])[] {
    const { text, out, tiling } = this;
    const stride = 4 * (tiling.product.depth.at(-1)?.[side] ?? 0);
    const found = into ?? places.map(() => range(steps).map(() => out.register("f32")));
    const wide = (pointer: Pointer, registers: readonly string[], further: number) => {
      const { space, text: address } = text.at(text.moved(pointer, position, stride), further);
      out.line(`ld.${space}.v4.f32 {${registers.join(", ")}}, ${address};`);
    };
    if (tiling[side] === "depth" && steps === vector) {
      places.forEach((pointer, line) => wide(pointer, found[line], 0));
      return found;
    }
    for (let step = 0; step < steps; step++) {
      if (isAlongLines) {
        for (let line = 0; line < places.length; line += vector)
          wide(
            places[line],
            found.slice(line, line + vector).map((registers) => registers[step]),
            step * stride,
          );
      } else
        places.forEach((pointer, line) => {
          const { space, text: address } = text.at(text.moved(pointer, position, stride), step * stride);
          out.line(`ld.${space}.f32 ${found[line][step]}, ${address};`);
        });
    }
    return found;
  }
}

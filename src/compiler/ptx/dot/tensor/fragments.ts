// What lanes hand in to tensor cores: elements of the lines of their octets, as TF32.
import type { KernelText, Pointer } from "../../surroundings.js";
import { literal } from "../../text.js";
import { linesAt, range } from "../lines.js";
import {
  axesOf,
  besideOf,
  groupLanes,
  linesApart,
  octet,
  octetsOf,
  spanOf,
  tilesAlong,
  type Side,
  type TensorTiling,
} from "./layout.js";
import { extentOf } from "../../../schedule/product.js";

/**
 * Tensor cores drop all but 10 bits of a fraction, which takes 2^-11 from it on the average. A number times this is right on
 * the average, if its first digits are as those of numbers are, and one with no more bits stays what it is. (to round them
 * exactly takes several times as long)
 */
const rounding = literal(1 + Math.LN2 / 2 ** 11, "float32");

/** Where a lane is. */
export interface Lane {
  readonly group: string;
  readonly place: string;
}

/** What of a product a warp works on: positions along its batch axes, and the number of its tile along rows and columns. */
export interface WarpTile {
  readonly batch: readonly string[];
  readonly left: string;
  readonly right: string;
}

/** Of each octet what the lane has of some steps, as words for the instruction: two of them are for one instruction. */
export type Fragments = readonly (readonly string[])[];

/** One side of a product, as a lane reads it. */
export class Operand {
  private readonly octets: number;
  private readonly beside: number;
  private readonly turns: number;
  /** Steps that a group has at a time. */
  private readonly span: number;
  private readonly pointers: readonly (readonly Pointer[])[];
  /** Bytes from step to step. */
  private readonly stride: number;

  constructor(
    private readonly text: KernelText,
    private readonly tiling: TensorTiling,
    private readonly side: Side,
    private readonly tile: WarpTile,
    private readonly lane: Lane,
    outer: readonly string[],
  ) {
    const { product } = tiling;
    this.octets = octetsOf(tiling, side);
    this.beside = besideOf(tiling, side);
    this.turns = tiling[side].turns;
    this.span = spanOf(tiling);
    this.stride = 4 * (product.depth.at(-1)?.[side] ?? 0);
    this.pointers = range(this.octets).map((which) =>
      tiling[side].isAlong
        ? range(this.turns).map((turn) =>
            this.pointer(which, String(which % this.beside), this.stepOf(turn), outer),
          )
        : [this.pointer(which, this.octetAt(which), this.ownStep(), outer)],
    );
  }

  private get out() {
    return this.text.out;
  }

  /** A number that is the turn's, plus the lane's, going round. */
  private turned(turn: number, own: string): string {
    const { out } = this;
    return out.pure("and.b32", "b32", out.plus(own, turn), String(this.turns - 1));
  }

  /** Which of the octets that lie together a lane reads as the one of a number. */
  private octetAt(which: number): string {
    const inner = which % this.beside;
    return this.turns === 1 ? String(inner) : this.turned(inner, this.lane.place);
  }

  /** The first step of a lane, of those that are loaded at a time. */
  private ownStep(): string {
    const { adjacent } = this.tiling;
    return this.out.pure("mul.lo.s32", "b32", this.lane.place, String(adjacent));
  }

  /** The first step that a lane reads in a turn. */
  private stepOf(turn: number): string {
    const { out, lane, turns, span } = this;
    const own = this.ownStep();
    if (turns === 1) return own;
    return out.pure("mad.lo.s32", "b32", this.turned(turn, lane.group), String(span), own);
  }

  private pointer(which: number, inner: string, step: string, outer: readonly string[]): Pointer {
    const { text, out, tiling, side, lane, tile, beside } = this;
    const { product } = tiling;
    const axes = axesOf(tiling, side);
    const { octets, pairs } = linesApart(tiling, side);
    const sum = text.sum([
      { operand: tile[side], factor: octet * this.octets },
      { operand: lane.group, factor: 1 },
      ...(pairs === 2 ? [] : [{ operand: out.pure("shr.u32", "b32", lane.group, "1"), factor: pairs - 2 }]),
      { operand: inner, factor: octets },
    ]);
    const before = octet * beside * Math.floor(which / beside) + sum.constant;
    const first = sum.register === null ? String(before) : out.plus(sum.register, before);
    const isWhole = extentOf(axes) === tilesAlong(tiling, side) * octet * this.octets;
    const [{ positions }] = linesAt(text, first, [0], axes, { isWhole });
    const operand = product[side];
    const parts = [
      ...text.partsOf(operand),
      ...product.batch.map((axis, at) => ({ operand: tile.batch[at], factor: axis[side] })),
      ...axes.map((axis, at) => ({ operand: positions[at], factor: axis[side] })),
      ...product.depth.slice(0, -1).map((axis, at) => ({ operand: outer[at], factor: axis[side] })),
      { operand: step, factor: product.depth.at(-1)?.[side] ?? 0 },
    ];
    return text.placeAt(operand, parts, () => tile.batch[0]);
  }

  /** What the lane has of the steps from a position on, of which there are no more than so many. */
  load(position: string, steps: number): Fragments {
    const { text, out, tiling, side } = this;
    const places = this.pointers.map((own) => own.map((one) => text.moved(one, position, this.stride)));
    const read = tiling[side].isAlong ? places.map((own) => this.vectors(own)) : this.singles(places, steps);
    return read.map((values) => values.map((value) => out.effect("mul.f32", "b32", value, rounding)));
  }

  private vectors(places: readonly Pointer[]): string[] {
    const { text, out, lane, tiling, span, turns } = this;
    const { adjacent } = tiling;
    return range(tiling.steps / (span * turns)).flatMap((behind) => {
      const read = places.map((place) => {
        const registers = range(adjacent).map(() => out.register("f32"));
        const { space, text: address } = text.at(place, behind * span * turns * this.stride);
        out.line(`ld.${space}.v${adjacent}.f32 {${registers.join(", ")}}, ${address};`);
        return registers;
      });
      const columns = range(adjacent).map((at) =>
        this.inOrder(
          read.map((vector) => vector[at]),
          lane.group,
        ),
      );
      return range(turns).flatMap((turn) => columns.map((column) => column[turn]));
    });
  }

  private singles(places: readonly (readonly Pointer[])[], steps: number): string[][] {
    const { out, text, tiling, lane, beside, span } = this;
    const { adjacent } = tiling;
    const offsets = range(Math.ceil(Math.min(steps, tiling.steps) / span)).flatMap((behind) =>
      range(adjacent).map((at) => behind * span + at),
    );
    const read = places.map(([place]) =>
      offsets.map((offset) => {
        const isPartly = adjacent === 1 && offset + groupLanes > steps;
        const isThere = isPartly ? out.pure("setp.lt.s32", "pred", lane.place, String(steps - offset)) : null;
        return text.load(text.at(place, offset * this.stride), "float32", isThere);
      }),
    );
    if (this.turns === 1) return read;
    return range(read.length).map((which) => {
      const first = which - (which % beside);
      return offsets.map(
        (_, at) =>
          this.inOrder(
            range(beside).map((inner) => read[first + inner][at]),
            lane.place,
          )[which % beside],
      );
    });
  }

  /** What was read in turns, each lane's from its own one on, as what it is. */
  private inOrder(read: readonly string[], own: string): readonly string[] {
    const { out, turns } = this;
    let found = read;
    for (let power = 1; power < turns; power *= 2) {
      const bit = out.pure("and.b32", "b32", own, String(power));
      const isLater = out.pure("setp.ne.u32", "pred", bit, "0");
      const before = found;
      found = before.map((value, at) =>
        out.pure("selp.f32", "f32", before[(at + turns - power) % turns], value, isLater),
      );
    }
    return found;
  }
}

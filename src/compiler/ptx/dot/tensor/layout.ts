// How a warp's tile of a product lies in tensor cores: which rows, columns and steps of depth each lane hands in and gets.
//
// Their instruction multiplies 16 rows by 8 columns over 8 steps of depth, or 4. Lines (rows or columns) come in octets.
// The lanes of a group have the same line of each octet, and each lane of it other steps, by its place there. Which line
// and which step that is, is free as long as both operands agree on the steps.
import { extentOf, type Product, type ProductAxis } from "../../../schedule/product.js";
import { lanesOfWarp } from "../../types.js";
import { placeRegisters, vector } from "../layout.js";

/** Whether so many chunks are written out one after the other: loads of one then go along with products of another. */
export const isWrittenOut = (chunks: number, { isShort }: Pick<TensorTiling, "isShort">): boolean =>
  chunks <= (isShort ? 2 : 4);

/** Lines of an octet, and steps of depth of an instruction. */
export const octet = 8;
/** Lanes of a group. */
export const groupLanes = 4;

export type Side = "left" | "right";

/**
 * How lanes read the lines of an operand: elements one by one, or all of its steps that lie side by side with one load. So
 * many times they read what others do at another time, each from its own one on, so that they meet different banks: lanes
 * of other places other octets, or those of other groups other steps. 1 is for all alike.
 */
export interface Reading {
  readonly isAlong: boolean;
  readonly turns: number;
}

export interface TensorTiling {
  readonly kind: "tensor";
  readonly product: Product;
  /** Octets of rows and of columns that a warp's tile has. */
  readonly rows: number;
  readonly columns: number;
  /** Columns of so many octets alternate, so that each lane gets twice as many sums that lie side by side. */
  readonly beside: number;
  readonly left: Reading;
  readonly right: Reading;
  /** How many steps of a lane lie side by side: 1, 2 or 4. Behind them come those of the other lanes of its group. */
  readonly adjacent: number;
  /** Steps of depth that are loaded at a time. */
  readonly steps: number;
  /** Sums that are kept apart until the end, so that an instruction need not wait for the one before. */
  readonly chains: number;
  /** Whether the code should be short rather than save instructions. */
  readonly isShort: boolean;
}

export const sides = ["left", "right"] as const satisfies readonly Side[];

export const axesOf = ({ product }: Pick<TensorTiling, "product">, side: Side): readonly ProductAxis[] =>
  side === "left" ? product.rows : product.columns;

export const octetsOf = ({ rows, columns }: TensorTiling, side: Side): number =>
  side === "left" ? rows : columns;

/** Tiles along rows, or columns. */
export const tilesAlong = (tiling: TensorTiling, side: Side): number =>
  Math.ceil(extentOf(axesOf(tiling, side)) / (octet * octetsOf(tiling, side)));

/** Octets of a tile whose lines lie together, and take turns where any do. */
export const besideOf = (tiling: TensorTiling, side: Side): number =>
  side === "right" ? tiling.beside : tiling.left.isAlong ? 1 : tiling.left.turns;

/** How many sums of a lane lie side by side, and are loaded and stored with one instruction where that can be. */
export const widthOf = ({ beside }: Pick<TensorTiling, "beside">): number => Math.min(vector, 2 * beside);

/** Steps that the lanes of a group have if each of them has those that lie side by side. */
export const spanOf = ({ adjacent }: Pick<TensorTiling, "adjacent">): number => adjacent * groupLanes;

/** The lanes of a warp, by their groups and their places there. */
export const lanes = Array.from({ length: lanesOfWarp }, (_, lane) => ({
  group: Math.floor(lane / groupLanes),
  place: lane % groupLanes,
}));

/** How many lines further a line is, of octets that lie together, for each octet before its own and for each group. */
export const linesApart = (tiling: TensorTiling, side: Side) =>
  side === "left" ? { octets: octet, pairs: 2 } : { octets: 2, pairs: 2 * besideOf(tiling, side) };

/** The line of a group in an octet, from the first of the octets on that lie together. */
export function lineOf(tiling: TensorTiling, side: Side, inner: number, group: number): number {
  const { octets, pairs } = linesApart(tiling, side);
  return octets * inner + pairs * Math.floor(group / 2) + (group % 2);
}

/** Registers that sums and the operands of all chunks that are written out take, and some for places. */
export function tensorRegisters(tiling: TensorTiling): number {
  const { product, rows, columns, chains, steps } = tiling;
  const chunks = Math.ceil((product.depth.at(-1)?.extent ?? 1) / steps);
  const together = isWrittenOut(chunks, tiling) ? chunks : 1;
  const ofOctets = octet / lanesOfWarp;
  return (
    octet * ofOctets * rows * columns * chains +
    together * steps * ofOctets * (rows + columns) +
    placeRegisters
  );
}

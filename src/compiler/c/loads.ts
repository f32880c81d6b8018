// Loads: in order, spread out, the same for all lanes, or anywhere.
import type { Address, Expression } from "../kernel.js";
import { isByte, letterOf, splat, typeOf, type Width } from "./types.js";
import type { Values } from "./values.js";

/** Elements between neighbours of a vector. */
export const strideOf = ({ strides }: Address, { points }: Values): number =>
  points.axis === null ? 0 : (strides[points.axis] ?? 0);

/** Whether neighbours of a vector lie wherever they were computed to. */
export const isScattered = ({ computed }: Address, { points }: Values): boolean =>
  computed.some(({ index }) => !points.isUniform(index));

/** The place of one of the points, as a number of elements; the first is 0. */
export function placeText(address: Address, values: Values, lane: string | number = 0): string {
  const { strides, computed } = address;
  const { points, kernel } = values;
  return kernel.offset(address, [
    ...strides.flatMap((factor, axis) => {
      const text = factor === 0 ? null : points.position(axis);
      return text === null ? [] : [{ text, factor }];
    }),
    ...(lane === 0 ? [] : [{ text: String(lane), factor: strideOf(address, values) }]),
    ...computed.map(({ index: at, stride }) => ({ text: `(long)${values.lane(at, lane)}`, factor: stride })),
  ]);
}

type Load = Extract<Expression, { kind: "load" }>;

/** A load as C, of so many elements. */
export function loadText(values: Values, { address, dtype }: Load, width: Width): string {
  const pointer = values.kernel.pointer(address.buffer);
  const element = (lane: string | number) => {
    const text = `${pointer}[${placeText(address, values, lane)}]`;
    return dtype === "bool" ? `-(int)(${text} != 0)` : text;
  };
  if (width === 1) return element(0);
  if (isScattered(address, values) || strideOf(address, values) !== 1) {
    const lanes = Array.from({ length: width }, (_, lane) => element(lane));
    return `(${typeOf(dtype, width)}){${lanes.join(", ")}}`;
  }
  const place = `${pointer} + ${placeText(address, values)}`;
  if (!isByte(dtype)) return `*(const v${letterOf(dtype)}${width}u *)(${place})`;
  const bytes = `__builtin_convertvector(*(const vb${width}u *)(${place}), ${typeOf(dtype, width)})`;
  return dtype === "bool" ? `(vi${width})(${bytes} != ${splat("0", "int32", width)})` : bytes;
}

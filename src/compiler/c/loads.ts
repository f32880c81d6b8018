// Loads: in order, spread out, the same for all lanes, or anywhere.
import type { DType } from "../../array/index.js";
import type { Address, Load } from "../kernel.js";
import { isByte, letterOf, literal, splat, typeOf, type Width } from "./types.js";
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

/** A load as C, of so many elements; where its guard does not hold nothing is read. */
export function loadText(values: Values, { address, dtype, guard }: Load, width: Width): string {
  if (guard === null) return unguarded(values, address, dtype, width);
  const zero = splat(literal(0, dtype), dtype, width);
  const { points } = values;
  if (width === 1 || points.isUniform(guard))
    return `${values.read(guard, 1)} ? ${unguarded(values, address, dtype, width)} : ${zero}`;
  // Most vectors lie inside as a whole.
  const pointer = values.kernel.pointer(address.buffer);
  const lanes = Array.from({ length: width }, (_, lane) => {
    const element = elementText(`${pointer}[${placeText(address, values, lane)}]`, dtype);
    return `${values.lane(guard, lane)} ? ${element} : ${literal(0, dtype)}`;
  });
  const some = `(${typeOf(dtype, width)}){${lanes.join(", ")}}`;
  return `allOf${width}i(${values.read(guard)}) ? ${unguarded(values, address, dtype, width)} : ${some}`;
}

/** An element of memory as a value. */
export const elementText = (place: string, dtype: DType): string =>
  dtype === "bool" ? `-(int)(${place} != 0)` : place;

function unguarded(values: Values, address: Address, dtype: DType, width: Width): string {
  const pointer = values.kernel.pointer(address.buffer);
  const element = (lane: string | number) =>
    elementText(`${pointer}[${placeText(address, values, lane)}]`, dtype);
  if (width === 1) return element(0);
  if (isScattered(address, values) || strideOf(address, values) !== 1) {
    const lanes = Array.from({ length: width }, (_, lane) => element(lane));
    return `(${typeOf(dtype, width)}){${lanes.join(", ")}}`;
  }
  const place = `${pointer} + ${placeText(address, values)}`;
  if (!isByte(dtype)) return `(${typeOf(dtype, width)})*(const v${letterOf(dtype)}${width}u *)(${place})`;
  const bytes = `__builtin_convertvector(*(const vb${width}u *)(${place}), ${typeOf(dtype, width)})`;
  return dtype === "bool" ? `(vi${width})(${bytes} != ${splat("0", "int32", width)})` : bytes;
}

// Stores: of vectors in order, or element by element where they go their own ways.
import type { DType } from "../../array/index.js";
import type { Combine, Store } from "../kernel.js";
import { rootsOf } from "../walk.js";
import { elementText, isScattered, placeText, strideOf } from "./loads.js";
import { rowsOf, wholeRows } from "./neighbours.js";
import { operationText } from "./operations.js";
import { isByte, letterOf, memoryType, splat, typeOf, type Width } from "./types.js";
import type { Values } from "./values.js";

/** Writes stores; all values are computed before the first is stored, for stores may overwrite what others read. */
export function writeStores(stores: readonly Store[], values: Values): void {
  values.compute(rootsOf(stores));
  const rows = values.points.width === 1 ? [] : rowsIn(stores, values);
  for (const row of rows) writeRow(row, values);
  const done = new Set(rows.flat());
  for (const store of stores) if (!done.has(store)) writeStore(store, values);
}

/** Stores that fill whole rows; those of one place twice would depend on their order. */
const rowsIn = (stores: readonly Store[], values: Values): Store[][] =>
  wholeRows(
    stores.filter(
      ({ combine, guard, address }) => combine === "set" && guard === null && address.computed.length === 0,
    ),
    ({ address }) => address,
    (address) => strideOf(address, values),
  );

function writeRow(row: readonly Store[], values: Values): void {
  const { out } = values.kernel;
  const { width } = values.points;
  const [{ address }] = row;
  const { dtype } = address.buffer;
  const place = `${values.kernel.pointer(address.buffer)} + ${placeText(address, values)}`;
  const columns = row.map(({ value }) => values.read(value));
  rowsOf(out, dtype, width, columns).forEach((name, at) =>
    out.line(`*(${typeOf(dtype, width)}u *)(${place} + ${at * width}) = ${name};`),
  );
}

function writeStore(store: Store, values: Values): void {
  const { address, value, combine, guard } = store;
  const { points, kernel } = values;
  const { out } = kernel;
  const { width } = points;
  const pointer = kernel.pointer(address.buffer);
  const { dtype } = address.buffer;
  const isUniformGuard = guard === null || points.isUniform(guard);
  const write = () => {
    const text = `${pointer}[${placeText(address, values)}]`;
    if (width === 1) {
      out.line(
        `${text} = ${stored(combined(combine, elementText(text, dtype), values.read(value), dtype, 1), dtype)};`,
      );
    } else if (strideOf(address, values) === 1) writeVector(store, values);
    else {
      for (let lane = 0; lane < width; lane++) {
        const place = `${pointer}[${placeText(address, values, lane)}]`;
        out.line(
          `${place} = ${stored(combined(combine, elementText(place, dtype), values.lane(value, lane), dtype, 1), dtype)};`,
        );
      }
    }
  };
  const goTheirOwnWays = width > 1 && (isScattered(address, values) || !isUniformGuard);
  if (goTheirOwnWays) writeOneByOne(store, values);
  else if (guard === null) write();
  else out.block(`if (${values.read(guard, 1)})`, write);
}

function writeVector({ address, value, combine }: Store, values: Values): void {
  const { out } = values.kernel;
  const { width } = values.points;
  const { dtype } = address.buffer;
  const place = `${values.kernel.pointer(address.buffer)} + ${placeText(address, values)}`;
  const letter = isByte(dtype) ? "b" : letterOf(dtype);
  const target = `*(v${letter}${width}u *)(${place})`;
  if (!isByte(dtype)) {
    out.line(`${target} = ${combined(combine, target, values.read(value), dtype, width)};`);
    return;
  }
  const wide = `v${letterOf(dtype)}${width}`;
  const there = `__builtin_convertvector(${target}, ${wide})`;
  const before = dtype === "bool" ? `(vi${width})(${there} != ${splat("0", "int32", width)})` : there;
  const result = combined(combine, before, values.read(value), dtype, width);
  const bits = dtype === "bool" ? `(${result} & ${splat("1", "int32", width)})` : result;
  out.line(`${target} = __builtin_convertvector(${bits}, vb${width});`);
}

/** Element after element, each where it wants to go, in order. */
function writeOneByOne({ address, value, combine, guard }: Store, values: Values): void {
  const { out } = values.kernel;
  const { width } = values.points;
  const { dtype } = address.buffer;
  out.block(`for (int lane = 0; lane < ${width}; ++lane)`, () => {
    const condition = guard === null ? "" : `if (${values.lane(guard, "lane")}) `;
    const place = `${values.kernel.pointer(address.buffer)}[${placeText(address, values, "lane")}]`;
    const result = combined(combine, elementText(place, dtype), values.lane(value, "lane"), dtype, 1);
    out.line(`${condition}${place} = ${stored(result, dtype)};`);
  });
}

/** A value as an element of memory. */
const stored = (value: string, dtype: DType): string =>
  isByte(dtype) ? `(${memoryType(dtype)})(${dtype === "bool" ? `(${value}) & 1` : value})` : value;

const operationsOf = { add: "add", mul: "mul", min: "min", max: "max" } as const;

/** What is there, met by a value. */
function combined(combine: Combine, there: string, value: string, dtype: DType, width: Width): string {
  if (combine === "set") return value;
  const ofMasks = combine === "add" || combine === "max" ? "or" : "and";
  const name = dtype === "bool" ? ofMasks : operationsOf[combine];
  const operand = (text: string) => ({ text, dtype, constant: null });
  return operationText(name, { dtype, inputs: [operand(there), operand(value)], width }) ?? value;
}

// Kernels that nothing is fused with: sorting, and handing values to the host.
import { sizeOf, type DebugPrintParams, type Equation, type SortParams } from "../../array/index.js";
import type { RegionBuilder } from "./builder.js";
import { placeAt } from "./shared.js";

export function addSort(builder: RegionBuilder, { inputs, outputs, params }: Equation): void {
  const { axis, keys } = params as SortParams;
  const { shape } = outputs[0].type;
  const size = sizeOf(shape);
  const length = shape[axis];
  const stride = sizeOf(shape.slice(axis + 1));
  const from = inputs.map((input) => builder.operandPlace(input));
  const values = outputs.flatMap((output, index) =>
    builder.isNeeded(output) ? [{ from: from[index], to: builder.placeOf(output) }] : [],
  );
  if (size === 0) return;
  if (length === 1) {
    values.forEach((value) => builder.copy(value.from, value.to, size));
    return;
  }
  builder.push({
    kind: "sort",
    name: "sort",
    lanes: size / length,
    length,
    stride,
    outer: length * stride,
    keys: from.slice(0, keys),
    values,
  });
}

export function addPrint(builder: RegionBuilder, { inputs, params }: Equation): void {
  const { shared } = builder;
  const operands = inputs.map((input) => {
    const place = builder.operandPlace(input);
    if (place.counters.length === 0) return place;
    // The host knows nothing of loop counters.
    const size = sizeOf(input.type.shape);
    const fixed = placeAt(shared.buffer(input.type.dtype, size, "printed"));
    builder.copy(place, fixed, size);
    return fixed;
  });
  const values = operands.map((place, index) => ({ place, shape: inputs[index].type.shape }));
  const message = shared.messages.push({ params: params as DebugPrintParams, values }) - 1;
  builder.push({ kind: "print", name: "print", message, operands });
}

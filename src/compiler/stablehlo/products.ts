// Sums of products.
import type { DotParams, MatmulPrecision } from "../../array/index.js";
import { isFloating, rules } from "./rule.js";
import { showList, tensor } from "./types.js";

const pair = (name: string, [left, right]: readonly [readonly number[], readonly number[]]): string =>
  `${name} = ${showList(left)} x ${showList(right)}`;

const precisions: Readonly<Record<MatmulPrecision, string>> = {
  default: "DEFAULT",
  tf32: "HIGH",
  high: "HIGH",
  highest: "HIGHEST",
};

export const products = rules({
  dot: ({ writer, matmulPrecision }, { params, outputs: [output] }, operands) => {
    const { contract, batch } = params as DotParams;
    const { dtype, shape } = output.type;
    // Integers of all dtypes have the same last bits in int32, which every machine multiplies.
    const computed = isFloating(dtype) ? dtype : "int32";
    const [x, y] = operands.map((operand) => writer.convert(operand, computed));
    const precision = precisions[matmulPrecision];
    const details = [
      ...(batch[0].length > 0 ? [pair("batching_dims", batch)] : []),
      pair("contracting_dims", contract),
      ...(isFloating(dtype) ? [`precision = [${precision}, ${precision}]`] : []),
    ];
    const product = writer.op("dot_general", [x, y], tensor(shape, computed), details.join(", "));
    return [writer.convert(product, dtype)];
  },
});

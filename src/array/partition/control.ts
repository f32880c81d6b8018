// Loops and branches on blocks: all devices go through them together, so what they decide by is whole everywhere.
import type { Array } from "../core/array.js";
import { cond, type CondParams } from "../control/cond.js";
import { scan } from "../control/scan.js";
import { scanRoles, type ScanParams } from "../control/scanParams.js";
import { whileLoop, type WhileParams } from "../control/while.js";
import type { Equation, Program } from "../core/program.js";
import { bind } from "../core/trace.js";
import type { Layout } from "../sharding/axes.js";
import type { Lowering, Placed, Read } from "./lowering.js";

const names = new Set(["scan", "while", "cond"]);

export const isControl = ({ primitive }: Equation): boolean => names.has(primitive.name);

export function lowerControl(equation: Equation, read: Read, lowering: Lowering): Placed[] {
  switch (equation.primitive.name) {
    case "scan":
      return lowerScan(equation, read, lowering);
    case "while":
      return lowerWhile(equation, read, lowering);
    default:
      return lowerCond(equation, read, lowering);
  }
}

const stacked = (layout: Layout): Layout => [[], ...layout];

const place = (blocks: readonly Array[], layouts: readonly Layout[]): Placed[] =>
  blocks.map((block, at) => ({ block, layout: layouts[at] }));

function lowerScan({ inputs, params }: Equation, read: Read, lowering: Lowering): Placed[] {
  const loop = params as ScanParams;
  const { body, constants, carries } = loop;
  const inner = body.inputs.map((input) => lowering.layouts.of(input));
  const [, carry] = scanRoles(inner, loop);
  const inOutputs = body.outputs.map((output, at) => carry[at] ?? lowering.layouts.ofAtom(output));
  const results = bind(
    scan,
    inputs.map((input, at) => read(input, at < constants + carries ? inner[at] : stacked(inner[at]))),
    { ...loop, body: lowering.lower(body, inner, inOutputs) },
  );
  return place(
    results,
    inOutputs.map((layout, at) => (at < carries ? layout : stacked(layout))),
  );
}

function lowerWhile({ inputs, params }: Equation, read: Read, lowering: Lowering): Placed[] {
  const loop = params as WhileParams;
  const { test, body, testConstants, bodyConstants } = loop;
  const own = (program: Program): Layout[] => program.inputs.map((input) => lowering.layouts.of(input));
  const inBody = own(body);
  const carry = inBody.slice(bodyConstants);
  const inTest = [...own(test).slice(0, testConstants), ...carry];
  const wanted = [...inTest.slice(0, testConstants), ...inBody];
  const results = bind(
    whileLoop,
    inputs.map((input, at) => read(input, wanted[at])),
    {
      ...loop,
      test: lowering.lower(test, inTest, [[]]),
      body: lowering.lower(body, inBody, carry),
    },
  );
  return place(results, carry);
}

function lowerCond({ inputs, params, outputs }: Equation, read: Read, lowering: Lowering): Placed[] {
  const { branches } = params as CondParams;
  const [index, ...operands] = inputs;
  const inOperands = operands.map((operand) => lowering.layouts.ofAtom(operand));
  const inOutputs = outputs.map((output) => lowering.layouts.of(output));
  const results = bind(
    cond,
    [read(index, []), ...operands.map((operand, at) => read(operand, inOperands[at]))],
    {
      branches: branches.map((branch) => lowering.lower(branch, inOperands, inOutputs)),
    },
  );
  return place(results, inOutputs);
}

// The fused program as text: control flow indented, one line per store or temporary.
import type {
  DotKernel,
  DotOperand,
  ExchangeKernel,
  Kernel,
  LoopKernel,
  Pull,
  SortKernel,
  Step,
  Store,
} from "../kernel.js";
import { reductionRoots, rootsOf } from "../walk.js";
import { ExpressionWriter } from "./expressions.js";
import { axisName, buffersIn, counterName, nameBuffers, showPlace, type Naming } from "./names.js";

/** A readable listing of fused steps. */
export function showSteps(steps: readonly Step[]): string {
  return `${showList(steps, nameBuffers(buffersIn(steps))).join("\n")}\n`;
}

const indented = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`);

const showList = (steps: readonly Step[], name: Naming): string[] =>
  steps.length === 0 ? ["nothing"] : steps.flatMap((step) => showStep(step, name));

function showStep(step: Step, name: Naming): string[] {
  const inner = (steps: readonly Step[]) => indented(showList(steps, name));
  switch (step.kind) {
    case "kernel":
      return showKernel(step.kernel, name);
    case "loop": {
      const direction = step.reverse ? " backwards" : "";
      return [`for ${counterName(step.counter)} < ${step.counter.length}${direction}:`, ...inner(step.body)];
    }
    case "while":
      return [
        "while:",
        ...inner(step.test),
        `  leave unless ${showPlace(step.predicate, name)}`,
        ...inner(step.body),
      ];
    case "branch":
      return [
        `branch on ${showPlace(step.index, name)}:`,
        ...step.cases.flatMap((steps, index) => [`  case ${index}:`, ...indented(inner(steps))]),
      ];
  }
}

function showKernel(kernel: Kernel, name: Naming): string[] {
  switch (kernel.kind) {
    case "loop":
      return showLoop(kernel, name);
    case "dot":
      return showDot(kernel, name);
    case "sort":
      return [showSort(kernel, name)];
    case "copy":
      return [
        `${titleOf(kernel)} ${showPlace(kernel.to, name)} <- ${showPlace(kernel.from, name)}, ` +
          countOf(kernel.size, "element"),
      ];
    case "print":
      return [
        `${titleOf(kernel)} message ${kernel.message}` +
          kernel.operands.map((place) => ` ${showPlace(place, name)}`).join(),
      ];
    case "exchange":
      return showExchange(kernel, name);
    case "axisIndex":
      return [`${kernel.name} ${showPlace(kernel.to, name)} = place along ${kernel.axes.join(", ")}`];
  }
}

/** What a kernel is and what it is called, if that says more. */
const titleOf = ({ kind, name }: Kernel): string => (kind === name ? kind : `${kind} ${name}:`);

const countOf = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** [i < 64, j < 32] */
const showAxes = (extents: readonly number[], first = 0): string =>
  `[${extents.map((extent, axis) => `${axisName(first + axis)} < ${extent}`).join(", ")}]`;

const orders = { free: "", collides: " colliding", lastWins: " in order" } as const;

const combines = { set: "=", add: "+=", mul: "*=", min: "min=", max: "max=" } as const;

/** A store, below the temporaries that it needs. */
function showStore({ address, value, combine, guard }: Store, write: ExpressionWriter): string[] {
  const line =
    `${write.address(address)} ${combines[combine]} ${write.value(value)}` +
    (guard === null ? "" : ` if ${write.value(guard)}`);
  return [...write.temporaries(), line];
}

function showLoop(kernel: LoopKernel, name: Naming): string[] {
  const { extents, outer, body, reductions, after, order } = kernel;
  const names = reductions.map(({ operation }, index) => `${operation}${index}`);
  const roots = [...rootsOf(body), ...reductionRoots(kernel), ...rootsOf(after)];
  const write = new ExpressionWriter(name, extents, names, roots);
  const over = extents.slice(outer).map((_, axis) => axisName(outer + axis));
  const header =
    `loop ${kernel.name} ${showAxes(extents.slice(0, outer))}` +
    (over.length === 0 ? "" : ` reduced ${showAxes(extents.slice(outer), outer)}`) +
    orders[order];
  const lines = [
    ...body.flatMap((store) => showStore(store, write)),
    ...reductions.flatMap(({ operation, value, position }, index) => {
      const at = position === null ? "" : ` at ${write.value(position)}`;
      const line = `${names[index]} = ${operation} over ${over.join(", ")} of ${write.value(value)}${at}`;
      return [...write.temporaries(), line];
    }),
    ...after.flatMap((store) => showStore(store, write)),
  ];
  return [header, ...indented(lines)];
}

function showDot(kernel: DotKernel, name: Naming): string[] {
  const { batch, rows, columns, depth, left, right, stores } = kernel;
  const none = (extents: readonly number[]) => extents.map(() => 0);
  const points = [...batch, ...rows, ...columns];
  const write = new ExpressionWriter(name, [...points, ...depth], ["sum0"], rootsOf(stores));
  const lefts = [...left.batch, ...left.free, ...none(columns), ...left.depth];
  const rights = [...right.batch, ...none(rows), ...right.free, ...right.depth];
  const factor = (operand: DotOperand, strides: readonly number[]): string =>
    write.address({ ...operand, strides, computed: [] });
  const product = `${factor(left, lefts)} * ${factor(right, rights)}`;
  const over = depth.map((_, axis) => axisName(points.length + axis)).join(", ");
  const header =
    `dot ${kernel.name} ` +
    (batch.length === 0 ? "" : `batch ${showAxes(batch)} `) +
    `rows ${showAxes(rows, batch.length)} columns ${showAxes(columns, batch.length + rows.length)} ` +
    `depth ${showAxes(depth, points.length)}`;
  const lines = [
    `left ${showStrides(left, "rows")}`,
    `right ${showStrides(right, "columns")}`,
    ...write.temporaries(),
    `sum0 = sum over ${over} of ${product}`,
    ...stores.flatMap((store) => showStore(store, write)),
  ];
  return [header, ...indented(lines)];
}

/** How far apart neighbours along the axes of an operand lie. */
const showStrides = ({ batch, free, depth }: DotOperand, own: string): string =>
  `strides: ${batch.length === 0 ? "" : `batch [${batch.join(", ")}] `}${own} [${free.join(", ")}] ` +
  `depth [${depth.join(", ")}]`;

function showSort(kernel: SortKernel, name: Naming): string {
  const { lanes, length, stride, outer, keys, values } = kernel;
  return (
    `${titleOf(kernel)} ${countOf(lanes, "lane")} of ${countOf(length, "element")} ` +
    `(stride ${stride}, outer ${outer}) by ${keys.map((key) => showPlace(key, name)).join(", ")}: ` +
    values
      .map(
        ({ from, to }) => `${showPlace(to, name)} <- ${from === null ? "positions" : showPlace(from, name)}`,
      )
      .join(", ")
  );
}

function showExchange({ name: title, axes, combine, pairs, pulls }: ExchangeKernel, name: Naming): string[] {
  const how = combine === null ? "" : ` combined by ${combine}`;
  const who = pairs === null ? "" : ` from ${pairs.map(([from, to]) => `${from} to ${to}`).join(", ")}`;
  const moved = ({ from, to, extents, perReceiver, perSender }: Pull): string =>
    `${showPlace(to, name)} <- ${showPlace(from, name)}, [${extents.join(", ")}]` +
    (perReceiver === 0 ? "" : `, ${perReceiver} further per receiver`) +
    (perSender === 0 ? "" : `, ${perSender} further per sender`);
  return [`exchange ${title} along ${axes.join(", ")}${how}${who}`, ...indented(pulls.map(moved))];
}

// A Program as a module of StableHLO: its equations one after the other, loops and branches as regions.
import {
  typesOf,
  type Atom,
  type Layout,
  type MatmulPrecision,
  type NamedAxis,
  type Program,
  type Variable,
} from "../../array/index.js";
import { simplifyProgram } from "../simplify/simplify.js";
import { PrintLog, type LoggedMessage } from "./printing.js";
import type { Context } from "./rule.js";
import { shardingAttribute } from "./shardings.js";
import { ruleOf } from "./table.js";
import { sameType, tensorOf } from "./types.js";
import { functionLines, Writer, type Value } from "./writer.js";

export interface StablehloOptions {
  /** What the module is called. */
  readonly name: string;
  /** Which inputs may be overwritten by results. */
  readonly donated: readonly boolean[];
  readonly matmulPrecision?: MatmulPrecision;
  /** For programs that several devices run together: how these are arranged, and how inputs and outputs lie on them. */
  readonly placement?: Placement;
}

export interface Placement {
  readonly axes: readonly NamedAxis[];
  /** Null leaves it to XLA. */
  readonly inputs: readonly (Layout | null)[];
  readonly outputs: readonly (Layout | null)[];
}

export interface StablehloProgram {
  readonly text: string;
  /** The program that was written. */
  readonly simplified: Program;
  /** What it prints: two results more, words and how many there are, if there are any messages. */
  readonly messages: readonly LoggedMessage[];
  /** How many words there can be. */
  readonly logSize: number;
}

/** Writes a program. It must have no calls (`expandCalls`). */
export function stablehlo(given: Program, options: StablehloOptions): StablehloProgram {
  const { name, donated, matmulPrecision = "highest", placement } = options;
  const program = placement === undefined ? simplifyProgram(given) : given;
  const functions = new Map<string, readonly string[]>();
  const writer = new Writer(functions);
  const log = new PrintLog(program);
  log.begin(writer);
  let channels = 0;
  const context: Context = {
    writer,
    matmulPrecision,
    axes: placement?.axes ?? [],
    log,
    nextChannel: () => ++channels,
    inline: writeEquations,
  };
  const places = aliases(program, donated);
  const inputs = program.inputs.map(({ type }, at) => ({
    ...tensorOf(type),
    ...attributesOf([
      placement === undefined ? null : shardingOf(placement.inputs[at], placement.axes),
      places[at] === null ? null : `tf.aliasing_output = ${places[at]} : i32`,
    ]),
  }));
  const main = functionLines(writer, "public @main", inputs, (values) => {
    const outputs = writeEquations(context, program, values);
    return [...outputs, ...log.state].map(({ name: named, shape, dtype }, at) => ({
      ...{ name: named, shape, dtype },
      ...attributesOf([
        placement === undefined ? null : shardingOf(placement.outputs[at] ?? null, placement.axes),
      ]),
    }));
  });
  const lines = [main, ...functions.values()].flat();
  const devices = placement?.axes.reduce((product, { size }) => product * size, 1) ?? 1;
  const attributes = `mhlo.num_partitions = ${devices} : i32, mhlo.num_replicas = 1 : i32`;
  const text = [`module @${symbolOf(name)} attributes {${attributes}} {`, ...lines, "}", ""].join("\n");
  return { text, simplified: program, messages: log.messages, logSize: log.size };
}

const shardingOf = (layout: Layout | null | undefined, axes: readonly NamedAxis[]): string | null =>
  layout === null || layout === undefined ? null : shardingAttribute(layout, axes);

function attributesOf(list: readonly (string | null)[]): { readonly attributes?: string } {
  const given = list.filter((one) => one !== null);
  return given.length === 0 ? {} : { attributes: given.join(", ") };
}

/** A name that needs no quotes. */
const symbolOf = (name: string): string => name.replace(/\W+/g, "_").replace(/^(?=\d)|^$/, "_");

/**
 * The output that each donated input lends its memory to: itself, if it is one, or else the first of its type that is still
 * without. Nothing is overwritten that is an output elsewhere.
 */
function aliases(program: Program, donated: readonly boolean[]): (number | null)[] {
  const outputs = typesOf(program.outputs).map(tensorOf);
  const given = new Set<Atom>(program.inputs);
  const taken = new Set(program.outputs.flatMap((output, at) => (given.has(output) ? [at] : [])));
  return program.inputs.map((input, at) => {
    if (!donated[at]) return null;
    const same = program.outputs.indexOf(input);
    if (same >= 0) return same;
    const type = tensorOf(input.type);
    const found = outputs.findIndex((output, index) => !taken.has(index) && sameType(output, type));
    if (found < 0) return null;
    taken.add(found);
    return found;
  });
}

/** Writes the equations of a program, in their order; returns its outputs. */
function writeEquations(context: Context, program: Program, inputs: readonly Value[]): Value[] {
  const values = new Map<Variable, Value>();
  program.inputs.forEach((input, at) => values.set(input, inputs[at]));
  const read = (atom: Atom): Value =>
    atom.kind === "literal"
      ? context.writer.constant(atom.value, atom.type.dtype)
      : (values.get(atom) as Value);
  for (const equation of program.equations) {
    const results = ruleOf(equation)(context, equation, equation.inputs.map(read));
    equation.outputs.forEach((output, at) => values.set(output, results[at]));
  }
  return program.outputs.map(read);
}

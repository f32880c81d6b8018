// What is left of calls once all derivatives are taken: Programs as compilers know them, without functions that have
// rules of their own and without arrays written into them.
import type { Concrete } from "../core/array.js";
import {
  newVariable,
  subPrograms,
  type Atom,
  type Equation,
  type Program,
  type Variable,
} from "../core/program.js";
import type { CondParams } from "../control/cond.js";
import { refuseForward, reverseOnly, type ReverseOnlyParams } from "../control/reverseOnly.js";
import type { ScanParams } from "../control/scanParams.js";
import type { ShardMapParams } from "../control/shardMap.js";
import type { WhileParams } from "../control/while.js";
import type { Primitive } from "../core/primitive.js";
import { barrier } from "../primitives/barrier.js";
import { constantArray, type ConstantParams } from "../primitives/constant.js";
import { wholeLayout } from "../sharding/axes.js";
import { pruneProgram } from "./prune.js";
import { substitute } from "./substitute.js";

export interface Expanded {
  /** Takes the constants, then the inputs of the program that was given. */
  readonly program: Program;
  readonly constants: readonly Concrete[];
}

const special = new Set<unknown>([reverseOnly, barrier, constantArray]);

export interface ExpandOptions {
  /** Whether programs for several devices stay, with their bodies expanded; else one device does the work of all. */
  readonly keepShardMaps?: boolean;
}

/** Writes out every call, and makes the arrays that rules refer to inputs in front of the others. */
export function expandCalls(program: Program, { keepShardMaps = false }: ExpandOptions = {}): Expanded {
  const isExpanded = (primitive: Primitive): boolean =>
    primitive.expand !== undefined && !(keepShardMaps && primitive.name === "shardMap");
  const needsExpansion = (given: Program): boolean =>
    given.equations.some(
      (equation) =>
        special.has(equation.primitive) ||
        isExpanded(equation.primitive) ||
        subPrograms(equation).some(needsExpansion),
    );
  if (!needsExpansion(program)) return { program, constants: [] };
  let barriers = 0;
  const expand = (given: Program): Expanded => {
    const constants = new Map<Concrete, Variable>();
    const constant = (value: Concrete): Variable => {
      const known = constants.get(value) ?? newVariable(value.type);
      constants.set(value, known);
      return known;
    };
    const names = new Map<Variable, Atom>();
    const rename = (atom: Atom): Atom => (atom.kind === "variable" ? (names.get(atom) ?? atom) : atom);
    const equations: Equation[] = [];
    const add = (original: Equation): void => {
      const equation = { ...original, inputs: original.inputs.map(rename) };
      const { primitive, params } = equation;
      if (isOne(primitive, reverseOnly)) refuseForward(params as ReverseOnlyParams);
      else if (isOne(primitive, constantArray)) {
        names.set(equation.outputs[0], constant((params as ConstantParams).value));
      } else if (isOne(primitive, barrier)) {
        // Numbered, so that no two of them look alike.
        equations.push({ ...equation, params: { number: barriers++ } });
      } else if (primitive.expand !== undefined && isExpanded(primitive)) {
        const written = substitute(primitive.expand(params), equation.inputs);
        written.equations.forEach(add);
        equation.outputs.forEach((output, index) => names.set(output, rename(written.outputs[index])));
      } else if (subPrograms(equation).some(needsExpansion)) {
        equations.push(expandControl(equation, expand, constant));
      } else equations.push(equation);
    };
    pruneProgram(given).equations.forEach(add);
    return {
      program: {
        inputs: [...constants.values(), ...given.inputs],
        equations,
        outputs: given.outputs.map(rename),
      },
      constants: [...constants.keys()],
    };
  };
  return expand(program);
}

const isOne = (primitive: Primitive, other: object): boolean => (primitive as object) === other;

/** A loop or branch whose bodies are expanded; their constants come in from outside. */
function expandControl(
  equation: Equation,
  expand: (program: Program) => Expanded,
  constant: (value: Concrete) => Variable,
): Equation {
  const { primitive, params, inputs } = equation;
  switch (primitive.name) {
    case "scan": {
      const { program, constants } = expand((params as ScanParams).body);
      const loop: Partial<ScanParams> = {
        body: program,
        constants: (params as ScanParams).constants + constants.length,
      };
      return { ...equation, params: { ...params, ...loop }, inputs: [...constants.map(constant), ...inputs] };
    }
    case "while": {
      const { testConstants, bodyConstants, ...rest } = params as WhileParams;
      const [test, body] = [expand(rest.test), expand(rest.body)];
      const loop: WhileParams = {
        ...rest,
        test: test.program,
        body: body.program,
        testConstants: testConstants + test.constants.length,
        bodyConstants: bodyConstants + body.constants.length,
      };
      return {
        ...equation,
        params: loop,
        inputs: [
          ...test.constants.map(constant),
          ...inputs.slice(0, testConstants),
          ...body.constants.map(constant),
          ...inputs.slice(testConstants),
        ],
      };
    }
    case "cond": {
      const branches = (params as CondParams).branches.map(expand);
      const all = [...new Set(branches.flatMap(({ constants }) => constants))];
      const widened = branches.map(({ program, constants }): Program => {
        const own = new Map(constants.map((value, index) => [value, program.inputs[index]]));
        return {
          ...program,
          inputs: [
            ...all.map((value) => own.get(value) ?? newVariable(value.type)),
            ...program.inputs.slice(constants.length),
          ],
        };
      });
      const [index, ...operands] = inputs as [Atom, ...Atom[]];
      return {
        ...equation,
        params: { branches: widened } satisfies CondParams,
        inputs: [index, ...all.map(constant), ...operands],
      };
    }
    case "shardMap": {
      const { body, inLayouts } = params as ShardMapParams;
      const { program, constants } = expand(body);
      const kept: Partial<ShardMapParams> = {
        body: program,
        inLayouts: [...constants.map(({ ndim }) => wholeLayout(ndim)), ...inLayouts],
      };
      return { ...equation, params: { ...params, ...kept }, inputs: [...constants.map(constant), ...inputs] };
    }
    default:
      throw new Error(`${primitive.name} holds programs that cannot be expanded; this is a bug in vibe-rl`);
  }
}

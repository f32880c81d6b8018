// Whether StableHLO is well formed: every value defined before it is used, where it can be seen, types that agree, and
// shapes that follow from operands as the specification says.
import {
  Reader,
  showTensor,
  type ModuleFunction,
  type Operation,
  type Region,
  type Tensor,
} from "./parse.js";
import { shapeRules } from "./shapes.js";

/** Values that can be seen. */
type Scope = ReadonlyMap<string, Tensor>;

const same = (a: Tensor | undefined, b: Tensor | undefined): boolean =>
  a !== undefined && b !== undefined && showTensor(a) === showTensor(b);

class Checker {
  private readonly names = new Set<string>();

  constructor(private readonly functions: ReadonlyMap<string, ModuleFunction>) {}

  function({ name, inputs, operations, outputs }: ModuleFunction): void {
    this.names.clear();
    const returned = this.block({ inputs, operations }, new Map(), "return");
    this.expect(same2(returned, outputs), `@${name} returns ${returned.map(showTensor).join(", ")}`);
  }

  /** Checks the operations of a region; returns the types of what it returns. */
  private block({ inputs, operations }: Region, outer: Scope, ending: string): readonly Tensor[] {
    const scope = new Map(outer);
    for (const { name, type } of inputs) this.define(scope, name, type, true);
    for (const operation of operations.slice(0, -1)) {
      this.operation(operation, scope);
      operation.results.forEach((name, at) => this.define(scope, name, operation.resultTypes[at], false));
    }
    const last = operations.at(-1);
    if (last === undefined || last.name !== ending) throw new Error(`a region without ${ending}`);
    return this.operandTypes(last, scope);
  }

  private define(scope: Map<string, Tensor>, name: string, type: Tensor, isInput: boolean): void {
    // Both regions of a loop have the same names for what it carries.
    if (this.names.has(name) && !isInput) throw new Error(`${name} is defined twice`);
    this.names.add(name);
    scope.set(name, type);
  }

  private operandTypes({ operands, line }: Operation, scope: Scope): Tensor[] {
    return operands.map((name) => {
      const type = scope.get(name);
      if (type === undefined) throw new Error(`line ${line}: ${name} is not defined here`);
      return type;
    });
  }

  private operation(operation: Operation, scope: Scope): void {
    const { name, line, text, operandTypes: written, resultTypes, results } = operation;
    const types = this.operandTypes(operation, scope);
    const at = `line ${line}: ${name}`;
    this.expect(
      results.length === resultTypes.length,
      `${at} has ${resultTypes.length} types for its results`,
    );
    if (written !== null)
      this.expect(same2(types, written), `${at} is given ${types.map(showTensor).join(", ")}`);
    const returned = operation.regions.map((region) => this.block(region, scope, "stablehlo.return"));
    const rule = shapeRules[name];
    if (name === "func.call") this.call(operation, types);
    else if (rule === undefined) throw new Error(`${at}: there is no rule that checks it`);
    else {
      const problem = rule({
        text,
        operands: types,
        results: resultTypes,
        regions: operation.regions,
        returned,
      });
      this.expect(problem === null, `${at}: ${problem}`);
    }
  }

  private call({ text, line, resultTypes }: Operation, types: readonly Tensor[]): void {
    const callee = this.functions.get(/@(\w+)/.exec(text)?.[1] ?? "");
    if (callee === undefined) throw new Error(`line ${line}: a call of no function: ${text}`);
    this.expect(
      same2(
        types,
        callee.inputs.map(({ type }) => type),
      ) && same2(resultTypes, callee.outputs),
      `line ${line}: @${callee.name} is called with other types`,
    );
  }

  private expect(holds: boolean, problem: string): void {
    if (!holds) throw new Error(problem);
  }
}

const same2 = (a: readonly Tensor[], b: readonly Tensor[]): boolean =>
  a.length === b.length && a.every((type, at) => same(type, b[at]));

/** Throws at the first thing that is wrong with a module. */
export function checkModule(text: string): void {
  const functions = new Reader(text).module();
  const checker = new Checker(new Map(functions.map((one) => [one.name, one])));
  functions.forEach((one) => checker.function(one));
}

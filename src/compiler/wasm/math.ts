// Formulas on four lanes at once. Terms of float64 are two vectors: all of the lower half is computed before the upper.
import type { Formula, Term } from "../math/index.js";
import { f64, type Assembler } from "./assembler.js";
import { BasicOperations, pushConstant } from "./basics.js";
import type { Opcode } from "./opcodes.js";

/** What the engine can do beyond SIMD. */
export interface Features {
  /** Fused multiply-add (relaxed SIMD). */
  readonly fma: boolean;
}

/** Pushes an operand of a formula; one that is used again is worth a local. */
export type PushOperand = (index: number, isUsedAgain: boolean) => void;

/** Pushes the result of a formula. */
export function pushFormula(
  asm: Assembler,
  features: Features,
  formula: Formula,
  pushOperand: PushOperand,
): void {
  const plan = planOf(formula);
  const copy = new Copy(asm, features, plan, pushOperand);
  for (const [term, half] of plan.kept) copy.keep(term, half);
  copy.push(formula.results[0]);
}

/**
 * The results of a formula for each of several sets of operands, in locals that the caller releases. They are computed
 * in turns: where every step waits for the one before, one set alone would leave most of the processor idle.
 */
export function formulaInTurns(
  asm: Assembler,
  features: Features,
  formula: Formula,
  operands: readonly PushOperand[],
): number[][] {
  const plan = planOf(formula);
  const copies = operands.map((pushOperand) => new Copy(asm, features, plan, pushOperand));
  for (const [term, half] of plan.kept) for (const copy of copies) copy.keep(term, half);
  return copies.map((copy) =>
    formula.results.map((result) => {
      copy.push(result);
      const local = asm.local("v128");
      asm.set(local);
      return local;
    }),
  );
}

/** Of two vectors of doubles. Everything else has one half. */
type Half = 0 | 1;
type OperationTerm = Extract<Term, { kind: "operation" }>;

/** How a formula is written out. */
interface Plan {
  /** How often each half of a term is pushed. */
  readonly uses: ReadonlyMap<Term, number>;
  /** What is put into locals because it is pushed more than once, in order. */
  readonly kept: readonly (readonly [OperationTerm, Half])[];
}

const plans = new WeakMap<Formula, Plan>();

function planOf(formula: Formula): Plan {
  const known = plans.get(formula);
  if (known !== undefined) return known;
  const uses = new Map<Term, number>();
  const use = (term: Term, count: number) => uses.set(bare(term), (uses.get(bare(term)) ?? 0) + count);
  for (const term of formula.terms)
    if (bare(term) === term && term.kind === "operation")
      for (const input of term.inputs) use(input, isDouble(term) && !isDouble(input) ? 2 : 1);
  formula.results.forEach((result) => use(result, 1));

  const kept: [OperationTerm, Half][] = [];
  const visited = [new Set<Term>(), new Set<Term>()];
  const visit = (given: Term, half: Half): void => {
    const term = bare(given);
    if (term.kind !== "operation" || visited[half].has(term)) return;
    visited[half].add(term);
    for (const input of term.inputs) {
      visit(input, isDouble(input) && isDouble(term) ? half : 0);
      if (isDouble(input) && !isDouble(term)) visit(input, 1);
    }
    if ((uses.get(term) ?? 0) > 1) kept.push([term, half]);
  };
  formula.results.forEach((result) => visit(result, 0));
  const plan = { uses, kept };
  plans.set(formula, plan);
  return plan;
}

const isDouble = (term: Term): boolean => term.dtype === "float64";

/** The term that has the bits of another: vectors have no type. */
const bare = (term: Term): Term =>
  term.kind === "operation" && term.name === "bitcast" ? bare(term.inputs[0]) : term;

/** One set of operands, and the values that are in locals now. */
class Copy {
  private readonly locals = [new Map<Term, number>(), new Map<Term, number>()];
  private readonly pushed = [new Map<Term, number>(), new Map<Term, number>()];
  private readonly basics: BasicOperations<Term>;

  constructor(
    private readonly asm: Assembler,
    private readonly features: Features,
    private readonly plan: Plan,
    private readonly pushOperand: PushOperand,
  ) {
    this.basics = new BasicOperations(asm, (term: Term) => this.push(term));
  }

  /** Puts a value into a local. */
  keep(term: OperationTerm, half: Half): void {
    this.compute(term, half);
    const local = this.asm.local("v128");
    this.asm.set(local);
    this.locals[half].set(term, local);
  }

  push(given: Term, half: Half = 0): void {
    const { asm } = this;
    const term = bare(given);
    const uses = this.plan.uses.get(term) ?? 0;
    if (term.kind === "constant") {
      if (isDouble(term)) asm.constant(f64(term.value).words);
      else pushConstant(asm, term.dtype, term.value);
    } else if (term.kind === "operand") this.pushOperand(term.operand, uses > 1);
    else {
      const local = this.locals[half].get(term);
      if (local === undefined) this.compute(term, half);
      else {
        asm.get(local);
        const pushed = (this.pushed[half].get(term) ?? 0) + 1;
        this.pushed[half].set(term, pushed);
        if (pushed === uses) asm.release("v128", local);
      }
    }
  }

  private compute(term: OperationTerm, half: Half): void {
    const { asm } = this;
    const { name, dtype, inputs } = term;
    if (isDouble(term)) this.computeDouble(term, half);
    else if (isDouble(inputs[0])) {
      // A conversion, joined of both halves.
      for (const part of [0, 1] as const) {
        this.push(inputs[0], part);
        asm.op(dtype === "int32" ? "i32x4.trunc_sat_f64x2_s_zero" : "f32x4.demote_f64x2_zero");
      }
      asm.shuffle([0, 1, 4, 5]);
    } else if (name === "madd") this.multiplyAdd(inputs);
    else this.basics.render(term);
  }

  private multiplyAdd([x, y, z]: readonly Term[]): void {
    const { asm } = this;
    if (this.features.fma) {
      for (const term of [x, y, z]) this.push(term);
      asm.op("f32x4.relaxed_madd");
    } else if (y.kind === "constant" && y.value < 0) {
      // (Measured: with the negative added instead, softmax over rows of 8 took 5 % longer.)
      this.push(z);
      this.push(x);
      asm.f32x4(-y.value).op("f32x4.mul").op("f32x4.sub");
    } else {
      this.push(x);
      this.push(y);
      asm.op("f32x4.mul");
      this.push(z);
      asm.op("f32x4.add");
    }
  }

  private computeDouble({ name, inputs }: OperationTerm, half: Half): void {
    const { asm } = this;
    if (name === "convert") {
      this.push(inputs[0]);
      if (half === 1) asm.with((local) => asm.get(local).get(local).shuffle([2, 3, 2, 3]));
      asm.op("f64x2.promote_low_f32x4");
      return;
    }
    const instructions = doubles[name];
    if (instructions === undefined) throw new Error(`no WebAssembly for ${name} of float64`);
    this.push(inputs[0], half);
    inputs.slice(1).forEach((input, index) => {
      this.push(input, half);
      asm.op(instructions[index]);
    });
    if (inputs.length === 1) asm.op(instructions[0]);
  }
}

/** For each operand after the first an instruction, or one for the only operand. */
const doubles: Readonly<Record<string, readonly Opcode[] | undefined>> = {
  round: ["f64x2.nearest"],
  add: ["f64x2.add"],
  sub: ["f64x2.sub"],
  mul: ["f64x2.mul"],
  div: ["f64x2.div"],
  madd: ["f64x2.mul", "f64x2.add"],
};

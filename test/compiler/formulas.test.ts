// Formulas, evaluated as plain machines would, give what the interpreter's primitives give.
import { describe, expect, it } from "vitest";
import { jit, np, random, registerBackend, type Array, type DType } from "vibe-rl/array";
import { bind } from "../../src/array/core/trace.js";
import { primitives } from "../../src/array/primitives/index.js";
import { elementwiseCosts } from "../../src/compiler/primitives/elementwise.js";
import { formulaOf, type BasicOperation, type Formula, type Term } from "../../src/compiler/math/index.js";
import { wasmBackend } from "../../src/device/wasm/backend.js";
import { detectFeatures } from "../../src/device/wasm/features.js";
import { expectClose, type Tolerance } from "../closeness.js";
import { evaluate, machines, type Machine } from "./evaluateFormula.js";
import { denseFloats, dtypes, edgeIntegers, pairsOf, specialFloats } from "./samples.js";

/** Elementwise primitives that are basic operations; `div` and shifts of integers have rules of their own. */
const basic: readonly BasicOperation[] = [
  ...(["neg", "add", "sub", "mul", "div", "max", "min", "abs", "floor", "ceil", "trunc", "round"] as const),
  ...(["sqrt", "equal", "notEqual", "less", "lessEqual", "and", "or", "xor", "not"] as const),
  ...(["shiftLeft", "shiftRightLogical", "shiftRightArithmetic", "select", "convert", "bitcast"] as const),
];
const ofFloatsOnly = [
  ...["floor", "ceil", "trunc", "round", "sqrt", "fma", "exp", "expm1", "log", "log1p", "sin", "cos"],
  ...["tanh", "logistic", "logaddexp", "erf", "erfInv", "atan2"],
];

const withoutFarTurns = np.where(denseFloats.abs().greater(1e5), 1e5, denseFloats);
const turned = random.uniform(random.key(0), [2000], { minval: -1e5, maxval: 1e5 });
const specialPairs = pairsOf(specialFloats, "float32");
const mixedPairs = [2, 3].map((seed) => random.permutation(random.key(seed), denseFloats));
const floatPairs = [0, 1].map((side) => np.concatenate([specialPairs[side], mixedPairs[side]]));
const words = edgeIntegers.uint32;
const blocks = [11, 7, 3, 1].map((step) =>
  np.array(
    Float64Array.from({ length: 500 }, (_, at) => words[(at * step + (at >> 3)) % words.length]),
    { dtype: "uint32" },
  ),
);

/** Operands to try each formula on, and how near it has to be. */
const promises: Record<string, { readonly operands: readonly Array[]; readonly tolerance: Tolerance }> = {
  ...Object.fromEntries(
    ["exp", "expm1", "log", "log1p", "logistic", "tanh", "erf", "erfInv"].map((name) => [
      name,
      { operands: [denseFloats], tolerance: { ulps: 4, signedZeros: true } },
    ]),
  ),
  ...Object.fromEntries(
    ["sin", "cos"].map((name) => [
      name,
      { operands: [withoutFarTurns], tolerance: { ulps: 4, signedZeros: true } },
    ]),
  ),
  atan2: { operands: floatPairs, tolerance: { ulps: 4, signedZeros: true } },
  pow: { operands: floatPairs, tolerance: { ulps: 4, signedZeros: true } },
  // Or of the larger summand, where the two cancel.
  logaddexp: { operands: floatPairs, tolerance: { ulps: 4, atol: 2 ** -24, signedZeros: true } },
  sign: { operands: [denseFloats], tolerance: { signedZeros: true } },
  // Which zero comes out of two different ones is left open.
  relu: { operands: [denseFloats], tolerance: {} },
};

function formula(name: string, dtype: DType): Formula {
  const found = formulaOf(name, dtype);
  if (found === null) throw new Error(`there is no formula for ${name} of ${dtype}`);
  return found;
}

/** The primitive: interpreted, or recorded where a program is traced. */
function primitive(name: string, operands: readonly Array[]): Array[] {
  const found = primitives.find((candidate) => candidate.name === name);
  if (found === undefined) throw new Error(`there is no primitive ${name}`);
  return bind(found, operands, {});
}

describe.each(Object.entries(machines))("%s", (_, machine) => {
  it.each(Object.entries(promises))("%s of floats is what is promised", (name, { operands, tolerance }) => {
    const results = evaluate(formula(name, "float32"), operands, machine);
    expectClose(results, primitive(name, operands), tolerance);
  });

  it("sin and cos have the float64 truth where an angle has digits left, and are bounded beyond", () => {
    for (const name of ["sin", "cos"]) {
      const [near] = evaluate(formula(name, "float32"), [turned], machine);
      expectClose(near, primitive(name, [turned])[0], { ulps: 4, atol: 2e-8 });
      const [all] = evaluate(formula(name, "float32"), [denseFloats], machine);
      expect(all.data().every((value) => !(Math.abs(value) > 1))).toBe(true);
    }
  });

  it("signs of integers are exact", () => {
    for (const dtype of ["int32", "uint32", "uint8"] as const) {
      const numbers = np.array(Float64Array.from(edgeIntegers[dtype]), { dtype });
      for (const name of ["sign", "relu"])
        expectClose(evaluate(formula(name, dtype), [numbers], machine), primitive(name, [numbers]), {});
    }
  });

  it("threefry2x32 gives both words to the last bit", () => {
    const results = evaluate(formula("threefry2x32", "uint32"), blocks, machine);
    expectClose(results, primitive("threefry2x32", blocks), {});
  });
});

describe("WebAssembly gives a formula's bits", () => {
  const names = [...Object.keys(promises), "threefry2x32"];
  const engines: readonly { readonly fma: boolean; readonly maddRoundings: Machine["maddRoundings"] }[] = [
    { fma: false, maddRoundings: 2 },
    ...(detectFeatures()?.fma === true ? ([{ fma: true, maddRoundings: 1 }] as const) : []),
  ];
  for (const { fma, maddRoundings } of engines) {
    const device = `wasm rounding ${maddRoundings}`;
    registerBackend({ ...wasmBackend({ fma }), name: device }, { isDefault: false });
    it.each(names)(`%s, rounding madd ${maddRoundings} time(s)`, (name) => {
      const dtype = name === "threefry2x32" ? "uint32" : "float32";
      const operands = promises[name]?.operands ?? blocks;
      const compiled = jit((...args: Array[]) => primitive(name, args), { device });
      const expected = evaluate(formula(name, dtype), operands, { maddRoundings, outOfRange: "nearest" });
      expectClose(compiled(...operands), expected, { signedZeros: true });
    });
  }
});

const elementwise = Object.keys(elementwiseCosts);
const all = elementwise.flatMap((name) =>
  dtypes.flatMap((dtype) => {
    const found = formulaOf(name, dtype);
    return found === null ? [] : [{ name: `${name} of ${dtype}`, formula: found }];
  }),
);

describe("every formula", () => {
  it.each(all)("$name lists what its results need, each once and after its inputs", ({ formula }) => {
    const seen = new Set<Term>();
    for (const term of formula.terms) {
      if (term.kind === "operation") expect(term.inputs.filter((input) => !seen.has(input))).toEqual([]);
      seen.add(term);
    }
    expect(seen.size).toBe(formula.terms.length);
    const needed = new Set(formula.terms.flatMap((term) => (term.kind === "operation" ? term.inputs : [])));
    expect(formula.terms.filter((term) => !needed.has(term) && !formula.results.includes(term))).toEqual([]);
  });

  it.each(all)("$name has one object for equal terms, and numbers that their dtype holds", ({ formula }) => {
    const numbers = new Map(formula.terms.map((term, index) => [term, index]));
    const keys = formula.terms.map((term) =>
      term.kind === "operation"
        ? [term.name, term.dtype, ...term.inputs.map((input) => numbers.get(input))].join()
        : term.kind === "operand"
          ? `operand ${term.operand}`
          : `constant ${Object.is(term.value, -0) ? "-0" : term.value} ${term.dtype}`,
    );
    expect(new Set(keys).size).toBe(keys.length);
    for (const term of formula.terms)
      if (term.kind === "constant")
        expect(np.array(term.value, { dtype: term.dtype }).item()).toEqual(term.value);
  });

  it.each(all)("$name shifts by constants within the width only", ({ formula }) => {
    for (const term of formula.terms) {
      if (term.kind !== "operation" || !term.name.startsWith("shift")) continue;
      const count = term.inputs[1];
      expect(count.kind === "constant" && count.value >= 0 && count.value < 32).toBe(true);
    }
  });
});

it("few operations are asked for on float64", () => {
  const names = all.flatMap(({ formula: { terms } }) =>
    terms.flatMap((term) =>
      term.kind === "operation" && [term, ...term.inputs].some(({ dtype }) => dtype === "float64")
        ? [term.name]
        : [],
    ),
  );
  expect([...new Set(names)].sort()).toEqual(["add", "convert", "div", "madd", "mul", "round", "sub"]);
});

it("what has no formula is a basic operation, fma or rem of floats, or div, rem, pow of integers", () => {
  const without = (dtype: DType) => elementwise.filter((name) => formulaOf(name, dtype) === null).sort();
  expect(without("float32")).toEqual([...basic, "fma", "rem", "threefry2x32"].sort());
  const integers = without("uint32").filter((name) => !ofFloatsOnly.includes(name));
  expect(integers).toEqual([...basic, "pow", "rem"].filter((name) => !ofFloatsOnly.includes(name)).sort());
});

it("formulas are made once", () => {
  expect(formulaOf("tanh", "float32")).toBe(formulaOf("tanh", "float32"));
});

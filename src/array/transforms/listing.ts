// Programs as text, for people.
import { isPlainObject } from "../core/plainObject.js";
import type { Atom, Equation, Program, Variable } from "../core/program.js";
import { showType } from "../core/type.js";

/** A readable listing: one equation a line, loop bodies and branches indented below theirs. */
export function showProgram(program: Program): string {
  const names = new Map<Variable, string>();
  return showLambda(program, "", (variable) => {
    const known = names.get(variable);
    if (known !== undefined) return known;
    const name = letters(names.size);
    names.set(variable, name);
    return name;
  });
}

type Naming = (variable: Variable) => string;

/** a, b, …, z, aa, ab, … */
function letters(index: number): string {
  const last = String.fromCharCode(97 + (index % 26));
  return index < 26 ? last : letters(Math.floor(index / 26) - 1) + last;
}

function showLambda(program: Program, indent: string, name: Naming): string {
  const typed = (variable: Variable) => `${name(variable)}: ${showType(variable.type)}`;
  const inner = `${indent}  `;
  const inputs = program.inputs.map(typed).join(", ");
  const lines = program.equations.map((equation) => inner + showEquation(equation, inner, name, typed));
  return [
    `(${inputs}) => {`,
    ...lines,
    `${inner}return ${program.outputs.map((atom) => showAtom(atom, name)).join(", ") || "nothing"}`,
    `${indent}}`,
  ].join("\n");
}

function showEquation(equation: Equation, indent: string, name: Naming, typed: Naming): string {
  const results = equation.outputs.map(typed).join(", ");
  const operands = equation.inputs.map((atom) => ` ${showAtom(atom, name)}`).join("");
  const params = showParams(equation.params, indent, name);
  return `${results === "" ? "" : `${results} = `}${equation.primitive.name}${operands}${params}`;
}

const showAtom = (atom: Atom, name: Naming): string =>
  atom.kind === "variable" ? name(atom) : showLiteral(atom.value, atom.type.dtype);

function showLiteral(value: number, dtype: string): string {
  if (dtype === "bool") return value === 0 ? "false" : "true";
  const text = dtype === "float32" ? shortest(value) : String(value);
  return dtype.startsWith("float") && /^-?\d+$/.test(text) ? `${text}.0` : text;
}

/** The shortest decimal that reads back as the same float32. */
function shortest(value: number): string {
  for (let digits = 1; digits < 9; digits++) {
    const text = value.toPrecision(digits);
    if (Math.fround(Number(text)) === value) return String(Number(text));
  }
  return String(value);
}

const isProgram = (value: unknown): value is Program =>
  typeof value === "object" && value !== null && "equations" in value;

function showParams(params: object, indent: string, name: Naming): string {
  const entries = Object.entries(params).filter(
    ([, value]) => value !== undefined && typeof value !== "function",
  );
  if (entries.length === 0) return "";
  const inner = `${indent}  `;
  const show = (value: unknown): string => {
    if (isProgram(value)) return showLambda(value, inner, name);
    if (globalThis.Array.isArray(value)) {
      return value.some(isProgram)
        ? `[${value.map((item) => `\n${inner}  ${showLambda(item as Program, `${inner}  `, name)}`).join("")}\n${inner}]`
        : `[${value.map(show).join(",")}]`;
    }
    if (!isPlainObject(value)) return String(value);
    const fields = Object.entries(value).map(([key, field]) => `${key}: ${show(field)}`);
    return `{ ${fields.join(", ")} }`;
  };
  const shown = entries.map(([key, value]) => `${key}: ${show(value)}`);
  const hasProgram = entries.some(
    ([, value]) => isProgram(value) || (globalThis.Array.isArray(value) && value.some(isProgram)),
  );
  return hasProgram
    ? ` {\n${shown.map((line) => inner + line).join("\n")}\n${indent}}`
    : ` { ${shown.join(", ")} }`;
}

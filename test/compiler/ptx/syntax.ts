// What PTX text is made of.

export type Space = "reg" | "param" | "shared" | "local" | "global" | "const";

/** A declared variable; those in registers can be many at once. */
export interface Variable {
  readonly space: Space;
  /** Of an element, without the dot. */
  readonly type: string;
  readonly name: string;
  /** For `%r<10>`: how many registers have this name with a number behind it. */
  readonly registers: number | null;
  /** Elements of an array, 0 for one whose size is left open; null for a scalar. */
  readonly elements: number | null;
  readonly align: number | null;
  readonly isExtern: boolean;
  /** Literals that it begins with. */
  readonly initial: readonly string[] | null;
  readonly line: number;
}

export type Operand =
  | { readonly kind: "name"; readonly name: string; readonly isNot: boolean; readonly offset: bigint }
  | { readonly kind: "number"; readonly text: string }
  | { readonly kind: "address"; readonly base: string | null; readonly offset: bigint }
  | { readonly kind: "vector"; readonly elements: readonly Operand[] }
  | { readonly kind: "pair"; readonly first: Operand; readonly second: Operand }
  | { readonly kind: "list"; readonly elements: readonly Operand[] };

export interface Instruction {
  readonly kind: "instruction";
  /** The predicate under which it is executed. */
  readonly guard: Operand | null;
  readonly name: string;
  /** What stands behind the name, without dots. */
  readonly qualifiers: readonly string[];
  readonly operands: readonly Operand[];
  readonly line: number;
}

export type Statement =
  | Instruction
  | { readonly kind: "label"; readonly name: string; readonly line: number }
  | { readonly kind: "variable"; readonly variable: Variable }
  | { readonly kind: "targets"; readonly name: string; readonly labels: readonly string[] }
  | { readonly kind: "scope"; readonly body: readonly Statement[] };

export interface PtxFunction {
  readonly name: string;
  readonly isEntry: boolean;
  readonly results: readonly Variable[];
  readonly params: readonly Variable[];
  /** Null where it is only announced. */
  readonly body: readonly Statement[] | null;
  readonly line: number;
}

export interface Module {
  readonly variables: readonly Variable[];
  readonly functions: readonly PtxFunction[];
}

// PTX to C: a function of C for each of PTX, a statement for each instruction.
import { arithmetic } from "./instructions/arithmetic.js";
import { bits } from "./instructions/bits.js";
import { compare } from "./instructions/compare.js";
import { control } from "./instructions/control.js";
import { conversion } from "./instructions/convert.js";
import type { Family } from "./instructions/family.js";
import { memory } from "./instructions/memory.js";
import { warp } from "./instructions/warp.js";
import { cType, kindOf, predicate, type Kind } from "./kinds.js";
import { literal, Operands } from "./operands.js";
import { parsePtx } from "./parse.js";
import { Qualifiers } from "./qualifiers.js";
import { runtimeText } from "./runtime/index.js";
import { bytesOfVariable, cName, Scope } from "./scope.js";
import type { Instruction, PtxFunction, Statement, Variable } from "./syntax.js";
import { PtxError } from "./tokens.js";

const instructions: Family = {
  ...{ ...arithmetic, ...bits, ...compare, ...control },
  ...{ ...conversion, ...memory, ...warp },
};

/** How a program is launched. */
export interface Launch {
  readonly blocks: number;
  readonly threads: number;
  /** Dynamic shared memory of a block, in bytes. */
  readonly sharedBytes: number;
  /** Bytes of the memory that it is given. */
  readonly memoryBytes: number;
}

/** Where shared memory begins: 0 is no address, so that a forgotten one is found. */
const sharedStart = 1024;

/** What registers begin with: a program that reads them before it sets them shall not find a zero. */
const poison = (kind: Kind): string =>
  kind.sort === "f" ? "NAN" : kind.sort === "p" ? "1" : `(${cType(kind)})UINT64_C(0xA5A5A5A5A5A5A5A5)`;

/** Text as a literal of C, a line of it for each of its own. */
const quoted = (text: string): string =>
  text
    .split("\n")
    .map((line) => `"${line.replaceAll(/[^ -~]/g, " ").replaceAll(/["\\]/g, "\\$&")}\\n"`)
    .join("\n");

const variablesIn = (statements: readonly Statement[]): Variable[] =>
  statements.flatMap((one) =>
    one.kind === "variable" ? [one.variable] : one.kind === "scope" ? variablesIn(one.body) : [],
  );

class Translator {
  private readonly module = new Scope(null);
  private readonly places = new Map<Variable, number>();
  private sharedBytes = 0;
  private localBytes = 0;
  private registers = 0;
  private labels = 0;
  /** Jumps of which the text says that all lanes take them, or none. */
  private jumps = 0;

  constructor(private readonly launch: Launch) {}

  translate(text: string): string {
    const { variables, functions } = parsePtx(text);
    const inFunctions = functions.flatMap(({ body }) => variablesIn(body ?? []));
    this.placeShared([...variables, ...inFunctions].filter(({ space }) => space === "shared"));
    const globals = variables.map((variable) => this.moduleVariable(variable)).filter((c) => c !== null);
    for (const declared of functions)
      this.module.add(declared.name, { is: "function", declared, c: cName("f", declared.name) });
    const bodies = functions.filter(({ body }) => body !== null);
    const entry = bodies.find(({ isEntry }) => isEntry);
    if (entry === undefined) throw new PtxError(1, "there is no .entry");
    const code = bodies.map((one) => this.function(one));
    return [
      `static const char source[] = ${quoted(text)};`,
      this.settings(),
      runtimeText.head,
      ...globals.map(({ c }) => c),
      // What runs once is not worth optimising. (measured: half the time to build)
      "#if defined(__clang__)\n#pragma clang optimize off\n#endif",
      ...bodies.map((one) => `${this.signature(one)};`),
      ...code,
      this.start(entry),
      "#if defined(__clang__)\n#pragma clang optimize on\n#endif",
      `static const struct region own[] = {${[...globals.map(({ region }) => region), "{0, 0}"].join(", ")}};`,
      `enum { OWN = ${globals.length} };`,
      runtimeText.tail,
    ].join("\n");
  }

  /** Functions come before: what they need is known then. */
  private settings(): string {
    const { blocks, threads, sharedBytes, memoryBytes } = this.launch;
    return [
      `#define BLOCKS ${blocks}u`,
      `#define THREADS ${threads}u`,
      `#define DYNAMIC_SHARED ${sharedBytes}u`,
      `#define SHARED_START ${sharedStart}u`,
      `#define SHARED_BYTES ${this.sharedBytes + sharedBytes}u`,
      `#define LOCAL_BYTES ${Math.max(64, Math.ceil(this.localBytes / 16) * 16)}u`,
      `#define MEMORY_BYTES UINT64_C(${memoryBytes})`,
      `#define JUMPS ${Math.max(1, this.jumps)}`,
      `#define STACK_BYTES ${Math.ceil((65536 + 64 * this.registers) / 4096) * 4096}ul`,
    ].join("\n");
  }

  /** Variables of a module: in shared memory a place of it, else an array of C. */
  private moduleVariable(variable: Variable): { c: string; region: string } | null {
    const { name, space, type, line, initial, isExtern } = variable;
    if (space === "shared") {
      this.shared(variable, this.module);
      return null;
    }
    if (space !== "global" && space !== "const") throw new PtxError(line, `.${space} in a module`);
    if (isExtern) throw new PtxError(line, `${name} is defined nowhere`);
    const kind = kindOf(type, line);
    const bytes = bytesOfVariable(variable);
    const c = cName("g", name);
    this.module.add(name, { is: "global", bytes, c });
    const values = (initial ?? []).map((one) =>
      literal(one, { ...kind, sort: kind.sort === "f" ? "u" : kind.sort }, line),
    );
    const list = values.length === 0 ? "" : ` = {${values.join(", ")}}`;
    const stored: Kind = kind.sort === "f" ? { sort: "u", bits: kind.bits } : kind;
    return {
      c: `static ${cType(stored)} ${c}[${Math.max(1, variable.elements ?? 1)}] __attribute__((aligned(${Math.max(16, variable.align ?? 0)})))${list};`,
      region: `{(const uint8_t *)${c}, ${bytes}}`,
    };
  }

  /** Gives places to all static shared memory; dynamic shared memory comes behind it. */
  private placeShared(variables: readonly Variable[]): void {
    for (const variable of variables) {
      const { elements, isExtern, align, type, line } = variable;
      if (isExtern || elements === 0) continue;
      const unit = Math.max(align ?? 1, kindOf(type, line).bits / 8);
      this.sharedBytes = Math.ceil(this.sharedBytes / unit) * unit;
      this.places.set(variable, sharedStart + this.sharedBytes);
      this.sharedBytes += bytesOfVariable(variable);
    }
    this.sharedBytes = Math.ceil(this.sharedBytes / 16) * 16;
  }

  private shared(variable: Variable, scope: Scope): void {
    const address = this.places.get(variable) ?? sharedStart + this.sharedBytes;
    scope.add(variable.name, { is: "place", space: "shared", address });
  }

  private signature({ name, isEntry, results, params }: PtxFunction): string {
    if (isEntry) return `static void ${cName("f", name)}(struct fiber *const F, const uint64_t *given)`;
    const formal = (variable: Variable, isResult: boolean): string => {
      const type = cType(kindOf(variable.type, variable.line));
      const c = cName("a", variable.name);
      if (variable.space === "reg") return isResult ? `${type} *${c}` : `const ${type} ${c}`;
      return isResult ? `uint8_t *${c}` : `const uint8_t *${c}`;
    };
    const list = [...results.map((one) => formal(one, true)), ...params.map((one) => formal(one, false))];
    return `static __attribute__((noinline)) void ${cName("f", name)}(${["struct fiber *const F", ...list].join(", ")})`;
  }

  private function(declared: PtxFunction): string {
    const { isEntry, results, params, body } = declared;
    const scope = new Scope(this.module);
    const before: string[] = [];
    const after: string[] = [];
    for (const [at, variable] of params.entries()) {
      const a = cName("a", variable.name);
      before.push(this.local(variable, scope));
      const c = this.cOf(scope, variable);
      const bytes = bytesOfVariable(variable);
      if (isEntry) before.push(`memcpy(${c}, &given[${at}], ${bytes});`);
      else before.push(variable.space === "reg" ? `${c} = ${a};` : `memcpy(${c}, ${a}, ${bytes});`);
    }
    for (const variable of results) {
      const a = cName("a", variable.name);
      before.push(this.local(variable, scope));
      const c = this.cOf(scope, variable);
      after.push(
        variable.space === "reg" ? `*${a} = ${c};` : `memcpy(${a}, ${c}, ${bytesOfVariable(variable)});`,
      );
    }
    const inside = this.body(body ?? [], scope);
    return [`${this.signature(declared)} {`, ...before, ...inside, "the_end:;", ...after, "}"].join("\n");
  }

  private cOf(scope: Scope, { name, line }: { readonly name: string; readonly line: number }): string {
    const named = scope.need(name, line);
    return "c" in named ? named.c : "";
  }

  /** Declares a variable of a function in its scope. */
  private local(variable: Variable, scope: Scope): string {
    const { space, type, name, registers, line } = variable;
    const kind = kindOf(type, line);
    switch (space) {
      case "reg":
        if (registers === null) {
          this.registers += 1;
          const c = cName("r", name);
          scope.add(name, { is: "register", kind, c });
          return `${cType(kind)} ${c} = ${poison(kind)};`;
        }
        this.registers += registers;
        scope.addFamily(name, registers, kind);
        return registers === 0
          ? ""
          : `${cType(kind)} ${Array.from({ length: registers }, (_, at) => `${cName("r", `${name}${at}`)} = ${poison(kind)}`).join(", ")};`;
      case "param": {
        const bytes = bytesOfVariable(variable);
        const c = cName("p", name);
        scope.add(name, { is: "param", bytes, c });
        return `uint8_t ${c}[${bytes}] __attribute__((aligned(16)));`;
      }
      case "shared":
        this.shared(variable, scope);
        return "";
      case "local": {
        const unit = Math.max(variable.align ?? 1, kind.bits / 8);
        this.localBytes = Math.ceil(this.localBytes / unit) * unit;
        scope.add(name, { is: "place", space: "local", address: this.localBytes });
        this.localBytes += bytesOfVariable(variable);
        return "";
      }
      case "global":
      case "const":
        throw new PtxError(line, `.${space} variables belong in front of functions`);
    }
  }

  private body(statements: readonly Statement[], scope: Scope): string[] {
    // Labels may be used before they are written down, and in C they need names of their own.
    for (const one of statements) {
      if (one.kind === "targets") scope.add(one.name, { is: "targets", labels: one.labels });
      if (one.kind === "label")
        scope.add(one.name, { is: "label", c: cName(`L${(this.labels += 1)}`, one.name) });
    }
    return statements.flatMap((statement) => {
      switch (statement.kind) {
        case "label":
          return [`${this.cOf(scope, statement)}:;`];
        case "variable":
          return [this.local(statement.variable, scope)];
        case "targets":
          return [];
        case "scope":
          return ["{", ...this.body(statement.body, new Scope(scope)), "}"];
        case "instruction":
          return [this.instruction(statement, scope)];
      }
    });
  }

  private instruction(instruction: Instruction, scope: Scope): string {
    const { name, qualifiers, guard, line } = instruction;
    const operands = new Operands(instruction, scope);
    if (!(name in instructions))
      throw new PtxError(line, `the emulator has no instruction ${[name, ...qualifiers].join(".")}`);
    const rest = new Qualifiers(qualifiers, (problem) => operands.fail(problem));
    const statement = instructions[name](operands, rest);
    if (guard === null) return statement;
    const holds = operands.valueOf(guard, predicate);
    const isAlike = name === "bra" && qualifiers.includes("uni");
    return `if (${isAlike ? `alike(F, ${this.jumps++}, ${holds}, ${line})` : holds}) { ${statement} }`;
  }

  private start({ name, params, line }: PtxFunction): string {
    if (params.length !== 3)
      throw new PtxError(line, `${name} must have parameters memory, control and host`);
    return `static void start(struct fiber *const F, const uint64_t *given) { ${cName("f", name)}(F, given); }`;
  }
}

/** A library in C that does what PTX says: it exports `vibe_rl_run` as programs in C do. */
export const ptxToC = (text: string, launch: Launch): string => new Translator(launch).translate(text);

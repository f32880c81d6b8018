// PTX text to its statements.
import type { Instruction, Module, Operand, PtxFunction, Space, Statement, Variable } from "./syntax.js";
import { PtxError, tokensOf, type Token, type TokenKind } from "./tokens.js";

const spaces = new Set<string>(["reg", "param", "shared", "local", "global", "const"]);
const isSpace = (name: string): name is Space => spaces.has(name);
/** Directives that say nothing about what a program computes, with how many arguments; null: up to the line's end. */
const ignored: Readonly<Record<string, "line" | "semicolon">> = {
  ...{ version: "line", target: "line", address_size: "line", file: "line", loc: "line", section: "line" },
  ...{ pragma: "semicolon", maxntid: "line", reqntid: "line", minnctapersm: "line", maxnreg: "line" },
  ...{
    maxnctapersm: "line",
    noreturn: "line",
    noinline: "line",
    explicitcluster: "line",
    reqnctapercluster: "line",
    abi_preserve: "line",
  },
};
const linkage = new Set([".visible", ".weak", ".common"]);

class Parser {
  private at = 0;
  private readonly variables: Variable[] = [];
  private readonly functions: PtxFunction[] = [];

  constructor(private readonly tokens: readonly Token[]) {}

  module(): Module {
    while (this.at < this.tokens.length) this.moduleItem();
    return { variables: this.variables, functions: this.functions };
  }

  private get next(): Token {
    return this.tokens.at(this.at) ?? { kind: "mark", text: "the end", line: this.tokens.at(-1)?.line ?? 1 };
  }

  private fail(expected: string): never {
    throw new PtxError(this.next.line, `expected ${expected}, got ${JSON.stringify(this.next.text)}`);
  }

  private take(kind: TokenKind, what: string): Token {
    const token = this.next;
    if (token.kind !== kind) this.fail(what);
    this.at += 1;
    return token;
  }

  private takes(text: string): boolean {
    if (this.next.text !== text || this.next.kind === "string") return false;
    this.at += 1;
    return true;
  }

  private need(text: string): void {
    if (!this.takes(text)) this.fail(JSON.stringify(text));
  }

  private moduleItem(): void {
    if (this.skipsIgnored()) return;
    while (linkage.has(this.next.text)) this.at += 1;
    const isExtern = this.takes(".extern");
    if (this.takes(".entry")) this.functions.push(this.function(true));
    else if (this.takes(".func")) this.functions.push(this.function(false));
    else this.variables.push(...this.declaration(isExtern));
  }

  private skipsIgnored(): boolean {
    const { kind, text, line } = this.next;
    const until = kind === "directive" ? ignored[text.slice(1)] : undefined;
    if (until === undefined) return false;
    this.at += 1;
    const isBehind = () =>
      until === "line" ? this.next.line !== line || this.next.text === "{" : this.takes(";");
    while (this.at < this.tokens.length && !isBehind()) this.at += 1;
    return true;
  }

  private function(isEntry: boolean): PtxFunction {
    while (this.skipsIgnored());
    const results = this.next.text === "(" ? this.parameters() : [];
    const { text: name, line } = this.take("word", "the name of a function");
    const params = this.next.text === "(" ? this.parameters() : [];
    while (this.skipsIgnored());
    const body = this.takes(";") ? null : this.scope();
    return { name, isEntry, results, params, body, line };
  }

  private parameters(): Variable[] {
    this.need("(");
    const found: Variable[] = [];
    while (!this.takes(")")) {
      if (found.length > 0) this.need(",");
      found.push(this.variable(this.space(), false));
    }
    return found;
  }

  private space(): Space {
    const space = this.take("directive", "a state space").text.slice(1);
    return isSpace(space) ? space : this.fail(`a state space before .${space}`);
  }

  /** `.reg .b32 %a, %b<3>;` and its like. */
  private declaration(isExtern: boolean): Variable[] {
    const space = this.space();
    const first = this.variable(space, isExtern);
    const found = [first];
    while (this.takes(",")) found.push(this.named(space, first.type, first.align, isExtern));
    this.need(";");
    return found;
  }

  private variable(space: Space, isExtern: boolean): Variable {
    let [align, type]: [number | null, string | null] = [null, null];
    while (this.next.kind === "directive") {
      const word = this.take("directive", "a type").text.slice(1);
      if (word === "align") align = Number(this.take("number", "an alignment").text);
      else if (word === "ptr") continue;
      else if (isSpace(word)) continue;
      else type = word;
    }
    return this.named(space, type ?? this.fail("a type"), align, isExtern);
  }

  private named(space: Space, type: string, align: number | null, isExtern: boolean): Variable {
    const { text: name, line } = this.take("word", "the name of a variable");
    let [registers, elements, initial]: [number | null, number | null, string[] | null] = [null, null, null];
    if (this.takes("<")) {
      registers = Number(this.take("number", "how many registers").text);
      this.need(">");
    }
    while (this.takes("[")) {
      const count = this.next.text === "]" ? 0 : Number(this.take("number", "how many elements").text);
      elements = (elements ?? 1) * count;
      this.need("]");
    }
    if (this.takes("=")) initial = this.initialiser();
    return { space, type, name, registers, elements, align, isExtern, initial, line };
  }

  private initialiser(): string[] {
    if (!this.takes("{")) return [this.signed()];
    const found: string[] = [];
    while (!this.takes("}")) {
      if (found.length > 0) this.need(",");
      found.push(...(this.next.text === "{" ? this.initialiser() : [this.signed()]));
    }
    return found;
  }

  private signed(): string {
    const sign = this.takes("-") ? "-" : "";
    return sign + this.take("number", "a number").text;
  }

  private scope(): Statement[] {
    this.need("{");
    const body: Statement[] = [];
    while (!this.takes("}")) {
      if (this.next.text === "{") body.push({ kind: "scope", body: this.scope() });
      else if (!this.skipsIgnored()) body.push(...this.statement());
    }
    return body;
  }

  private statement(): Statement[] {
    if (this.next.kind === "directive")
      return this.declaration(false).map((variable) => ({ kind: "variable", variable }));
    if (this.next.kind === "word" && this.tokens.at(this.at + 1)?.text === ":") {
      const { text: name, line } = this.take("word", "a label");
      this.need(":");
      if (!this.takes(".branchtargets")) return [{ kind: "label", name, line }];
      const labels = [this.take("word", "a label").text];
      while (this.takes(",")) labels.push(this.take("word", "a label").text);
      this.need(";");
      return [{ kind: "targets", name, labels }];
    }
    return [this.instruction()];
  }

  private instruction(): Instruction {
    const guard = this.takes("@") ? this.operand() : null;
    const { text, line } = this.take("word", "an instruction");
    const [name, ...qualifiers] = text.split(".");
    const operands: Operand[] = [];
    while (!this.takes(";")) {
      if (operands.length > 0) this.need(",");
      operands.push(this.operand());
    }
    return { kind: "instruction", guard, name, qualifiers, operands, line };
  }

  private operand(): Operand {
    const first = this.single();
    return this.takes("|") ? { kind: "pair", first, second: this.single() } : first;
  }

  private single(): Operand {
    if (this.takes("{")) return { kind: "vector", elements: this.upTo("}") };
    if (this.takes("(")) return { kind: "list", elements: this.upTo(")") };
    if (this.takes("[")) return this.address();
    const isNot = this.takes("!");
    if (!isNot && (this.next.kind === "number" || this.next.text === "-"))
      return { kind: "number", text: this.signed() };
    const { text: name } = this.take("word", "an operand");
    return { kind: "name", name, isNot, offset: this.next.text === "+" ? this.offset() : 0n };
  }

  private upTo(end: string): Operand[] {
    const found: Operand[] = [];
    while (!this.takes(end)) {
      if (found.length > 0) this.need(",");
      found.push(this.single());
    }
    return found;
  }

  private address(): Operand {
    const base = this.next.kind === "word" ? this.take("word", "an address").text : null;
    const offset = this.next.text === "]" ? 0n : this.offset();
    this.need("]");
    return { kind: "address", base, offset };
  }

  private offset(): bigint {
    this.takes("+");
    return wholeNumber(this.signed());
  }
}

/** The value of an integer literal. */
export function wholeNumber(text: string): bigint {
  const isNegative = text.startsWith("-");
  const digits = text.slice(isNegative ? 1 : 0).replace(/U$/, "");
  const value = BigInt(/^0[0-7]+$/.test(digits) ? `0o${digits}` : digits);
  return isNegative ? -value : value;
}

export const parsePtx = (text: string): Module => new Parser(tokensOf(text)).module();

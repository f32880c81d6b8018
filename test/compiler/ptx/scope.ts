// Names of PTX: what each stands for where it is used, and what it is called in C.
import type { PtxFunction, Variable } from "./syntax.js";
import { PtxError } from "./tokens.js";
import { bytesOf, kindOf, type Kind } from "./kinds.js";

/** Something that has a name. */
export type Named =
  | { readonly is: "register"; readonly kind: Kind; readonly c: string }
  /** Bytes of parameters in an array of C. */
  | { readonly is: "param"; readonly bytes: number; readonly c: string }
  /** At an address inside shared or local memory. */
  | { readonly is: "place"; readonly space: "shared" | "local"; readonly address: number }
  /** An array of C. */
  | { readonly is: "global"; readonly bytes: number; readonly c: string }
  | { readonly is: "label"; readonly c: string }
  | { readonly is: "targets"; readonly labels: readonly string[] }
  | { readonly is: "function"; readonly declared: PtxFunction; readonly c: string };

/** A name in C for one of PTX. */
export const cName = (prefix: string, name: string): string =>
  `${prefix}_${name.replaceAll("%", "_").replaceAll("$", "S_")}`;

export const bytesOfVariable = ({ type, elements, line }: Variable): number =>
  bytesOf(kindOf(type, line)) * (elements ?? 1);

export class Scope {
  private readonly names = new Map<string, Named>();
  private readonly families: { readonly name: string; readonly count: number; readonly kind: Kind }[] = [];

  constructor(private readonly outer: Scope | null) {}

  add(name: string, named: Named): void {
    this.names.set(name, named);
  }

  /** Registers `%r0`, `%r1` and so on. */
  addFamily(name: string, count: number, kind: Kind): void {
    this.families.push({ name, count, kind });
  }

  find(name: string): Named | null {
    const found = this.names.get(name) ?? this.inFamily(name);
    return found ?? this.outer?.find(name) ?? null;
  }

  need(name: string, line: number): Named {
    const found = this.find(name);
    if (found === null) throw new PtxError(line, `${name} is not declared`);
    return found;
  }

  private inFamily(name: string): Named | null {
    const number = /^(.*?)(0|[1-9]\d*)$/.exec(name);
    if (number === null) return null;
    const family = this.families.find((one) => one.name === number[1] && Number(number[2]) < one.count);
    if (family === undefined) return null;
    const register: Named = { is: "register", kind: family.kind, c: cName("r", name) };
    this.names.set(name, register);
    return register;
  }
}

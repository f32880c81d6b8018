// What stands behind the name of an instruction.
import { kindNamed, type Kind } from "./kinds.js";

/** The qualifiers of one instruction: each is taken by what knows it, and none may be left over. */
export class Qualifiers {
  private rest: readonly string[];

  constructor(
    qualifiers: readonly string[],
    readonly fail: (problem: string) => never,
  ) {
    this.rest = qualifiers;
  }

  /** Takes one out of several that exclude each other; null if none is there. */
  oneOf<Name extends string>(...names: readonly Name[]): Name | null {
    const found = names.find((name) => this.rest.includes(name)) ?? null;
    if (found !== null) this.remove(this.rest.indexOf(found));
    return found;
  }

  need<Name extends string>(...names: readonly Name[]): Name {
    return this.oneOf(...names) ?? this.fail(`it needs one of .${names.join(" .")}`);
  }

  has(name: string): boolean {
    return this.oneOf(name) !== null;
  }

  /** Takes what makes no difference here. */
  ignore(pattern: RegExp): void {
    this.rest = this.rest.filter((name) => !pattern.test(name));
  }

  /** Takes the first type. */
  kind(): Kind {
    const at = this.rest.findIndex((name) => kindNamed(name) !== null);
    const found = at < 0 ? null : kindNamed(this.rest[at]);
    if (found === null) return this.fail("it needs a type that the emulator has");
    this.remove(at);
    return found;
  }

  /** Whether a type is left. */
  get hasKind(): boolean {
    return this.rest.some((name) => kindNamed(name) !== null);
  }

  end(): void {
    if (this.rest.length > 0) this.fail(`the emulator does not know .${this.rest.join(" .")} here`);
  }

  private remove(at: number): void {
    this.rest = this.rest.filter((_, index) => index !== at);
  }
}

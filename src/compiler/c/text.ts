// Writing C: lines, blocks, and names that are used once.

export class CText {
  private readonly lines: string[] = [];
  private depth = 0;
  private last = 0;

  line(text: string): this {
    this.lines.push("  ".repeat(this.depth) + text);
    return this;
  }

  /** Lines inside braces behind a header, which may be empty. */
  block(header: string, inside: () => void): this {
    this.line(header === "" ? "{" : `${header} {`);
    this.depth++;
    inside();
    this.depth--;
    return this.line("}");
  }

  /** Lines that were written apart. */
  insert(other: CText): this {
    for (const text of other.lines) this.line(text);
    return this;
  }

  /** Code for a name that runs from `start` to before `end`, by `step`; without a loop where there is one turn or none. */
  loop(name: string, start: string | number, end: string | number, step: number, inside: () => void): this {
    if (typeof start === "number" && typeof end === "number" && start + step >= end) {
      return start >= end
        ? this
        : this.block("", () => {
            this.line(`const long ${name} = ${start};`);
            inside();
          });
    }
    const by = step === 1 ? `++${name}` : `${name} += ${step}`;
    return this.block(`for (long ${name} = ${start}; ${name} < ${end}; ${by})`, inside);
  }

  /** A name that nothing else here has. */
  name(prefix: string): string {
    return `${prefix}${++this.last}`;
  }

  toString(): string {
    return this.lines.join("\n");
  }
}

/** A sum of products as C, without what is zero. */
export function sumText(
  offset: number,
  terms: readonly { readonly text: string; readonly factor: number }[],
): string {
  const parts = terms
    .filter(({ text, factor }) => factor !== 0 && text !== "0")
    .map(({ text, factor }) => (factor === 1 ? text : `${text} * ${factor}`));
  if (offset !== 0 || parts.length === 0) parts.push(String(offset));
  return parts.join(" + ");
}

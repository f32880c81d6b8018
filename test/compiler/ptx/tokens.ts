// PTX text as tokens, each with the line that it is on.

export type TokenKind = "word" | "directive" | "number" | "string" | "mark";

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly line: number;
}

/** What is wrong with PTX text, and where. */
export class PtxError extends Error {
  constructor(
    readonly line: number,
    problem: string,
  ) {
    super(`PTX, line ${line}: ${problem}`);
  }
}

const patterns: readonly (readonly [TokenKind | null, RegExp])[] = [
  [null, /\s+|\/\/[^\n]*|\/\*[^]*?\*\//y],
  ["string", /"[^"\n]*"/y],
  [
    "number",
    /0[fF][0-9a-fA-F]{8}(?!\w)|0[dD][0-9a-fA-F]{16}(?!\w)|0[xX][0-9a-fA-F]+U?|0[bB][01]+U?|\d+\.\d*(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\d+U?/y,
  ],
  // An instruction with what qualifies it, or a name.
  ["word", /[%$_a-zA-Z][\w$]*(?:(?:\.|::)[\w$]+)*/y],
  ["directive", /\.[a-zA-Z_]\w*/y],
  ["mark", /[{}[\]()<>,;:@!|+\-=*]/y],
];

export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let [at, line] = [0, 1];
  while (at < text.length) {
    let length = 0;
    for (const [kind, pattern] of patterns) {
      pattern.lastIndex = at;
      const found = pattern.exec(text)?.[0];
      if (found === undefined) continue;
      if (kind !== null) tokens.push({ kind, text: found, line });
      line += found.split("\n").length - 1;
      length = found.length;
      break;
    }
    if (length === 0) throw new PtxError(line, `cannot read ${JSON.stringify(text.slice(at, at + 20))}`);
    at += length;
  }
  return tokens;
}

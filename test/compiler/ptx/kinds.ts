// Types of PTX and what they are in C.
import { PtxError } from "./tokens.js";

/** How bits are understood: unsigned, signed, float, or a predicate. */
export interface Kind {
  readonly sort: "u" | "s" | "f" | "p";
  readonly bits: number;
}

export const u8: Kind = { sort: "u", bits: 8 };
export const u32: Kind = { sort: "u", bits: 32 };
export const s32: Kind = { sort: "s", bits: 32 };
export const u64: Kind = { sort: "u", bits: 64 };
export const f32: Kind = { sort: "f", bits: 32 };
export const predicate: Kind = { sort: "p", bits: 8 };

/** The kind of a type such as "b32"; null if it is none. */
export function kindNamed(type: string): Kind | null {
  if (type === "pred") return predicate;
  if (type === "tf32") return u32;
  const found = /^([busf])(8|16|32|64)$/.exec(type);
  if (found === null) return null;
  const bits = Number(found[2]);
  if (found[1] === "f") return bits >= 32 ? { sort: "f", bits } : null;
  return { sort: found[1] === "s" ? "s" : "u", bits };
}

export const kindOf = (type: string, line: number): Kind => {
  const found = kindNamed(type);
  if (found === null) throw new PtxError(line, `the emulator has no type .${type}`);
  return found;
};

/** The type of C that holds a kind. */
export const cType = ({ sort, bits }: Kind): string =>
  sort === "f"
    ? bits === 32
      ? "float"
      : "double"
    : sort === "p"
      ? "uint8_t"
      : `${sort === "s" ? "int" : "uint"}${bits}_t`;

export const bytesOf = ({ bits }: Kind): number => bits / 8;
export const unsigned = ({ bits }: Kind): Kind => ({ sort: "u", bits });
export const wider = ({ sort, bits }: Kind): Kind => ({ sort, bits: bits * 2 });
export const isFloat = ({ sort }: Kind): boolean => sort === "f";
export const isSame = (a: Kind, b: Kind): boolean => a.sort === b.sort && a.bits === b.bits;

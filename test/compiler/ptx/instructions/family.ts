// How instructions are translated: a table for each family.
import type { Operands } from "../operands.js";
import type { Qualifiers } from "../qualifiers.js";

/** One instruction to a statement of C. */
export type Translation = (operands: Operands, qualifiers: Qualifiers) => string;
export type Family = Readonly<Record<string, Translation>>;

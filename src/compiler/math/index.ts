// What primitives mean in terms of simple operations.
export type { BasicOperation, Formula, Term } from "./formula.js";

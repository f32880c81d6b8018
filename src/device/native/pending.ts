import { fail } from "../../array/index.js";
import type { CProgram, CTarget, Renderer } from "../../compiler/index.js";
export const cRenderer = (_: CTarget): Renderer<CProgram> => fail("native", "pending");

// A device that only tests have: programs are written as StableHLO, which is checked, and then interpreted as they are.
import { registerBackend, type Backend } from "../../../src/array/index.js";
import { isCompilable, stablehlo } from "../../../src/compiler/index.js";
import { interpret } from "../../../src/array/core/interpret.js";
import type { Concrete } from "../../../src/array/core/array.js";
import { checkModule } from "./check.js";

export const checkedStablehlo: Backend = {
  name: "checked stablehlo",
  accepts: isCompilable,
  compile(program, { name, constants, donated }) {
    const { text } = stablehlo(program, { name, donated: [...constants.map(() => false), ...donated] });
    checkModule(text);
    return { run: (inputs) => interpret(program, [...constants, ...inputs] as readonly Concrete[]) };
  },
};

registerBackend(checkedStablehlo, { isDefault: false });

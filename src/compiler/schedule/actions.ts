// What threads do in loops and branches, whatever else they do on a machine.
import type { StepOf } from "../kernel.js";

export interface WhileAction<Action> {
  readonly kind: "while";
  readonly step: StepOf<"while">;
  readonly test: readonly Action[];
  readonly body: readonly Action[];
}

export interface BranchAction<Action> {
  readonly kind: "branch";
  readonly step: StepOf<"branch">;
  readonly cases: readonly (readonly Action[])[];
}

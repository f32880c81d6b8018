// Kernels of one form that a block does as one.
import type { Kernel, Place } from "../kernel.js";
import type { MemoryPlan } from "../plan/arena.js";
import { movesFreely } from "./copy.js";
import { formOf } from "../schedule/forms.js";

/** The places of all of some kernels of one form, by those of the first. */
export function variantPlaces(kernels: readonly Kernel[]): ReadonlyMap<Place, readonly Place[]> {
  const all = kernels.map((kernel) => formOf(kernel)?.places ?? []);
  return new Map(all[0].map((place, at) => [place, all.map((places) => places[at])]));
}

/** Whether kernels can be done as one: what moves elements, or does the same with what lies in the same kinds of memory. */
export function areAlike(one: Kernel, other: Kernel, plan: MemoryPlan): boolean {
  if (movesFreely(one, plan)) return movesFreely(other, plan);
  const [a, b] = [formOf(one), formOf(other)];
  if (a === null || b === null || a.key !== b.key) return false;
  const isIn = (set: ReadonlySet<Place["buffer"]>) =>
    a.places.every(({ buffer }, at) => set.has(buffer) === set.has(b.places[at].buffer));
  return (
    isIn(plan.fast) &&
    isIn(plan.division.common) &&
    a.places.every(
      ({ buffer }, at) => plan.staged.get(buffer)?.stride === plan.staged.get(b.places[at].buffer)?.stride,
    ) &&
    // What works in memory of its own does so alone.
    !plan.scratch.has(one) &&
    !plan.scratch.has(other)
  );
}

// What building the steps of a region works with: where variables lie, and the steps so far.
import { sizeOf, type Atom, type Program, type Variable } from "../../array/index.js";
import type { Expression, Kernel, Place, Step } from "../kernel.js";
import type { Block } from "./block.js";
import { ExpressionBuilder, type Index } from "./expressions.js";
import { Lowering } from "./lower.js";
import type { BuildRegion, BuiltRegion } from "./region.js";
import { placeAt, type Shared } from "./shared.js";

export class RegionBuilder {
  readonly steps: Step[] = [];

  constructor(
    readonly shared: Shared,
    readonly block: Block,
    readonly places: Map<Variable, Place>,
    /** Variables that must lie in memory when the region has run, or for others of its groups. */
    private readonly needed: ReadonlySet<Atom>,
    private readonly buildRegion: BuildRegion,
  ) {}

  /** Whether a variable's value must be written to memory; null stands for a part of one. */
  isNeeded(variable: Variable | null): boolean {
    return variable === null || this.needed.has(variable);
  }

  /** Where a variable lies; it gets a buffer if it has none yet. */
  placeOf(variable: Variable): Place {
    const known = this.places.get(variable);
    if (known !== undefined) return known;
    const other = this.block.aliases.get(variable);
    if (other !== undefined) return this.placeOf(other);
    const { dtype, shape } = variable.type;
    const name = this.block.definitions.get(variable)?.equation.primitive.name ?? "input";
    const place = placeAt(this.shared.buffer(dtype, sizeOf(shape), `${name}_${variable.id}`));
    this.places.set(variable, place);
    return place;
  }

  /** Where an operand of a step lies; literals are put into memory first. */
  operandPlace(atom: Atom): Place {
    if (atom.kind === "variable") return this.placeOf(atom);
    const place = placeAt(this.shared.buffer(atom.type.dtype, 1, "literal"));
    this.fill(place, atom);
    return place;
  }

  push(kernel: Kernel): void {
    this.steps.push({ kind: "kernel", kernel });
  }

  /** Writes a scalar atom to a place. */
  fill(place: Place, atom: Atom): void {
    const build = new ExpressionBuilder([]);
    this.push({
      kind: "loop",
      name: "fill",
      extents: [],
      outer: 0,
      body: [
        {
          address: build.address(place, [], []),
          value: this.lowering(build).at(atom, []),
          combine: "set",
          guard: null,
        },
      ],
      reductions: [],
      after: [],
      order: "free",
    });
  }

  copy(from: Place, to: Place, size: number): void {
    if (size > 0) this.push({ kind: "copy", name: "copy", from, to, size });
  }

  /** Builds a program inside this one: a loop's body, a branch. */
  inside(program: Program, inputs: readonly Place[], destinations?: readonly (Place | null)[]): BuiltRegion {
    return this.buildRegion(this.shared, program, inputs, destinations);
  }

  /**
   * Expressions that read everything stored from memory, but for what `resolve` knows: where it gives null, the
   * definition is written out.
   */
  lowering(
    build: ExpressionBuilder,
    resolve: (variable: Variable) => Expression | null | undefined = () => undefined,
  ): Lowering {
    const load = (
      variable: Variable,
      shape: readonly number[],
      indices: readonly Index[],
      guard: Expression | null,
    ): Expression =>
      build.load(build.address(this.placeOf(variable), shape, indices), variable.type.dtype, guard);
    return new Lowering(this.block, build, {
      at: (variable, indices, guard) => {
        const known = resolve(variable);
        if (known !== undefined) return known;
        return this.block.stored.has(variable) ? load(variable, variable.type.shape, indices, guard) : null;
      },
      linear: (variable, position, guard) => load(variable, [sizeOf(variable.type.shape)], [position], guard),
    });
  }
}

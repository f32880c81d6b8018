// A graph in the making: nodes with names that read well, and each constant once.
import type { Concrete, DType } from "../../array/index.js";
import type { Extent } from "./extents.js";
import type { Attribute, ElementType, OnnxNode, OnnxTensor } from "./model.js";

export class Graph {
  readonly initializers: OnnxTensor[] = [];
  private made: OnnxNode[] = [];
  private readonly counts = new Map<string, number>();
  private readonly scalars = new Map<string, string>();
  private readonly arrays = new Map<Concrete, string>();
  private batchName: string | null = null;

  /** `obs` is the input whose first axis is the batch. */
  constructor(private readonly obs: string) {}

  get nodes(): readonly OnnxNode[] {
    return this.made;
  }

  /** A name that nothing has yet: `Gemm_0`, `Gemm_1`, … */
  unique(kind: string): string {
    const count = this.counts.get(kind) ?? 0;
    this.counts.set(kind, count + 1);
    return `${kind}_${count}`;
  }

  /** Adds an operation with one result; returns the result's name. */
  add(op: string, inputs: readonly string[], attributes: Readonly<Record<string, Attribute>> = {}): string {
    const name = this.unique(op);
    const output = `${name}_out`;
    this.made.push({ op, name, inputs, outputs: [output], attributes });
    return output;
  }

  /** A constant with a name of its own. */
  tensor(name: string, type: ElementType, shape: readonly number[], elements: ArrayLike<number>): string {
    this.initializers.push({ name, type, shape, elements });
    return name;
  }

  /** An array as a constant; the same array is written once. */
  array(value: Concrete, name?: string): string {
    const known = this.arrays.get(value);
    if (known !== undefined) return known;
    const made = this.tensor(name ?? this.unique("constant"), value.dtype, value.shape, value.elements);
    this.arrays.set(value, made);
    return made;
  }

  scalar(value: number, dtype: DType): string {
    const key = `${dtype} ${Object.is(value, -0) ? "-0" : value}`;
    const known = this.scalars.get(key);
    if (known !== undefined) return known;
    const name = this.tensor(this.unique("scalar"), dtype, [], [value]);
    this.scalars.set(key, name);
    return name;
  }

  /** A list of whole numbers, as operations take axes and shapes. */
  wholes(values: readonly number[]): string {
    const key = `wholes ${values.join()}`;
    const known = this.scalars.get(key);
    if (known !== undefined) return known;
    const name = this.tensor(this.unique("wholes"), "int64", [values.length], values);
    this.scalars.set(key, name);
    return name;
  }

  /** A shape as a list of whole numbers, asked of the observations where it depends on how many there are. */
  shape(extents: readonly Extent[]): string {
    if (extents.every((extent) => typeof extent === "number")) return this.wholes(extents);
    return this.add(
      "Concat",
      extents.map((extent) =>
        typeof extent === "number" ? this.wholes([extent]) : this.batch(extent.batches),
      ),
      { axis: 0 },
    );
  }

  private batch(times: number): string {
    this.batchName ??= this.add("Slice", [this.add("Shape", [this.obs]), this.wholes([0]), this.wholes([1])]);
    return times === 1 ? this.batchName : this.add("Mul", [this.batchName, this.wholes([times])]);
  }

  /** Gives results of the graph their names; one that several names are given to is copied. */
  nameOutputs(values: readonly string[], names: readonly string[]): void {
    const given = new Map<string, string>();
    const copies: OnnxNode[] = [];
    values.forEach((value, at) => {
      const isMade = this.made.some(({ outputs }) => outputs.includes(value));
      if (isMade && !given.has(value)) given.set(value, names[at]);
      else {
        const name = this.unique("Identity");
        copies.push({ op: "Identity", name, inputs: [value], outputs: [names[at]], attributes: {} });
      }
    });
    const rename = (all: readonly string[]) => all.map((name) => given.get(name) ?? name);
    this.made = [...this.made, ...copies].map((node) => ({
      ...node,
      inputs: rename(node.inputs),
      outputs: rename(node.outputs),
    }));
  }
}

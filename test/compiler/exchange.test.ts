// What the passes make of collectives: kernels that can be read, results in the place of operands, no work twice.
import { describe, expect, it } from "vitest";
import { arrayType, jit, lax, np, type Array } from "../../src/array/index.js";
import { bind, bindOne, traceProgram } from "../../src/array/core/trace.js";
import {
  allGather,
  allToAll,
  axisIndex,
  ppermute,
  psum,
  psumScatter,
} from "../../src/array/primitives/collectives.js";
import { compileSpmd, dumpText, type CompiledForms } from "../../src/compiler/index.js";
import "../../src/device/index.js";

const axes = { axes: ["data"] } as const;
const sum = (x: Array): Array => bindOne(psum, [x], axes);

/** What the passes make of a function of float32 arrays, for two devices. */
function compile(shapes: readonly (readonly number[])[], f: (...arrays: Array[]) => readonly Array[]) {
  const types = shapes.map((shape) => arrayType(shape, "float32"));
  const { program } = traceProgram("test", types, (inputs) => f(...inputs));
  const seen: CompiledForms[] = [];
  const accept = (): void => undefined;
  const compiled = compileSpmd(program, 0, [{ name: "data", size: 2 }], { fma: false }, accept, (forms) =>
    seen.push(forms),
  );
  return { compiled, forms: seen[0] };
}

const anonymous = (text: string): string => text.replaceAll(/\b([a-zA-Z]\w*)_\d+\b/g, "$1");

describe("exchanges", () => {
  it("say in listings what goes where", () => {
    const { forms } = compile([[4, 6]], (x) => [
      ...bind(psum, [x, x.mul(2)], axes),
      bindOne(allGather, [x], { ...axes, size: 2, axis: 1 }),
      bindOne(psumScatter, [x], { ...axes, size: 2, axis: 0 }),
      bindOne(allToAll, [x], { ...axes, size: 2, split: 1, join: 0 }),
      bindOne(ppermute, [x], { ...axes, size: 2, pairs: [[0, 1]] }),
      bindOne(axisIndex, [], axes),
    ]);
    expect(anonymous(dumpText("fuse", forms)?.text ?? "")).toBe(
      [
        "loop points_mul [i < 4, j < 6]",
        "  mul[i, j] = input0[i, j] * 2.0",
        "exchange psum along data combined by add",
        "  psum <- input0, [4, 6]",
        "  psum <- mul, [4, 6]",
        "exchange allGather along data",
        "  allGather <- input0, [4, 6], 6 further per sender",
        "exchange psumScatter along data combined by add",
        "  psumScatter <- input0, [2, 6], 12 further per receiver",
        "exchange allToAll along data",
        "  allToAll <- input0, [4, 3], 3 further per receiver, 12 further per sender",
        "exchange ppermute along data from 0 to 1",
        "  ppermute <- input0, [4, 6]",
        "axisIndex axisIndex = place along data",
        "",
      ].join("\n"),
    );
  });

  it("are disassembled with the words that devices wait on", () => {
    const { forms, compiled } = compile([[2]], (x) => [sum(x)]);
    const text = dumpText("wat", forms)?.text ?? "";
    const pages = compiled.memoryBytes / 65536;
    expect(text).toContain(`(import "host" "memory" (memory ${pages} 65536 shared))`);
    for (const name of ["i32.atomic.store offset=", "memory.atomic.wait32\n", "memory.atomic.notify offset="])
      expect(text).toContain(name);
  });

  it("of loops work in the place of what the loop carries", () => {
    const { compiled, forms } = compile([[100_000]], (x) => [
      lax.scan<Array, null, null>((carry) => [sum(carry.mul(0.5)), null], x, null, { length: 3 })[0],
    ]);
    expect(compiled.deviceBytes).toBeLessThan(1.2 * 400_000);
    expect(dumpText("plan", forms)?.text ?? "").toContain("0 of 2 copies are left");
  });

  it("leave operands alone that are read afterwards, or belong to several", () => {
    const bytesOf = (f: (x: Array) => readonly Array[]): number =>
      compile([[100_000]], f).compiled.deviceBytes;
    expect(bytesOf((x) => [sum(x.mul(3))])).toBeLessThan(1.2 * 400_000);
    expect(bytesOf((x) => [sum(x), x])).toBeGreaterThan(2 * 400_000);
    expect(bytesOf((x) => bind(psum, [x, x], axes))).toBeGreaterThan(2 * 400_000);
  });

  it("are done once where they would give the same, and before loops that do not change them", () => {
    const { forms } = compile([[3], [5, 3]], (x, rows) => [
      sum(x).add(sum(x)),
      lax.scan<null, Array, Array>((_, row) => [null, row.add(sum(x))], null, rows)[1],
    ]);
    expect((dumpText("fuse", forms)?.text ?? "").match(/exchange/g)).toHaveLength(1);
  });

  it("are refused in programs for one device", () => {
    expect(() => jit((x: Array) => sum(x))(np.ones([2]))).toThrow(
      /psum: it goes along the axis "data", and the program runs on one device/,
    );
  });
});

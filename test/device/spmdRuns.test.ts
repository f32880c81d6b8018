// Runs on several devices: collectives in loops and branches, results that stay in memory, failures that end a run and
// nothing else.
import { execFileSync } from "node:child_process";
import { pathToFileURL } from "node:url";
import { afterEach, describe, expect, it, vi } from "vitest";
import { arrayType, debug, jit, lax, np, valueAndGrad, type Array } from "../../src/array/index.js";
import { bind, bindOne, traceProgram } from "../../src/array/core/trace.js";
import { allGather, axisIndex, pmax, psum } from "../../src/array/primitives/collectives.js";
import { compileSpmd } from "../../src/compiler/index.js";
import "../../src/device/index.js";
import { WasmSpmdExecutable } from "../../src/device/wasm/spmd/executable.js";
import {
  compileTogether,
  line,
  readAll,
  runTogether,
  shardsOf,
  spmdAsync,
  square,
  type Block,
} from "./spmd.js";

afterEach(() => {
  vi.restoreAllMocks();
});

const sum = (x: Array, axes: readonly string[] = ["data"]): Array => bindOne(psum, [x], { axes });
const ownPlace = (axes: readonly string[] = ["data"]): Array => bindOne(axisIndex, [], { axes });

describe("collectives inside", () => {
  it("loops of thousands of iterations never wait for ever, along changing axes, small and large", () => {
    const at = (device: number, position: number): number => device + position;
    const blocks: Block[] = [
      { shape: [3], dtype: "int32", at },
      { shape: [1100], dtype: "int32", at },
    ];
    const [few, many] = runTogether(square, blocks, (x, y) => {
      const [carry] = lax.scan<Array[], null, null>(
        ([a, b]) => [
          [
            sum(a, ["data"])
              .add(sum(a, ["model"]))
              .mod(1009),
            sum(sum(b, ["model"]).mod(1009), ["data"]).add(a.slice(0)),
          ],
          null,
        ],
        [x, y],
        null,
        { length: 1500 },
      );
      return carry;
    });
    const grid = (device: number): [number, number] => [device >> 1, device & 1];
    const along = (values: readonly number[], device: number, axis: 0 | 1): number =>
      [0, 1, 2, 3]
        .filter((other) => grid(other)[1 - axis] === grid(device)[1 - axis])
        .reduce((total, other) => total + values[other], 0);
    const devices = [0, 1, 2, 3];
    let a = devices.map((device) => at(device, 0));
    let b = devices.map((device) => at(device, 7));
    for (let step = 0; step < 1500; step++) {
      const inner = devices.map((device) => along(b, device, 1) % 1009);
      const nextB = devices.map((device) => along(inner, device, 0) + a[device]);
      a = devices.map((device) => (along(a, device, 0) + along(a, device, 1)) % 1009);
      b = nextB;
    }
    expect(few.map(([first]) => first)).toEqual(a);
    expect(many.map((own) => own[7])).toEqual(b);
  });

  it("scans take rows and give rows", () => {
    const at = (device: number, position: number): number => (device + 1) * position;
    const [rows] = runTogether(line(4), [{ shape: [5, 600], at }], (x) => [
      lax.scan<null, Array, Array>((_, row) => [null, sum(row)], null, x)[1],
    ]);
    for (const own of rows) expect(own).toEqual(globalThis.Array.from({ length: 3000 }, (_, p) => 10 * p));
  });

  it("loops whose end they decide, and branches that all take", () => {
    const at = (device: number): number => device;
    const [counts, tops] = runTogether(line(4), [{ shape: [], dtype: "int32", at }], (x) => {
      const [count] = lax.whileLoop(
        ([n, y]: Array[]) => bindOne(pmax, [y.add(n)], { axes: ["data"] }).less(1000),
        ([n, y]: Array[]) => [n.add(1), y],
        [np.int32(0), x],
      );
      const isLate = sum(count).greater(10);
      return [
        count,
        lax.cond(
          isLate,
          (y: Array) => sum(y),
          (y: Array) => bindOne(pmax, [y], { axes: ["data"] }),
          x,
        ),
      ];
    });
    expect(counts.flat()).toEqual([997, 997, 997, 997]);
    expect(tops.flat()).toEqual([6, 6, 6, 6]);
  });
});

it("a model trained on parts of the data, its gradients summed, is the model trained on all of it", () => {
  const [rows, features, steps] = [64, 24, 30];
  const data = globalThis.Array.from({ length: rows * features }, (_, at) => Math.sin(at * 1.3));
  const targets = globalThis.Array.from({ length: rows }, (_, at) => Math.cos(at));
  /** Gradient descent on the mean over all rows; `total` adds up what devices have. */
  const train = (x: Array, y: Array, total: (...arrays: Array[]) => readonly Array[]): Array[] => {
    const loss = ([w, b]: Array[]) =>
      np
        .square(np.tanh(x.matmul(w)).add(b).sub(y))
        .sum()
        .div(rows);
    const start = [np.full([features], 0.1), np.float32(0)];
    const [params, losses] = lax.scan<Array[], null, Array>(
      (carry) => {
        const [value, gradients] = valueAndGrad(loss)(carry);
        const [all, ...sums] = total(value, ...gradients);
        return [carry.map((one, at) => one.sub(sums[at].mul(0.05))), all];
      },
      start,
      null,
      { length: steps },
    );
    return [...params, losses];
  };
  const whole = jit((x: Array, y: Array) => train(x, y, (...arrays) => arrays));
  const expected = whole(np.array(data).reshape([rows, features]), np.array(targets)).map((one) => [
    ...(one.elements ?? []),
  ]);
  const part = rows / 4;
  const results = runTogether(
    line(4),
    [
      { shape: [part, features], at: (device, at) => data[device * part * features + at] },
      { shape: [part], at: (device, at) => targets[device * part + at] },
    ],
    (x, y) => train(x, y, (...arrays) => bind(psum, arrays, { axes: ["data"] })),
  );
  results.forEach((devices, at) => {
    for (const own of devices) {
      expect(own).toEqual(devices[0]);
      own.forEach((value, position) => expect(value).toBeCloseTo(expected[at][position], 5));
    }
  });
  const losses = expected[2];
  expect(losses[steps - 1]).toBeLessThan(losses[0]);
});

describe("runs", () => {
  it("give the same bits again and again", () => {
    const at = (device: number, position: number): number => Math.sin(position + 1.7 * device) * 1e3;
    const blocks: Block[] = [{ shape: [3001], at }];
    const executable = compileTogether(line(4), blocks, (x) => [sum(x.mul(1.1)), sum(x.slice(3)).div(3)]);
    const first = readAll(executable.run(blocks.map(shardsOf)), 4);
    for (let run = 0; run < 20; run++) {
      expect(readAll(executable.run(blocks.map(shardsOf)), 4)).toEqual(first);
    }
    expect(executable.bytesPerDevice).toBeGreaterThan(3001 * 4);
  });

  it("of a donated state leave it in memory, where it is changed in place", () => {
    const state = { shape: [1000], at: (device: number) => device };
    const executable = compileTogether(
      line(2),
      [state, { shape: [] }],
      (x, step) => [x.add(sum(x).mul(0)).add(step), sum(x.slice(0))],
      { donated: [true, false] },
    );
    const one = shardsOf({ shape: [], at: () => 1 });
    let [current, told] = executable.run([shardsOf(state), one]);
    const before = current;
    const heard = told;
    for (let run = 1; run < 100; run++) [current, told] = executable.run([current, one]);
    expect([...current.read(0).slice(0, 2), ...current.read(1).slice(998)]).toEqual([100, 100, 101, 101]);
    expect([...told.read(0), ...told.read(1)]).toEqual([199, 199]);
    // Results that were not given up stay what they were, even if they are read late.
    expect([...heard.read(1)]).toEqual([1]);
    expect(() => before.read(0)).toThrow(/spmd: this array was given up to a later call/);
  });

  it("take each other's results, and the same one twice", () => {
    const make = compileTogether(line(2), [], () => [
      ownPlace().add(np.array([0, 1, 2, 3], { dtype: "int32" })),
    ]);
    const double = compileTogether(
      line(2),
      [1, 2].map(() => ({ shape: [4], dtype: "int32" as const })),
      (x, y) => [x.add(y), y],
      { donated: [true, false] },
    );
    const [made] = make.run([]);
    const [twice, same] = double.run([made, made]);
    expect(readAll([twice, same], 2)).toEqual([
      [
        [0, 2, 4, 6],
        [2, 4, 6, 8],
      ],
      [
        [0, 1, 2, 3],
        [1, 2, 3, 4],
      ],
    ]);
    const [again] = double.run([twice, twice]);
    expect([...again.read(1)]).toEqual([4, 8, 12, 16]);
  });

  it("keep captured arrays on every device", () => {
    const table = np.array([1, 10, 100]);
    const executable = compileTogether(line(2), [{ shape: [3] }], (x) => [sum(x.mul(table))]);
    for (const scale of [1, 2]) {
      const [result] = executable.run([shardsOf({ shape: [3], at: () => scale })]);
      expect(readAll([result], 2)[0]).toEqual([0, 1].map(() => [2 * scale, 20 * scale, 200 * scale]));
    }
  });

  it("print what the first device has", () => {
    const lines = vi.spyOn(console, "log").mockImplementation(() => undefined);
    runTogether(line(2), [{ shape: [2], at: (device) => device + 5 }], (x) => {
      debug.print("own {x}, sum {s}", { x, s: sum(x) });
      return [x];
    });
    expect(lines.mock.calls).toEqual([["own [5,5], sum [11,11]"]]);
  });

  it("can be prepared without holding up the thread", async () => {
    const { program } = traceProgram("test", [arrayType([2], "float32")], ([x]) => [sum(x)]);
    const executable = await spmdAsync(program, {
      name: "test",
      axes: line(3),
      constants: [],
      donated: [false],
    });
    const [result] = executable.run([shardsOf({ shape: [2], at: (device) => device })]);
    expect([...result.read(2)]).toEqual([3, 3]);
  });

  it("refuse blocks of another size", () => {
    const executable = compileTogether(line(2), [{ shape: [3] }], (x) => [sum(x)]);
    const odd = shardsOf({ shape: [4], at: () => 0 });
    expect(() => executable.run([odd])).toThrow(
      "spmd: input 0 has 4 elements on device 0, the program was compiled for 3",
    );
  });
});

describe("a device that fails", () => {
  const features = { fma: false };

  it("ends the run of all with an error that names it, and the next run is as if nothing had been", () => {
    const log = vi.spyOn(console, "log").mockImplementation(() => {
      throw new Error("no more paper");
    });
    const block: Block = { shape: [900], at: (device) => device + 1 };
    const executable = compileTogether(line(4), [block], (x) => {
      const [total] = lax.scan<Array, null, null>(
        (carry) => {
          debug.print("{c}", { c: carry.slice(0) });
          return [sum(carry).div(10), null];
        },
        x,
        null,
        { length: 3 },
      );
      return [total];
    });
    for (let attempt = 0; attempt < 3; attempt++) {
      expect(() => executable.run([shardsOf(block)])).toThrow(
        "spmd: device 0 of 4 failed, and the others stopped: no more paper",
      );
    }
    log.mockImplementation(() => undefined);
    const [result] = executable.run([shardsOf(block)]);
    expect(result.read(3)[899]).toBeCloseTo(0.16);
  });

  it("in a thread of its own is named, too", () => {
    const { program } = traceProgram("test", [], () =>
      bind(allGather, [ownPlace().reshape([1])], { axes: ["data"], size: 3, axis: 0 }),
    );
    const compiled = compileSpmd(program, 0, line(3), features, () => undefined);
    const make = (modules: readonly Uint8Array[]) =>
      new WasmSpmdExecutable(
        { ...compiled, modules },
        new WebAssembly.Module(compiled.modules[0] as BufferSource),
        [],
        [],
      );
    const [first, second, third] = compiled.modules;
    expect(() => make([first, second.slice(0, 40), third]).run([])).toThrow(
      /^spmd: device 1 of 3 failed, and the others stopped: WebAssembly\.Module\(\)/,
    );
    // A module that exports `run`, which does nothing but trap.
    const trap = Uint8Array.of(
      ...[
        0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00, 0x01, 0x04, 0x01, 0x60, 0x00, 0x00, 0x03, 0x02, 0x01,
        0x00,
      ],
      ...[0x07, 0x07, 0x01, 0x03, 0x72, 0x75, 0x6e, 0x00, 0x00, 0x0a, 0x05, 0x01, 0x03, 0x00, 0x00, 0x0b],
    );
    expect(() => make([first, second, trap]).run([])).toThrow(
      "spmd: device 2 of 3 failed, and the others stopped: unreachable",
    );
    expect(readAll(make(compiled.modules).run([]), 3)).toEqual([[0, 1, 2].map(() => [0, 1, 2])]);
  });

  it("does not start another program while one runs", () => {
    const inner = compileTogether(line(2), [], () => [sum(np.float32(1))]);
    vi.spyOn(console, "log").mockImplementation(() => void inner.run([]));
    const outer = compileTogether(line(2), [{ shape: [] }], (x) => {
      debug.print("{x}", { x });
      return [sum(x)];
    });
    const one = shardsOf({ shape: [], at: () => 1 });
    expect(() => outer.run([one])).toThrow(
      /device 0 of 2 failed.* spmd: a program for several devices is running/,
    );
    expect([...inner.run([])[0].read(1)]).toEqual([2]);
  });
});

describe("a process", () => {
  it("ends by itself, its threads with it", () => {
    const dist = (file: string): string => JSON.stringify(pathToFileURL(`dist/${file}`).href);
    const program = `
      import { bindOne, traceProgram } from ${dist("array/core/trace.js")};
      import { arrayType } from ${dist("array/index.js")};
      import { psum } from ${dist("array/primitives/collectives.js")};
      import { wasmBackend } from ${dist("device/wasm/backend.js")};
      const { program } = traceProgram("test", [arrayType([2], "float32")], ([x]) => [bindOne(psum, [x], { axes: ["data"] })]);
      const options = { name: "test", axes: [{ name: "data", size: 3 }], constants: [], donated: [false] };
      const { spmd, spmdAsync } = wasmBackend();
      const input = { read: (device) => Float32Array.of(device, 1) };
      const results = [await spmdAsync(program, options), spmd(program, options)].map((one) => one.run([input])[0].read(2));
      console.log(results.map((result) => result.join()).join(" "));`;
    const output = execFileSync(process.execPath, ["--input-type=module", "-e", program], {
      encoding: "utf8",
    });
    expect(output).toBe("3,3 3,3\n");
  });
});

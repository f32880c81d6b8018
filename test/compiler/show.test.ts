// What every pass makes of a program can be read.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ArrayError, lax, makeProgram, np, type Array } from "vibe-rl/array";
import type { CompiledForms } from "../../src/compiler/dump.js";
import { fuseProgram } from "../../src/compiler/fuse/program.js";
import { placeAt } from "../../src/compiler/fuse/shared.js";
import type { Address, Buffer, Expression, OperationName, Step } from "../../src/compiler/kernel.js";
import { planMemory } from "../../src/compiler/plan/arena.js";
import { showSteps } from "../../src/compiler/show/kernels.js";
import { showPlan } from "../../src/compiler/show/plan.js";
import { simplifyProgram } from "../../src/compiler/simplify/simplify.js";
import { Assembler } from "../../src/compiler/wasm/assembler.js";
import { Bytes } from "../../src/compiler/wasm/bytes.js";
import { decodeModule, type Instruction } from "../../src/compiler/wasm/decode.js";
import { disassemble } from "../../src/compiler/wasm/disassemble.js";
import { encodeModule, type ModuleParts } from "../../src/compiler/wasm/module.js";
import { encodings } from "../../src/compiler/wasm/opcodes.js";
import { wasmRenderer } from "../../src/compiler/wasm/renderer.js";
import { renderSteps } from "../../src/compiler/wasm/render.js";
import { writeDumps } from "../../src/device/dump.js";
import { writeDumps as writeNoDumps } from "../../src/device/noDump.js";

/** All forms of a function on its way to machine code. */
function compile<A extends readonly Array[]>(
  f: (...args: A) => unknown,
  ...args: A
): CompiledForms & { readonly parts: ModuleParts; readonly bytes: Uint8Array } {
  const simplified = simplifyProgram(makeProgram(f)(...args).program);
  const { steps, inputs, outputs } = fuseProgram(simplified);
  const [read, written] = [inputs, outputs].map((arrays) => arrays.map(({ place }) => place.buffer));
  const plan = planMemory(steps, read, written, [], wasmRenderer({ fma: true }));
  const parts = renderSteps(steps, plan, { fma: true });
  const bytes = encodeModule(parts);
  return { simplified, steps, plan, parts, bytes, listings: wasmRenderer({ fma: true }).list(bytes) };
}

/** A listing without the numbers of variables, which depend on what was traced before. */
const anonymous = (text: string): string => text.replaceAll(/\b([a-zA-Z]\w*)_\d+\b/g, "$1");

const layer = () =>
  compile(
    (x: Array, w: Array, b: Array) => np.tanh(x.matmul(w).add(b)),
    np.ones([16, 12]),
    np.ones([12, 32]),
    np.ones([32]),
  );

const recording = () =>
  compile(
    (ring: Array, rows: Array) =>
      lax.scan(
        (carry: { ring: Array; at: Array }, row: Array) => [
          {
            ring: lax.dynamicUpdateSlice(carry.ring, row.reshape([1, 12]), [carry.at, 0]),
            at: carry.at.add(1),
          },
          row.sum(),
        ],
        { ring, at: np.array(0, { dtype: "int32" }) },
        rows,
      ),
    np.ones([100, 12]),
    np.ones([16, 12]),
  );

describe("showSteps", () => {
  it("shows a layer as a product and what is computed on its sums", () => {
    const text = showSteps(layer().steps);
    expect(text).toMatch(/^dot \w+ rows \[i < 16\] columns \[j < 32\] depth \[k < 12\]$/m);
    expect(text).toContain("left strides: rows [12] depth [1]\n");
    expect(text).toContain("sum0 = sum over k of input0[i, k] * input1[k, j]\n");
    expect(text).toMatch(/^ {2}tanh_\d+\[i, j\] = tanh\((sum0|dot_\d+\[i, j\]) \+ input2\[j\]\)$/m);
  });

  it("shows reductions with kept and reduced axes, and what follows them", () => {
    const { steps } = compile((x: Array) => np.sqrt(np.square(x).sum(1)), np.ones([16, 12]));
    expect(anonymous(showSteps(steps)).split("\n").slice(-4)).toEqual([
      "loop rows_reduceSum_sqrt [i < 16] reduced [j < 12]",
      "  sum0 = sum over j of input0[i, j] * input0[i, j]",
      "  sqrt[i] = sqrt(sum0)",
      "",
    ]);
  });

  it("shows loops with their counters, and updates at computed places", () => {
    const text = anonymous(showSteps(recording().steps));
    expect(text).toMatch(/^for t0 < 16:$/m);
    expect(text).toMatch(/^ {2}loop update \[i < 12\]$/m);
    // How many lines the place takes depends on how long the numbers in the names are.
    expect(text).toMatch(/max\(.*, 0\)/);
    expect(text).toMatch(/min\(.*, 99\)/);
    expect(text).toMatch(/^ {4}dynamicUpdateSlice\[.*, i\] = input1\[t0, i\]$/m);
    expect(text).toMatch(/^ {4}scan\[t0\] = sum0$/m);
  });

  it("shows where loads are guarded, and whether points collide", () => {
    const { steps } = compile(
      (x: Array, at: Array) => [np.pad(x, [[1, 2]]), x.at(at).add(1), x.at(at).set(2)],
      np.ones([16]),
      np.ones([20], { dtype: "int32" }),
    );
    const text = anonymous(showSteps(steps));
    expect(text).toMatch(/^ {2}pad\[i\] = v1 \? \(input0\[-1 \+ i\] where v1\) : 0\.0$/m);
    expect(text).toMatch(/^loop scatter_add \[i < 20\] colliding$/m);
    expect(text).toMatch(/^loop scatter_set \[i < 20\] in order$/m);
  });

  it("prints work that is shared once, every kind of step, and any address", () => {
    const buffer = (id: number, name: string, size: number): Buffer => ({ id, name, size, dtype: "float32" });
    const [x, y, flag] = [buffer(0, "x0", 64), buffer(1, "y1", 64), buffer(2, "flag", 1)];
    const counter = { id: 3, length: 4 };
    const at = (given: Partial<Address> & { readonly buffer: Buffer }): Address => ({
      ...{ offset: 0, counters: [], strides: [], computed: [] },
      ...given,
    });
    const load = (id: number, address: Address): Expression => ({
      kind: "load",
      id,
      dtype: "float32",
      address,
      guard: null,
    });
    const operation = (id: number, name: OperationName, ...inputs: Expression[]): Expression => ({
      ...{ kind: "operation", id, dtype: "float32", name, inputs, result: 0 },
    });
    const reversed = load(1, at({ buffer: x, offset: 63, strides: [-8, -1] }));
    const shared = operation(2, "exp", operation(3, "neg", reversed));
    const half: Expression = { kind: "constant", id: 4, dtype: "float32", value: 0.5 };
    const guard = operation(5, "less", half, shared);
    const value = operation(6, "mul", operation(7, "add", shared, half), operation(8, "sub", half, shared));
    const row: Expression = { kind: "axis", id: 9, dtype: "int32", axis: 0 };
    const target = at({ buffer: y, strides: [0, 1], computed: [{ index: row, stride: 8 }] });
    const place = placeAt(flag);
    const kernel: Step = {
      kind: "kernel",
      kernel: {
        ...{
          kind: "loop",
          name: "points",
          extents: [8, 8],
          outer: 2,
          reductions: [],
          after: [],
          order: "lastWins",
        },
        body: [{ address: target, value, combine: "max", guard }],
      },
    };
    const rows = { buffer: y, offset: 2, counters: [{ counter, stride: 16 }] };
    const copy: Step = {
      kind: "kernel",
      kernel: { kind: "copy", name: "carry", from: place, to: rows, size: 1 },
    };
    const steps: Step[] = [
      { kind: "branch", index: place, cases: [[], [{ kind: "loop", counter, reverse: true, body: [copy] }]] },
      { kind: "while", test: [copy], predicate: place, body: [kernel] },
      { kind: "kernel", kernel: { kind: "print", name: "print", message: 0, operands: [place] } },
    ];
    expect(showSteps(steps)).toBe(
      [
        "branch on flag.2:",
        "  case 0:",
        "    nothing",
        "  case 1:",
        "    for t3 < 4 backwards:",
        "      copy carry: y1[2 + 16*t3..] <- flag.2, 1 element",
        "while:",
        "  copy carry: y1[2 + 16*t3..] <- flag.2, 1 element",
        "  leave unless flag.2",
        "  loop points [i < 8, j < 8] in order",
        "    v0 = exp(-x0[63 - 8*i - j])",
        "    y1[i, j] max= (v0 + 0.5) * (0.5 - v0) if 0.5 < v0",
        "print message 0 flag.2",
        "",
      ].join("\n"),
    );
  });
});

describe("showPlan", () => {
  it("says where buffers lie, what they share memory with, and which copies are left", () => {
    const { plan, steps } = recording();
    const lines = anonymous(showPlan(plan, steps)).split("\n");
    expect(lines[0]).toMatch(/^[\d,]+ bytes for \d+ buffers of [\d,]+ bytes together$/);
    const carry = lines.find((line) => / float32\[1200\] +carry /.test(line));
    expect(carry).toMatch(/ 4,800 .* (input0, )?dynamicUpdateSlice/);
    expect(lines.some((line) => /^\d+ of \d+ copies are left/.test(line))).toBe(true);
  });
});

/** An instruction as the assembler writes it. */
function encode({ name, immediate, values }: Instruction): Bytes {
  const bytes = new Bytes().append(encodings.get(name)?.bytes ?? new Uint8Array());
  const isByte = ["block", "lane", "f32", "v128", "lanes", "bulk"].includes(immediate);
  values.forEach((value, at) => {
    if (isByte || at === 2) bytes.byte(value);
    else if (immediate === "i32") bytes.signed(value);
    else bytes.unsigned(value);
  });
  return bytes;
}

describe("disassemble", () => {
  it("loses nothing: what it reads, written again, is what the assembler wrote", () => {
    for (const { parts, bytes } of [layer(), recording()]) {
      const decoded = decodeModule(bytes);
      expect(decoded.functions.map(({ name }) => name)).toEqual(parts.functions.map(({ name }) => name));
      decoded.functions.forEach(({ instructions }, index) => {
        const code = new Bytes();
        instructions.forEach((instruction) => code.append(encode(instruction)));
        const written = parts.functions[index].body().view();
        expect([...code.byte(0x0b).view()]).toEqual([...written.slice(-code.length)]);
      });
    }
  });

  it("shows every function, one instruction a line", () => {
    const { parts, bytes } = layer();
    const lines = disassemble(bytes).split("\n");
    const headers = lines.filter((line) => line.startsWith("  (func $"));
    expect(headers.length).toBe(parts.functions.length);
    const instructions = decodeModule(bytes).functions.flatMap((decoded) => decoded.instructions);
    expect(lines.filter((line) => /^ {4,}[a-z]/.test(line)).length).toBe(instructions.length);
    expect(lines).toContain('  (export "run" (func $run))');
    expect(lines.some((line) => /^ {4}call \$product_dot/.test(line))).toBe(true);
  });

  it("shows constants, lanes, memory, blocks and names so that they can be read", () => {
    const asm = new Assembler("kernel", ["i32"]);
    asm.block((leave) => {
      asm.vector([0x3f800000, 0x40000000, 0, -1]).vector([1, 2, 3, 4]).shuffle([0, 4, 1, 5]);
      asm.f32x4(0.1).f32x4(-2).op("f32x4.relaxed_madd").op("drop");
      asm.get(0).op("v128.load", 32).op("drop");
      asm.get(0).get(0).op("v128.load32_lane", 8, 3).op("drop");
      asm.get(0);
      leave();
    });
    const twin = new Assembler("kernel")
      .op("f32.const", 0.1)
      .op("drop")
      .i32(-5)
      .op("call", 0)
      .i32(1)
      .op("call", 1);
    const parts = { imports: [{ name: "print", params: ["i32" as const] }], functions: [asm, twin] };
    expect(disassemble(encodeModule({ ...parts, entry: 2, memoryBytes: 100_000 }))).toBe(
      [
        "(module",
        '  (import "host" "memory" (memory 2))',
        '  (import "host" "print" (func $print (param i32)))',
        '  (export "run" (func $kernel.2))',
        "  (func $kernel.1 (param $0 i32)",
        "    (local $1 v128) (local $2 v128)",
        "    v128.const f32x4 0.1 0.1 0.1 0.1",
        "    local.set $1",
        "    v128.const f32x4 -2 -2 -2 -2",
        "    local.set $2",
        "    block",
        "      v128.const i32x4 0x3f800000 0x40000000 0x00000000 0xffffffff",
        "      v128.const i32x4 0x00000001 0x00000002 0x00000003 0x00000004",
        "      i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23",
        "      local.get $1",
        "      local.get $2",
        "      f32x4.relaxed_madd",
        "      drop",
        "      local.get $0",
        "      v128.load offset=32",
        "      drop",
        "      local.get $0",
        "      local.get $0",
        "      v128.load32_lane offset=8 3",
        "      drop",
        "      local.get $0",
        "      br_if 0",
        "    end",
        "  )",
        "  (func $kernel.2",
        "    f32.const 0.1",
        "    drop",
        "    i32.const -5",
        "    call $print",
        "    i32.const 1",
        "    call $kernel.1",
        "  )",
        ")",
        "",
      ].join("\n"),
    );
  });

  it("refuses what it does not know, and says where", () => {
    const asm = new Assembler("odd");
    asm.code.byte(0xfd).unsigned(0x7f);
    const bytes = encodeModule({ imports: [], functions: [asm], entry: 0, memoryBytes: 0 });
    const at = bytes.indexOf(0xfd);
    expect(() => disassemble(bytes)).toThrow(`byte ${at} (0x${at.toString(16)}): unknown opcode 0xfd 0x7f`);
    expect(() => disassemble(layer().bytes.slice(0, -3))).toThrow("the bytes end too early");
    expect(() => disassemble(new Uint8Array(8))).toThrow("no module");
  });
});

describe("dumps", () => {
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.unstubAllGlobals();
  });
  const dump = (forms: CompiledForms) => writeDumps("jit(step)", forms);

  it("write a file for each pass that is asked for, numbered by compilation", () => {
    const folder = path.join(mkdtempSync(path.join(tmpdir(), "dump-")), "inner");
    vi.stubEnv("VIBE_RL_DUMP_DIR", folder);
    const forms = layer();
    try {
      vi.stubEnv("VIBE_RL_DUMP", "simplify, fuse,plan,wat");
      dump(forms);
      vi.stubEnv("VIBE_RL_DUMP", "fuse");
      dump(forms);
      const files = readdirSync(folder).sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
      const first = Number.parseInt(files[0]);
      expect(files).toEqual([
        ...["fuse.txt", "plan.txt", "simplify.txt", "wat"].map((suffix) => `${first}-jit_step.${suffix}`),
        `${first + 1}-jit_step.fuse.txt`,
      ]);
      const read = (suffix: string) => readFileSync(path.join(folder, `${first}-jit_step.${suffix}`), "utf8");
      expect(read("simplify.txt")).toMatch(/tanh/);
      expect(read("fuse.txt")).toBe(showSteps(forms.steps));
      expect(read("plan.txt")).toBe(showPlan(forms.plan, forms.steps));
      expect(read("wat")).toBe(disassemble(forms.bytes));
    } finally {
      rmSync(path.dirname(folder), { recursive: true });
    }
  });

  it("are not made without being asked for", () => {
    vi.stubEnv("VIBE_RL_DUMP", "");
    const unread = new Proxy({} as CompiledForms, { get: () => expect.fail("something was read") });
    dump(unread);
  });

  it("name the passes there are if one is unknown", () => {
    vi.stubEnv("VIBE_RL_DUMP", "fuse,render");
    const message = 'VIBE_RL_DUMP: there is no pass "render"; there are simplify, fuse, plan, wat, c';
    expect(() => dump(layer())).toThrow(message);
  });

  it("need a Node that hands out its modules", () => {
    const forms = layer();
    vi.stubGlobal("process", { env: { VIBE_RL_DUMP: "fuse" } });
    expect(() => dump(forms)).toThrow(ArrayError);
    expect(() => dump(forms)).toThrow(/Node 20\.16/);
  });

  it("are refused in bundles for browsers, which leave them out", () => {
    const forms = layer();
    writeNoDumps("step", forms);
    vi.stubEnv("VIBE_RL_DUMP", "fuse");
    expect(() => writeNoDumps("step", forms)).toThrow(/not part of bundles for browsers/);
  });
});

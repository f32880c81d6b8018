// The XLA device without a device: what goes to a plugin and back, what is freed, and what is said when something fails.
import v8 from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, describe, expect, it, vi } from "vitest";
import { blockUntilReady, np, type Array } from "vibe-rl/array";
import { traceProgram } from "../../../src/array/core/trace.js";
import { compileOptions } from "../../../src/device/xla/compileOptions.js";
import { XlaExecutable } from "../../../src/device/xla/executable.js";
import { donatedToHalves, XlaPair } from "../../../src/device/xla/pair.js";
import type { Program } from "../../../src/array/index.js";
import { stablehlo, type Halves } from "../../../src/compiler/index.js";
import type { Client } from "../../../src/device/xla/client.js";
import { compileProgram } from "../../../src/device/xla/programs.js";
import { XlaShardedExecutable } from "../../../src/device/xla/sharded.js";
import { failureOf } from "../native.js";
import { fakeProblem, newFake } from "./fake.js";

/** A function that returns its arguments, compiled; the fake runs nothing else. */
function compiled(
  client: Client,
  types: readonly Array[],
  donated: readonly boolean[],
  name = "same",
): XlaExecutable {
  const { program } = traceProgram(
    name,
    types.map(({ type }) => type),
    (inputs) => inputs,
  );
  const { text, messages, logSize } = stablehlo(program, { name, donated });
  const ready = {
    compiled: compileProgram(client, name, { text, options: { partitions: 1, settings: {} } }),
    messages,
    logSize,
  };
  return new XlaExecutable(client, name, ready, program, [], donated);
}

v8.setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

afterEach(() => vi.unstubAllEnvs());

describe.skipIf(fakeProblem("test/device/xla/device.test.ts") !== null)("the XLA device", () => {
  it("lists the plugin's devices", () => {
    const client = newFake({ devices: 2 }).client();
    expect(client.platform).toBe("fake");
    expect(client.devices.map(({ id, kind }) => [id, kind])).toEqual([
      [0, "Fake 9000"],
      [1, "Fake 9000"],
    ]);
  });

  it.each([
    [
      "of another major version",
      { major: 1 },
      /has version 1\.115 of the PJRT interface, and 0\.40 or a newer 0\.x is needed/,
    ],
    ["that is too old", { minor: 12 }, /has version 0\.12 of the PJRT interface/],
    ["without a function", { holes: 1 }, /\(PJRT 0\.115\) has no function PJRT_Buffer_ToHostBuffer/],
    ["that does not start", { createStatus: 5 }, /does not start: no device was found/],
    ["without devices", { devices: 0 }, /has no devices here/],
  ])("says what is wrong with a plugin %s", (_, settings, words) => {
    expect(failureOf(() => newFake(settings).client())).toMatch(words);
  });

  it("says what the plugin says about a program", () => {
    const client = newFake().client();
    expect(failureOf(() => compiled(client, [np.ones([2])], [false], "refused"))).toContain(
      "XLA cannot compile refused: error: this text is refused",
    );
  });

  it("runs halves of a program one after the other, and keeps of the first what is a result", () => {
    const fake = newFake();
    const client = fake.client();
    const same = (...types: number[]) =>
      traceProgram(
        "same",
        types.map((size) => np.ones([size]).type),
        (inputs) => inputs,
      ).program;
    const ready = (programs: readonly Program[]) =>
      programs.map((program) => {
        const { text } = stablehlo(program, { name: "same", donated: [] });
        return {
          compiled: compileProgram(client, "same", { text, options: { partitions: 1, settings: {} } }),
          ...{ messages: [], logSize: 0 },
        };
      });
    const halves: Halves = {
      first: { program: same(2, 3, 4), inputs: [0, 1, 3], hardlyMultiplies: false },
      second: { program: same(1, 4, 3), inputs: [2], hardlyMultiplies: false },
      handed: [2, 1],
      results: [
        { half: "second", at: 1 },
        { half: "first", at: 1 },
        { half: "second", at: 0 },
        { half: "first", at: 0 },
      ],
    };
    const donated = donatedToHalves(halves, [false, true, true, true]);
    expect(donated).toEqual([
      [false, true, true],
      [true, false, false],
    ]);
    const compiled = ready([halves.first.program, halves.second.program]);
    const kept = donated.map((flags) => flags.map(() => false));
    const pair = new XlaPair(client, "same", halves, compiled, [np.array([1, 2])], kept);
    const results = pair.run([np.array([3, 4, 5]), np.array([6]), np.array([7, 8, 9, 10])]);
    expect(results.map((x) => x.toArray())).toEqual([[7, 8, 9, 10], [3, 4, 5], [6], [1, 2]]);
    // The constant, three results of the second half, and two of the first: what was only handed on is gone.
    expect(fake.get("buffers")).toBe(6);
  });

  it("leaves results where they are until they are read, and arguments that are there", () => {
    const fake = newFake();
    const program = compiled(fake.client(), [np.ones([3]), np.ones([])], [false, false]);
    const [x, y] = program.run([np.array([1, 2, 3]), np.array(4)]);
    expect([fake.get("sent"), fake.get("fetched"), fake.get("buffers")]).toEqual([2, 0, 2]);
    const [z] = program.run([x, y]);
    expect([fake.get("sent"), fake.get("fetched")]).toEqual([2, 0]);
    // Small results of one run come together.
    expect([...z.data()]).toEqual([1, 2, 3]);
    expect(fake.get("fetched")).toBe(2);
    expect(fake.get("events")).toBe(0);
  });

  it("has results waited for while the event loop turns", async () => {
    const fake = newFake();
    const program = compiled(fake.client(), [np.ones([3]), np.ones([])], [true, false]);
    const [x, y] = program.run([np.array([1, 2, 3]), np.array(4)]);
    fake.set("looks", 20);
    let hasTurned = false;
    setImmediate(() => (hasTurned = true));
    await blockUntilReady({ x, y });
    expect(hasTurned).toBe(true);
    expect([fake.get("fetched"), fake.get("events")]).toEqual([0, 0]);
    expect(x.toArray()).toEqual([1, 2, 3]);
    // What is here is not waited for.
    fake.set("looks", 1_000_000_000);
    await blockUntilReady(x);
  });

  it("keeps all dtypes, large arrays and empty ones", () => {
    const client = newFake().client();
    const arrays = [
      np.array([true, false, true]),
      np.array([1, 255], { dtype: "uint8" }),
      np.array([-1, 7], { dtype: "int32" }),
      np.array([0xffffffff], { dtype: "uint32" }),
      np.arange(100_000).astype("float32").reshape([100, 1000]),
      np.zeros([0, 3]),
    ];
    const results = compiled(
      client,
      arrays,
      arrays.map(() => false),
    ).run(arrays);
    results.forEach((result, at) => expect(result.data()).toEqual(arrays[at].data()));
  });

  it("gives up donated arguments, and says so to who reads one afterwards", () => {
    const fake = newFake();
    const program = compiled(fake.client(), [np.ones([3])], [true]);
    const [x] = program.run([np.array([1, 2, 3])]);
    const [y] = program.run([x]);
    expect(failureOf(() => x.data())).toContain("this array was given up to a later call (donateArgnums)");
    expect([...y.data()]).toEqual([1, 2, 3]);
    // What was read before is still known.
    const [z] = program.run([y]);
    expect([...y.data()]).toEqual([...z.data()]);
  });

  it("does not give up an argument that is there twice", () => {
    const program = compiled(newFake().client(), [np.ones([3]), np.ones([3])], [true, false]);
    const [x] = program.run([np.array([1, 2, 3]), np.zeros([3])]);
    const [first, second] = program.run([x, x]);
    expect([[...first.data()], [...second.data()], [...x.data()]]).toEqual([
      [1, 2, 3],
      [1, 2, 3],
      [1, 2, 3],
    ]);
  });

  it("holds few buffers however many calls there are in a turn, and gives results up that no longer fit", () => {
    const fake = newFake();
    const program = compiled(fake.client(), [np.ones([3])], [false]);
    let x: Array = np.array([1, 2, 3]);
    for (let call = 0; call < 9000; call++) [x] = program.run([x]);
    expect(fake.get("buffers")).toBeLessThan(5000);
    expect([...x.data()]).toEqual([1, 2, 3]);
  });

  it("frees buffers with their arrays", async () => {
    const fake = newFake();
    const program = compiled(fake.client(), [np.ones([3])], [false]);
    const given = np.array([1, 2, 3]);
    for (let call = 0; call < 500; call++) program.run([given]);
    // A collection alone may take more than the second that is waited by default.
    await vi.waitFor(
      () => {
        collectGarbage();
        expect(fake.get("buffers")).toBeLessThan(100);
      },
      { timeout: 30_000 },
    );
  });

  it("makes room where the device is full, and says so where there is none", () => {
    const fake = newFake();
    const client = fake.client();
    const filler = compiled(client, [np.ones([3])], [false]);
    const full = compiled(client, [np.ones([3])], [false], "full");
    const results = [...new Uint8Array(10)].map(() => filler.run([np.array([1, 2, 3])])[0]);
    fake.set("room", 5);
    expect([...full.run([np.array([4, 5, 6])])[0].data()]).toEqual([4, 5, 6]);
    expect([...results[9].data()]).toEqual([1, 2, 3]);
    fake.set("room", -1);
    expect(failureOf(() => full.run([np.array([4, 5, 6])]))).toMatch(
      /full cannot run: RESOURCE_EXHAUSTED: .*; the memory of the device is full: use smaller arrays/,
    );
  });

  it("makes room before the device is full, where the plugin tells how full it is", () => {
    const fake = newFake({ limit: 100_000, temporary: 10_000 });
    const program = compiled(fake.client(), [np.ones([1000])], [false]);
    const given = np.arange(1000).astype("float32");
    const results = [...new Uint8Array(100)].map(() => {
      const [result] = program.run([given]);
      expect(fake.get("bytes")).toBeLessThan(90_000);
      return result;
    });
    expect(results.map((result) => result.data()[999])).toEqual(results.map(() => 999));
    expect(fake.get("fetched")).toBe(100);
  });

  it("makes room for arguments and for compiling, keeps what the call needs, and frees what it has sent if it cannot run", () => {
    const fake = newFake();
    const client = fake.client();
    const program = compiled(client, [np.ones([3]), np.ones([3])], [false, false]);
    const given = np.array([1, 2, 3]);
    const results = [...new Uint8Array(5)].map(() => program.run([given, given])[0]);
    fake.set("sendRoom", 2);
    const [x, y] = program.run([np.array([4, 5, 6]), results[4]]);
    expect([[...x.data()], [...y.data()], [...results[0].data()]]).toEqual([
      [4, 5, 6],
      [1, 2, 3],
      [1, 2, 3],
    ]);
    fake.set("compileRoom", 1);
    expect(compiled(client, [given], [false]).run([given])[0].data()[2]).toBe(3);
    fake.set("sendRoom", 0);
    const before = fake.get("buffers");
    expect(failureOf(() => program.run([np.array([4, 5, 6]), results[4]]))).toMatch(
      /an argument of 12 bytes cannot be copied to the device: RESOURCE_EXHAUSTED/,
    );
    fake.set("sendRoom", 1 << 30);
    fake.set("failRun", 1);
    expect(failureOf(() => program.run([given, given]))).toContain("same cannot run: the device was lost");
    expect(fake.get("buffers")).toBeLessThanOrEqual(before);
  });

  it("tells that the device was lost, and goes on", () => {
    const fake = newFake();
    const program = compiled(fake.client(), [np.ones([3])], [false]);
    const [x] = program.run([np.array([1, 2, 3])]);
    fake.set("failFetch", 1);
    expect(failureOf(() => x.data())).toContain(
      "a result cannot be fetched from the device: the device was lost",
    );
    // What cannot be fetched does not keep others from making room.
    const others = [...new Uint8Array(3)].map(() => program.run([np.array([1, 2, 3])])[0]);
    fake.set("sendRoom", 2);
    expect(failureOf(() => program.run([np.ones([3])]))).toContain("cannot be copied to the device");
    fake.set("failFetch", 0);
    expect([...program.run([np.array([4, 5, 6])])[0].data()]).toEqual([4, 5, 6]);
    expect([...x.data(), ...others[2].data()]).toEqual([1, 2, 3, 1, 2, 3]);
  });

  it("gives every device its blocks, and puts results together", () => {
    const fake = newFake({ devices: 2 });
    const { program } = traceProgram("split", [np.ones([4]).type], (inputs) => inputs);
    const options = {
      ...{ name: "split", axes: [{ name: "a", size: 2 }], constants: [], donated: [false] },
      ...{ inputs: [[["a"]]], outputs: [[["a"]]] },
    };
    const executable = new XlaShardedExecutable(fake.client(), program, options);
    const blocks = [new Float32Array([1, 2]), new Float32Array([3, 4])];
    const [once] = executable.run([{ read: (device) => blocks[device] }]);
    const [twice] = executable.run([once]);
    expect([0, 1].map((device) => [...twice.read(device)])).toEqual([
      [1, 2],
      [3, 4],
    ]);
    expect([fake.get("sent"), fake.get("runs")]).toEqual([2, 2]);
    const tooMany = { ...options, axes: [{ name: "a", size: 4 }] };
    expect(failureOf(() => new XlaShardedExecutable(fake.client(), program, tooMany))).toContain(
      "split over 4 devices, and XLA has 2 here (Fake 9000)",
    );
  });

  it("takes options from the environment", () => {
    vi.stubEnv("VIBE_RL_XLA_MEMORY_FRACTION", "0.5");
    vi.stubEnv("VIBE_RL_XLA_DEVICES", "0,1");
    const fake = newFake();
    fake.client();
    expect(fake.get("options")).toBe(2);
    vi.stubEnv("VIBE_RL_XLA_MEMORY_FRACTION", "2");
    expect(failureOf(() => fake.client())).toContain(
      "VIBE_RL_XLA_MEMORY_FRACTION: it must be a number greater than 0, at most 1",
    );
  });
});

describe("options for the compiler", () => {
  it("are the bytes that XLA reads", () => {
    expect([...compileOptions({ partitions: 1, settings: {} })]).toEqual([
      ...[0x1a, 0x0f, 0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
      ...[0x20, 0x01, 0x28, 0x01],
    ]);
    const bytes = compileOptions({ partitions: 1, settings: { a: true, b: 0 } });
    expect([...bytes.slice(17)]).toEqual([
      ...[0x3a, 0x07, 0x0a, 0x01, 0x61, 0x12, 0x02, 0x10, 0x01],
      ...[0x3a, 0x07, 0x0a, 0x01, 0x62, 0x12, 0x02, 0x18, 0x00],
    ]);
  });
});

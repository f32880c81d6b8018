// The CUDA device on a real GPU, with programs in PTX by hand: what the driver without a GPU cannot show.
import { afterEach, describe, expect, it, vi } from "vitest";
import { blockUntilReady, np, type Array } from "vibe-rl/array";
import type { Compiled, Slot } from "../../../src/compiler/index.js";
import { cudaProblem } from "../../../src/device/index.js";
import { findCard, type Card } from "../../../src/device/cuda/card.js";
import { CudaDevice } from "../../../src/device/cuda/device.js";
import { findDriver, type Driver } from "../../../src/device/cuda/driver.js";
import { engineOf, type Engine } from "../../../src/device/cuda/engine.js";
import { status } from "../../../src/device/cuda/functions.js";
import { Starter } from "../../../src/device/cuda/launch.js";
import { linked } from "../../../src/device/cuda/link.js";
import { CudaMemory } from "../../../src/device/cuda/memory.js";
import { CudaModule } from "../../../src/device/cuda/module.js";
import { MemoryExecutable } from "../../../src/device/executable.js";
import { failureOf } from "../native.js";

const problem = cudaProblem();
const isSkipped = problem !== null;

afterEach(() => void vi.restoreAllMocks());

const floats = (address: number, ...shape: number[]): Slot => ({ address, dtype: "float32", shape });
const size = 4096;
/** `x` and `y` one behind the other, then the word in which blocks leave a number each. */
const slots = [floats(0, size), floats(4 * size, size), floats(8 * size, 64)];
const messages = [
  { params: { format: "y begins with {y}", names: ["y"], batchDims: 0 }, values: [floats(4 * size, 2)] },
];

/** Adds `x` to `y`; then `body`. `$memory`, `$host`, `$at` and `$first` (the first thread of all) are there for it. */
const text = (body: string): string => `
.version 7.0
.target sm_80
.address_size 64
.visible .entry vibe_rl_run(.param .u64 memory, .param .u64 control, .param .u64 host)
{
  .reg .u64 %memory, %control, %host, %x, %y, %offset;
  .reg .u32 %block, %threads, %thread, %at, %blocks, %word, %old;
  .reg .f32 %a, %b;
  .reg .pred %outside, %first, %waiting;
  ld.param.u64 %memory, [memory];
  ld.param.u64 %control, [control];
  ld.param.u64 %host, [host];
  mov.u32 %block, %ctaid.x;
  mov.u32 %blocks, %nctaid.x;
  mov.u32 %threads, %ntid.x;
  mov.u32 %thread, %tid.x;
  mad.lo.u32 %at, %block, %threads, %thread;
  setp.eq.u32 %first, %at, 0;
  setp.ge.u32 %outside, %at, ${size};
  mul.wide.u32 %offset, %at, 4;
  add.u64 %x, %memory, %offset;
  add.u64 %y, %x, ${4 * size};
  @%outside bra ADDED;
  ld.global.f32 %a, [%x];
  ld.global.f32 %b, [%y];
  add.f32 %b, %b, %a;
  st.global.f32 [%y], %b;
ADDED:
  ${body}
  ret;
}`;

/** Has message 0 printed: everything before is seen by the host, then it waits for a zero. */
const printing = `
  @!%first bra PRINTED;
  fence.acq_rel.sys;
  mov.u32 %word, 1;
  st.release.sys.global.u32 [%host], %word;
WAIT:
  ld.acquire.sys.global.u32 %word, [%host];
  setp.ne.u32 %waiting, %word, 0;
  @%waiting bra WAIT;
PRINTED:`;

/** All blocks wait for each other: each adds one to the first word of the control block. */
const meeting = `
  bar.sync 0;
  setp.ne.u32 %waiting, %thread, 0;
  @%waiting bra MET;
  atom.add.acq_rel.gpu.global.u32 %old, [%control], 1;
  div.u32 %old, %old, %blocks;
  add.u32 %old, %old, 1;
  mul.lo.u32 %old, %old, %blocks;
MEET:
  ld.acquire.gpu.global.u32 %word, [%control];
  setp.lt.u32 %waiting, %word, %old;
  @%waiting bra MEET;
MET:`;

/** Takes a tenth of a second. */
const slow = `
{
  .reg .u64 %begun, %now;
  mov.u64 %begun, %globaltimer;
AGAIN:
  mov.u64 %now, %globaltimer;
  sub.u64 %now, %now, %begun;
  setp.lt.u64 %waiting, %now, 100000000;
  @%waiting bra AGAIN;
}`;

const engineHere = (): Engine => {
  const driver = findDriver() as Driver;
  return engineOf(new CudaDevice(driver, findCard(driver) as Card));
};

/** The program with both arguments given up. */
function programOf(
  engine: Engine,
  body: string,
  { blocks = 16, sharedBytes = 0, hasMessages = false } = {},
): MemoryExecutable {
  const launch = { blocks, threads: size / 16, sharedBytes, isCluster: false, kernels: [], profile: null };
  const layout: Omit<Compiled<unknown>, "code"> = {
    memoryBytes: 8 * size + 256,
    inputs: slots.slice(0, 2),
    outputs: slots.slice(0, 2),
    messages: hasMessages ? messages : [],
  };
  const code = linked(engine.device, { name: "a test", text: text(body), registers: null });
  const module = new CudaModule(engine.device, "a test", code, launch);
  const memory = new CudaMemory(engine, "a test");
  return new MemoryExecutable(layout, [], [true, true], memory, (print) => {
    const starter = new Starter(engine, { name: "a test", module, launch, layout }, memory, print);
    return () => starter.run();
  });
}

const lastOf = (array: Array): number => array.data()[size - 1];

describe.skipIf(isSkipped)("a GPU", () => {
  it("runs a program again and again in its own memory", () => {
    const program = programOf(engineHere(), meeting);
    let [x, y] = program.run([np.ones([size]), np.arange(size).astype("float32")]);
    for (let turn = 0; turn < 100; turn++) [x, y] = program.run([x, y]);
    expect([lastOf(x), lastOf(y), y.data()[0]]).toEqual([1, size - 1 + 101, 101]);
  });

  it("has a block to itself, with much shared memory", () => {
    const program = programOf(engineHere(), "", { blocks: 1, sharedBytes: 100 * 1024 });
    const [, y] = program.run([np.ones([size]), np.zeros([size])]);
    expect([y.data()[0], y.data()[255], y.data()[256]]).toEqual([1, 1, 0]);
  });

  it("runs a program while the event loop turns", async () => {
    const engine = engineHere();
    const program = programOf(engine, slow);
    const [, y] = program.run([np.ones([size]), np.zeros([size])]);
    expect(engine.device.driver.call.cuStreamQuery(engine.device.work)).toBe(status.notReady);
    let turns = 0;
    const counting = setInterval(() => (turns += 1), 1);
    await blockUntilReady(y);
    clearInterval(counting);
    expect(turns).toBeGreaterThan(2);
    expect(lastOf(y)).toBe(1);
  });

  it("prints what memory holds while the program waits", () => {
    const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
    const program = programOf(engineHere(), meeting + printing, { hasMessages: true });
    let [x, y] = program.run([np.ones([size]), np.zeros([size])]);
    [x, y] = program.run([x, y]);
    expect(log.mock.calls.flat()).toEqual(["y begins with [1,1]", "y begins with [2,2]"]);
    expect([lastOf(x), lastOf(y)]).toEqual([1, 2]);
  });

  it("copies arrays larger than the pinned memory that they go through", () => {
    const engine = engineHere();
    const memory = new CudaMemory(engine, "a test");
    const count = 5_000_000;
    const slot = { address: 256, dtype: "uint32", shape: [count] } as const;
    memory.ensure(4 * count + 256);
    const given = Uint32Array.from({ length: count }, (_, at) => at * 3);
    memory.write(slot, given);
    engine.device.wait(engine.device.work, "a test");
    expect(Buffer.compare(Buffer.from(memory.read(slot, count).buffer), Buffer.from(given.buffer))).toBe(0);
  });

  it("says what is wrong with a text", () => {
    const message = failureOf(() => programOf(engineHere(), "add.f33 %a, %a, %b;"));
    expect(message).toMatch(
      /the compiler in the driver .* failed on a test, PTX 7.0: CUDA_ERROR_INVALID_PTX \(218\)/,
    );
    expect(message).toMatch(/ptxas .*line \d+/);
  });

  it("refuses more blocks than it has room for", () => {
    const program = programOf(engineHere(), meeting, { blocks: 100_000 });
    expect(failureOf(() => program.run([np.ones([size]), np.ones([size])]))).toContain(
      "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE (720)",
    );
  });

  it("refuses more memory than it has, and says how much is free", () => {
    const memory = new CudaMemory(engineHere(), "a test");
    expect(failureOf(() => memory.ensure(2 ** 42))).toMatch(
      /a test needs 4096.00 GiB of GPU memory, and .* has .* GiB free of .* GiB/,
    );
  });
});

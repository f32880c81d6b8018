// What is wrong with a GPU, its driver or a program, in words.
import path from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { jit, np, type Array } from "vibe-rl/array";
import { cudaProblem } from "../../../src/device/index.js";
import * as noCuda from "../../../src/device/cuda/noCuda.js";
import { temporaryFolder } from "../../temporary.js";
import { failureOf } from "../native.js";
import { fakeDevice, fakeProblem, interpreted, renderingText, useFake } from "./fake.js";

const isSkipped = fakeProblem("test/device/cuda/errors.test.ts, in part,") !== null;

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const run = (options: object): number =>
  jit(function added(x: Array) {
    return x.add(1);
  }, options)(np.float32(1)).item();
const failure = (options: object): string => failureOf(() => run(options));

describe("without a GPU", () => {
  it("programs are refused with what to install, and WebAssembly goes on", () => {
    const file = path.join(temporaryFolder(), "libcuda.so.1");
    vi.stubEnv("VIBE_RL_LIBCUDA", file);
    vi.stubEnv("VIBE_RL_DEVICE", undefined);
    const message = failure({ device: "cuda" });
    expect(message).toContain(`cuda: programs cannot run on a GPU here: `);
    expect(message).toContain('device: "wasm" needs nothing');
    if (!isSkipped) {
      expect(cudaProblem()).toMatch(
        /^VIBE_RL_LIBCUDA is ".*libcuda.so.1", which cannot be loaded .*or unset it$/,
      );
    }
    expect(run({ device: "auto" })).toBe(2);
  });

  it("bundles for browsers say so", () => {
    const { compile, name } = noCuda.cudaDevice();
    expect(name).toBe("cuda");
    expect(() => compile(null as never, null as never)).toThrow("cuda: programs for NVIDIA GPUs need Node");
    expect(noCuda.cudaProblem()).toContain("are not part of bundles");
  });
});

describe.skipIf(isSkipped)("the driver", () => {
  it.each([
    [
      "of two versions",
      { init: 803 },
      /does not start: CUDA_ERROR_SYSTEM_DRIVER_MISMATCH \(803\): .*: restart the machine/,
    ],
    ["of no device", { init: 100 }, /does not start: CUDA_ERROR_NO_DEVICE \(100\): .*; nvidia-smi shows/],
    ["that sees none", { devices: 0 }, /sees no GPU: CUDA_ERROR_NO_DEVICE \(100\): .*CUDA_VISIBLE_DEVICES/],
    ["that counts none", { countStatus: 999 }, /sees no GPU: a status without a name \(999\)/],
    [
      "of an old device",
      { major: 7, minor: 5 },
      /Fake GPU 0 has compute capability 7.5, and programs are made for 8.0 and newer \(Ampere/,
    ],
  ])("%s is told of", (_, settings, message) => {
    useFake(settings);
    expect(cudaProblem()).toMatch(message);
    expect(failure(fakeDevice())).toMatch(message);
  });

  it("uses the GPU that VIBE_RL_CUDA_DEVICE names", () => {
    const { get } = useFake({ devices: 3 });
    vi.stubEnv("VIBE_RL_CUDA_DEVICE", "2");
    expect(run(fakeDevice())).toBe(2);
    expect(get("device")).toBe(2);
    vi.stubEnv("VIBE_RL_CUDA_DEVICE", "3");
    expect(failure(fakeDevice())).toBe(
      'VIBE_RL_CUDA_DEVICE: must be the number of a GPU, from 0 to 2 here, got "3"',
    );
  });

  it("may have a context already", () => {
    useFake({ flagsStatus: 708 });
    expect(run(fakeDevice())).toBe(2);
  });
});

describe.skipIf(isSkipped)("programs that cannot be had", () => {
  it("are shown with what the driver's compiler says", () => {
    useFake();
    expect(failure(fakeDevice(renderingText(() => "@syntax")))).toMatch(
      /the compiler in the driver \(CUDA 13.0\) failed on jit\(added\), PTX 7.8: CUDA_ERROR_INVALID_PTX \(218\): .*\nptxas jit\(added\), line 7; fatal: Parsing error near '@syntax'\nVIBE_RL_DUMP=ptx writes/,
    );
  });

  it("are too new for the driver", () => {
    useFake({ linkStatus: 222, version: 11040 });
    expect(failure(fakeDevice())).toMatch(
      /the driver is too old for jit\(added\): it is for CUDA 11.4 and does not know PTX 7.8 \(CUDA_ERROR_UNSUPPORTED_PTX_VERSION \(222\).*update NVIDIA's driver/,
    );
  });

  it("have no entry", () => {
    useFake();
    expect(failure(fakeDevice(renderingText(() => "@nameless")))).toMatch(
      /looking for vibe_rl_run in jit\(added\) failed: CUDA_ERROR_NOT_FOUND \(500\)/,
    );
  });

  it("need more memory than there is", () => {
    useFake({ totalBytes: 2 ** 20 });
    const f = jit((x: Array) => x.add(1), { donateArgnums: 0, ...fakeDevice() });
    expect(failureOf(() => f(np.ones([2 ** 19])))).toMatch(
      /^cuda: jit needs \d\.\d MiB of GPU memory, and Fake GPU 0 has 1.0 MiB free of 1.0 MiB \(CUDA_ERROR_OUT_OF_MEMORY \(2\): out of memory\); use smaller arrays .*nvidia-smi/,
    );
  });

  it("need more shared memory than there is", () => {
    useFake();
    expect(failure(fakeDevice(interpreted({ sharedBytes: 300_000 })))).toMatch(
      /giving blocks of jit\(added\) 300000 bytes of shared memory \(Fake GPU 0 has 232448\) failed: CUDA_ERROR_INVALID_VALUE/,
    );
  });

  it("have more blocks than can run together", () => {
    useFake();
    expect(failure(fakeDevice(interpreted({ blocks: 9 })))).toMatch(
      /starting jit\(added\) with 9 blocks of 32 threads and 0 bytes of shared memory failed: CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE \(720\): .*room for 2 on each of its 4 multiprocessors; .*MPS/,
    );
    useFake({ cooperative: 0 });
    expect(failure(fakeDevice(interpreted({ blocks: 2 })))).toMatch(
      /Fake GPU 0 cannot start jit\(added\), whose 2 blocks wait for each other/,
    );
  });
});

describe.skipIf(isSkipped)("clusters", () => {
  it("have more blocks than the GPU has in one piece", () => {
    useFake({ clusters: 1, multiprocessors: 4 });
    expect(failure(fakeDevice(interpreted({ blocks: 8, isCluster: true })))).toMatch(
      /starting jit\(added\) with 8 blocks of 32 threads and 0 bytes of shared memory failed: CUDA_ERROR_INVALID_CLUSTER_SIZE \(912\): .*let this process have it all/,
    );
  });
});

describe.skipIf(isSkipped)("programs that fail", () => {
  it("take the context with them, and say which they were", () => {
    useFake();
    const options = fakeDevice(renderingText(() => "@kernel 12 @status 700"));
    expect(failure(options)).toMatch(
      /^cuda: running jit\(added\) failed: CUDA_ERROR_ILLEGAL_ADDRESS \(700\): an illegal memory access was encountered. With VIBE_RL_CUDA_TRACE=1 it tells which of its kernels it was in. The context is lost .*from the last checkpoint/,
    );
    expect(failure(options)).toMatch(
      /nothing can run on Fake GPU 0 in this process any more, since running jit\(added\) has failed with status 700; start the process again/,
    );
  });

  it("say which kernel they were in, if they are traced", () => {
    vi.stubEnv("VIBE_RL_CUDA_TRACE", "1");
    const failing = (text: string) => {
      useFake();
      return failure(fakeDevice(renderingText(() => text, { kernels: ["first", "loop 17"] })));
    };
    expect(failing("@kernel 2\n@status 700")).toContain("It was in its kernel 1 (loop 17)");
    expect(failing("@status 700")).toContain("It was before its first kernel");
  });

  it("take too long for a GPU with a display", () => {
    useFake();
    expect(failure(fakeDevice(renderingText(() => "@status 702")))).toMatch(
      /CUDA_ERROR_LAUNCH_TIMEOUT \(702\): .*The system ends programs on a GPU that drives a display .*The context is lost/,
    );
  });
});

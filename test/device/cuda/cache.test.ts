// Programs for a GPU on disk: linked once, known again without being compiled.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { jit, np, type Array } from "vibe-rl/array";
import { cachePath } from "../../../src/device/cache/folder.js";
import { listCache } from "../../../src/device/cache/keeping.js";
import { temporaryFolder, warningsOf } from "../../temporary.js";
import { fakeDevice, fakeProblem, renderingText, useFake } from "./fake.js";

const isSkipped = fakeProblem("test/device/cuda/cache.test.ts") !== null;

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** A device that counts what it renders. */
function countingDevice(text = ""): { readonly device: string; readonly renders: () => number } {
  let count = 0;
  const { device } = fakeDevice(
    renderingText(() => {
      count++;
      return text;
    }),
  );
  return { device, renders: () => count };
}

const run = (device: string): unknown => jit((x: Array) => x.add(1), { device })(np.ones([2]));

describe.skipIf(isSkipped)("programs for a GPU", () => {
  it("are linked once, and by later processes neither compiled nor rendered", () => {
    const { get } = useFake();
    const [first, second] = [countingDevice(), countingDevice()];
    for (const { device } of [first, second]) run(device);
    expect([get("links"), get("modules"), first.renders(), second.renders()]).toEqual([1, 2, 1, 0]);
    expect(listCache().entries.map(({ program, compiler }) => [program, compiler])).toEqual([
      ["jit", "CUDA 13.0 sm_90"],
    ]);
    expect(fs.readdirSync(path.join(cachePath(), listCache().entries[0].key)).sort()).toEqual([
      "entry.json",
      "program.cubin",
    ]);
  });

  it("are linked anew for another text, GPU or driver, and rendered anew to be traced", () => {
    const fake = useFake();
    run(countingDevice("@call").device);
    fake.set("minor", 6);
    run(countingDevice().device);
    run(countingDevice().device);
    expect(fake.get("links")).toBe(2);
    vi.stubEnv("VIBE_RL_CUDA_TRACE", "1");
    const { device, renders } = countingDevice();
    run(device);
    expect([renders(), fake.get("links")]).toEqual([1, 2]);
  });

  it("are linked anew where what is kept is damaged", () => {
    const { get } = useFake();
    run(countingDevice().device);
    const file = path.join(cachePath(), listCache().entries[0].key, "program.cubin");
    fs.writeFileSync(file, "CUBIN of somebody else");
    run(countingDevice().device);
    expect(get("links")).toBe(2);
    expect(fs.readFileSync(file, "utf8")).toContain(".version 7.8");
  });

  it("run where nothing can be kept, with a warning", async () => {
    const { get } = useFake();
    const file = path.join(temporaryFolder(), "file");
    fs.writeFileSync(file, "");
    vi.stubEnv("VIBE_RL_CACHE_DIR", path.join(file, "cache"));
    const warnings = await warningsOf("CudaWarning", () => [
      run(countingDevice().device),
      run(countingDevice().device),
    ]);
    expect(warnings).toEqual([
      expect.stringMatching(/are linked anew in every process, since .*VIBE_RL_CACHE_DIR/),
    ]);
    expect(get("links")).toBe(2);
  });

  it("are found by another process", () => {
    const { file, get } = useFake();
    run(countingDevice().device);
    expect(get("links")).toBe(1);
    const script = `
      import { jit, np, registerBackend } from "./dist/array/index.js";
      import { cudaBackend } from "./dist/device/cuda/backend.js";
      import { findKoffi } from "./dist/device/koffi.js";
      const refuse = () => { throw new Error("it was rendered"); };
      registerBackend(cudaBackend(refuse));
      jit((x) => x.add(1))(np.ones([2]));
      const get = findKoffi().load(${JSON.stringify(file)}).func("fake_get", "int64", ["str"]);
      console.log(get("links"), get("launches"));
    `;
    const said = execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
    expect(said.trim()).toBe("0 1");
  });
});

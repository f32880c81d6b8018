// Programs that are traced or profiled tell which kernel they are in, and how long each took, and do nothing else differently.
import { describe, expect, it } from "vitest";
import { jit, np, type Array } from "vibe-rl/array";
import { registerBackend } from "../../../src/array/index.js";
import { ptxRenderer, type PtxTarget } from "../../../src/compiler/index.js";
import { failureOf, isWithoutNative } from "../../device/native.js";
import { compileFor } from "../forms.js";
import { emulatedPtx } from "./backend.js";
import { emulate } from "./emulate.js";

const target: PtxTarget = { multiprocessors: 4, sharedBytes: 64 * 1024, threads: 128 };

/** A sum that takes two kernels, behind a product that is divided over blocks where there are several. */
const f = (x: Array) => {
  const y = np.tanh(x.matmul(x.T)).matmul(x);
  return [y.sub(y.mean()), np.sort(y.reshape([-1]))];
};
const x = np.sin(np.arange(128 * 32).astype("float32")).reshape([128, 32]);

const numbersIn = (text: string): number[] =>
  [...text.matchAll(/st\.volatile\.global\.u32 \[%rd\d+\+4\], (\d+);/g)].map(([, number]) => Number(number));

/** PTX whose kernel of a name looks for something in a place where there is no memory. */
const astray = (text: string, name: string): string => {
  const head = `// ${name}\n`;
  expect(text).toContain(head);
  const look = "{ .reg .b64 nowhere; .reg .b32 got; mov.u64 nowhere, 4096; ld.global.u32 got, [nowhere]; }";
  return text.replace(head, `${head}${look}\n`);
};

describe.skipIf(isWithoutNative("test/compiler/ptx/watching.test.ts"))(
  "programs in PTX that are watched",
  () => {
    it("name the kernel that leaves its memory, if they are traced", () => {
      const { compiled } = compileFor(ptxRenderer({ ...target, mostBlocks: 1, isTraced: true }))(f, x);
      const { text, kernels, ...launch } = compiled.code;
      expect(numbersIn(text)).toEqual(kernels.map((_, at) => at + 1));
      const memoryBytes = compiled.memoryBytes;
      const run = (code: string) => emulate(code, { ...launch, memoryBytes })(new Uint8Array(memoryBytes));
      run(text);
      expect(failureOf(() => run(astray(text, kernels[2])))).toMatch(/, in kernel 2$/);
    });

    it.for<keyof PtxTarget>(["isTraced", "isProfiled"])("give the same bits as others (%s)", (which) => {
      const watched = { ...target, [which]: true };
      expect(compileFor(ptxRenderer(watched))(f, x).compiled.code.blocks).toBe(4);
      registerBackend(emulatedPtx("plain ptx", target), { isDefault: false });
      registerBackend(emulatedPtx(`${which} ptx`, watched), { isDefault: false });
      const [plain, other] = ["plain ptx", `${which} ptx`].map((device) => jit(f, { device })(x));
      other.forEach((value, at) => expect(value.toArray()).toEqual(plain[at].toArray()));
    });
  },
);

// The types of the package from its tarball: for strict projects with any resolution, with nothing but ES2022.
// `npm run test:long` asks the compiler of before TypeScript 7, too.
import { execFile } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isLong } from "../long.js";
import { root } from "./modules.js";
import { installedProject, type Project } from "./project.js";

let project: Project;
beforeAll(async () => {
  project = await installedProject();
});
afterAll(() => project.remove());

const user = `
import { grad, jit, np, type Array } from "vibe-rl";
import * as subPaths from "./subPaths.js";
import { PPOConfig, type PPOState } from "vibe-rl/algorithms/ppo";
import { RunDir } from "vibe-rl/runDir";
import { RunnerConfig, trainPPO } from "vibe-rl/runner";
import { make } from "vibe-rl/env";
import { loadPolicy, presets, PPO, type Policy, type TrainConfig } from "vibe-rl";
import { fromSafetensors, toSafetensors } from "vibe-rl/checkpoint";

const f = jit(grad((x: Array) => x.mul(x).sum()));
export const y: Array = f(np.ones([3]));
// @ts-expect-error the elements are internal
y.elements;

const [env, params] = make("CartPole-v1");
const runDir = RunDir("run");
const [{ agentState }] = await trainPPO(env, params, {
  ppoConfig: PPOConfig(),
  runnerConfig: RunnerConfig(),
  runDir,
  signal: { aborted: false },
});
export const state: PPOState = agentState;
export const bias: Array | undefined = state.params.actor === undefined ? undefined : state.params.logStd;
export const action: Array = PPO.act(state, np.zeros([4]))[0];
await trainPPO(env, params);

const policy: Policy<number> = await loadPolicy(new ArrayBuffer(8), { actions: "discrete" });
export const next: number = policy.act([1, 2, 3, 4]) + policy.act(new Float32Array(4));
export const both: number[] = policy.actBatch([[1, 2, 3, 4], new Float64Array(4)]);
export const bytes: Uint8Array = toSafetensors({ w: np.ones([2]) });
export const read: unknown = fromSafetensors(bytes).tree;
export const config: TrainConfig | undefined = presets.cartpole_ppo?.config;
export { subPaths };
`;

/** The messages of the compiler for a project of `user.ts`. */
async function messagesWith(options: {
  readonly module: string;
  readonly moduleResolution: string;
}): Promise<string> {
  const file = path.join(project.folder, `tsconfig.${options.moduleResolution}.json`);
  const compilerOptions = {
    ...options,
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    target: "ES2022",
    lib: ["ES2022"],
    types: [],
    noEmit: true,
  };
  writeFileSync(file, JSON.stringify({ compilerOptions, files: ["user.ts"] }));
  const compiler = path.join(root, "node_modules", isLong ? "typescript" : "typescript-native", "bin", "tsc");
  try {
    return (await promisify(execFile)(process.execPath, [compiler, "-p", file])).stdout;
  } catch (error) {
    return (error as { readonly stdout: string }).stdout;
  }
}

describe("the types of the package", () => {
  it("serve strict projects without the DOM and without Node, however they resolve modules", async () => {
    const { folder } = project;
    const manifest = readFileSync(path.join(root, "package.json"), "utf8");
    const { exports } = JSON.parse(manifest) as { readonly exports: object };
    const imports = Object.keys(exports).map(
      (name, at) => `export * as part${at} from ${JSON.stringify(`vibe-rl${name.slice(1)}`)};`,
    );
    writeFileSync(path.join(folder, "subPaths.ts"), imports.join("\n"));
    writeFileSync(path.join(folder, "user.ts"), user);
    const messages = await Promise.all([
      messagesWith({ module: "ESNext", moduleResolution: "bundler" }),
      messagesWith({ module: "NodeNext", moduleResolution: "nodenext" }),
    ]);
    expect(messages).toEqual(["", ""]);
  });

  it("use nothing that TypeScript 5.4 does not know", () => {
    const dist = path.join(project.folder, "node_modules", "vibe-rl", "dist");
    const files = readdirSync(dist, { recursive: true, encoding: "utf8" }).filter((file) =>
      file.endsWith(".d.ts"),
    );
    // Typed arrays are generic since 5.7.
    const newer = files.filter((file) =>
      /Array<ArrayBuffer(Like)?>/.test(readFileSync(path.join(dist, file), "utf8")),
    );
    expect(files.length).toBeGreaterThan(200);
    expect(newer).toEqual([]);
  });
});

// The worker's program: training, playing, and what else of the library a page asks for.
import type { CheckpointBytes } from "vibe-rl/checkpoint";
import { envProblems } from "vibe-rl/env";
import { loadPolicy, type Policy } from "vibe-rl/policy";
import type { LoggedRecord } from "vibe-rl/runner";
import { localStage, misfit, type LocalStage } from "../localStage.js";
import type { StageFrame, StageInfo } from "../stage.js";
import { serveCalls, WorkerError } from "./calls.js";
import { explain, findEnv, type EnvSource } from "./environments.js";
import { algosFor, catalog, describe } from "./settings.js";
import { stop, train } from "./training.js";

const checkpointNames = ["checkpoint.json", "tensors.safetensors"];

let stage: LocalStage | null = null;
let policy: Policy | null = null;

const staged = (): LocalStage => {
  if (stage === null) throw new Error("no environment is on stage: openStage comes first");
  return stage;
};

/** What a page knows of an environment that it plays. */
export interface OpenStage extends StageInfo {
  readonly algos: readonly string[];
}

/** What a page knows of a policy. */
export interface PolicyFacts {
  readonly algorithm: string;
  readonly kind: string;
  readonly actionSize: number;
  readonly obsShape: readonly number[];
  /** The environment that it was trained in, where its file says so. */
  readonly environment: string | null;
}

const offered = {
  catalog,
  describe,
  train,
  stop,

  /** Puts an environment on stage; chance acts. A visitor's environment is examined first. */
  async openStage(source: EnvSource): Promise<OpenStage> {
    const [env, params] = await findEnv(source);
    if ("code" in source) {
      const problems = envProblems(env);
      if (problems.length > 0) {
        const [first] = problems.map((text) => explain(new Error(text)));
        const message = problems.map((text) => explain(new Error(text)).message).join("\n");
        throw new WorkerError({ ...first, message });
      }
    }
    policy = null;
    stage = localStage(env, params);
    return { ...stage.info, algos: algosFor(env.actionSpace(params).kind) };
  },
  /** The names that a module of the site exports, and those in its namespaces, for an editor. */
  async namesIn(address: string): Promise<Record<string, readonly string[]>> {
    const module = (await import(/* @vite-ignore */ address)) as Readonly<Record<string, unknown>>;
    const inside = Object.entries(module).filter(([, value]) => typeof value === "object" && value !== null);
    return {
      "": Object.keys(module),
      ...Object.fromEntries(inside.map(([name, value]) => [name, Object.keys(value as object)])),
    };
  },

  resetStage: (seed: number): Promise<StageFrame> => staged().reset(seed),
  advanceStage: ({ steps, action }: { steps: number; action: number | null }): Promise<StageFrame> =>
    staged().advance(steps, action),

  /** Lets a policy act on stage, by the bytes of its file; null is chance. */
  async setPolicy(bytes: Uint8Array | null): Promise<PolicyFacts | null> {
    const on = staged();
    const next = bytes === null ? null : await loadPolicy(bytes);
    if (on !== stage) return null;
    on.setPolicy(next);
    policy = next;
    return next === null ? null : factsOf(next);
  },

  /**
   * The policy in files by name: its own, both of a checkpoint, or a tar of such. As the bytes of its file, and with what
   * to call it.
   */
  async openPolicy(
    given: Readonly<Record<string, Uint8Array>>,
  ): Promise<{ readonly bytes: Uint8Array; readonly label: string }> {
    const files = await unpacked(given);
    const names = Object.keys(files);
    if (checkpointNames.some((name) => names.includes(name))) {
      const found = await loadPolicy(files as unknown as CheckpointBytes);
      return { bytes: found.toSafetensors(), label: `checkpoint of step ${found.step ?? 0}` };
    }
    if (names.length > 1) {
      throw new Error(`one policy at a time, or ${checkpointNames.join(" and ")} of a checkpoint`);
    }
    return { bytes: files[names[0]], label: names[0] };
  },

  /** Which of some environments a policy can play; why not, for each of the others. */
  async placesFor({ bytes, sources }: { bytes: Uint8Array; sources: readonly EnvSource[] }) {
    const found = await loadPolicy(bytes);
    const reasons: (string | null)[] = [];
    for (const source of sources) reasons.push(misfit(found, ...(await findEnv(source))));
    return { facts: factsOf(found), reasons };
  },

  /** The pictures of one episode with the policy on stage, at most so many. */
  async recordEpisode({
    source,
    seed,
    most,
  }: {
    source: EnvSource;
    seed: number;
    most: number;
  }): Promise<string[]> {
    const [env, params] = await findEnv(source);
    if (env.render === undefined)
      throw new Error(`${env.name} has no picture to record: give it a method render`);
    const own = localStage(env, params);
    own.setPolicy(policy);
    let frame = await own.reset(seed);
    const pictures = [frame.svg ?? ""];
    while (!frame.isOver && pictures.length < most) {
      frame = await own.advance(1, null);
      pictures.push(frame.svg ?? "");
    }
    return pictures;
  },

  /** A policy for other programs, from the bytes of its file. */
  async exportPolicy({ bytes, format }: { bytes: Uint8Array; format: "onnx" | "js" }): Promise<Uint8Array> {
    const { exported } = await import("./exporting.js");
    return exported(bytes, format);
  },

  /** The curve of a run as SVG. What draws is loaded only now. */
  async curveSvg({ name, records }: { name: string; records: readonly LoggedRecord[] }): Promise<string> {
    const { plotSweep } = await import("vibe-rl/plotting");
    const numbers = records as unknown as readonly Readonly<Record<string, number>>[];
    const runs = [{ name, seed: 0, records: numbers, error: null }];
    return plotSweep({ runs }, { config: { title: name } }).svg();
  },
};

/** Files by name; those of a tar without their folders. */
async function unpacked(
  files: Readonly<Record<string, Uint8Array>>,
): Promise<Readonly<Record<string, Uint8Array>>> {
  const [[name, bytes]] = Object.entries(files);
  if (!name.endsWith(".tar")) return files;
  const { filesInTar } = await import("../tar.js");
  const inside = Object.entries(filesInTar(bytes));
  return Object.fromEntries(inside.map(([place, content]) => [place.replace(/^.*\//, ""), content]));
}

const factsOf = ({ algorithm, kind, actionSize, obsShape, metadata }: Policy): PolicyFacts => ({
  ...{ algorithm, kind, actionSize, obsShape, environment: metadata.environment },
});

/** What the worker offers. */
export type LibraryFunctions = typeof offered;

serveCalls(offered, (error) => (error instanceof WorkerError ? error.problem : explain(error)));

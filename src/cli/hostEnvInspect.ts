// `eval` and `video` of runs on environments that are objects.
import { loadCheckpoint } from "../checkpoint/index.js";
import type { TrainConfig } from "../config/index.js";
import { renderEpisodeGif, writeGif, type Frame } from "../plotting/index.js";
import { RunnerConfig } from "../runner/index.js";
import type { HostEnv, HostPicture } from "../vecEnv/index.js";
import { UsageError } from "./arguments.js";
import { hostEnvOf, setUpHost, type HostSetup } from "./hostEnvSetup.js";
import type { Chosen } from "./runs.js";

/** Plays episodes with the agent of a checkpoint's best actions. */
async function play(
  config: TrainConfig,
  { folder, step }: Chosen,
  {
    episodes,
    seed,
    envs,
  }: { readonly episodes: number; readonly seed: number; readonly envs?: readonly HostEnv[] },
): ReturnType<HostSetup["runner"]["eval"]> {
  const runnerConfig = RunnerConfig({ ...config.runner, seed, evalEpisodes: episodes });
  const setup = await setUpHost({ ...config, runner: runnerConfig }, envs);
  try {
    const agent = setup.runner.agent as { state: object };
    agent.state = loadCheckpoint(folder, { agentState: agent.state }, { step, partial: true }).agentState;
    return await setup.runner.eval({ numEpisodes: episodes });
  } finally {
    await setup.close();
  }
}

/** The mean return and length of greedy episodes. */
export async function evaluateHost(
  config: TrainConfig,
  chosen: Chosen,
  options: { readonly episodes: number; readonly seed: number },
): Promise<{ readonly evalReturn: number; readonly evalLength: number }> {
  const stats = await play(config, chosen, options);
  return { evalReturn: stats["eval/mean_reward"], evalLength: stats["eval/mean_length"] };
}

/** Draws one greedy episode as an animated GIF; returns how many frames it has. */
export async function drawHost(
  config: TrainConfig,
  chosen: Chosen,
  { seed, fps, file }: { readonly seed: number; readonly fps: number; readonly file: string },
): Promise<number> {
  const { env, frames } = recorded(await hostEnvOf(config), config.envId);
  await play(config, chosen, { episodes: 1, seed, envs: [env] });
  const texts = frames.filter((frame) => typeof frame === "string");
  if (texts.length === frames.length) await renderEpisodeGif(texts, file, { fps });
  else
    writeGif(
      file,
      frames.map((frame) => rgbaOf(frame, config.envId)),
      { fps },
    );
  return frames.length;
}

/** An environment that keeps the pictures of its first episode. */
function recorded(env: HostEnv, id: string): { readonly env: HostEnv; readonly frames: HostPicture[] } {
  if (env.render === undefined) throw new UsageError(`${id} has no render, so that it cannot be drawn`);
  const draw = env.render.bind(env);
  const frames: HostPicture[] = [];
  let episodes = 0;
  return {
    frames,
    env: {
      observationSpace: env.observationSpace,
      actionSpace: env.actionSpace,
      reset: async (seed) => {
        const begun = await env.reset(seed);
        if (++episodes === 1) frames.push(await draw());
        return begun;
      },
      step: async (action) => {
        const stepped = await env.step(action);
        if (episodes === 1) frames.push(await draw());
        return stepped;
      },
      close: () => env.close?.(),
    },
  };
}

/** A picture with opacity, as videos take it. */
function rgbaOf(picture: HostPicture, id: string): Frame {
  if (typeof picture === "string") {
    throw new UsageError(`${id}: render gives SVG at times and pixels at others; it must give one of them`);
  }
  const { width, height, data } = picture;
  if (data.length !== 3 * width * height) {
    throw new UsageError(
      `${id}: render gives ${data.length} bytes for ${width} × ${height} pixels; it must give 3 for each, ` +
        `${3 * width * height}`,
    );
  }
  const pixels = new Uint8Array(4 * width * height).fill(255);
  for (let at = 0; at < width * height; at++) pixels.set(data.subarray(3 * at, 3 * at + 3), 4 * at);
  return { width, height, pixels };
}

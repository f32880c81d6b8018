// What the command line says about itself.
import * as fs from "node:fs";

/** The commands with their usage, and what each does, in lines of at most 100 columns. */
const texts: Readonly<Record<string, { readonly usage: string; readonly lines: readonly string[] }>> = {
  resume: {
    usage: "resume <run> [--algo.lr 1e-4 …]",
    lines: [
      "Goes on with a run from its newest checkpoint.",
      "",
      "  --algo.…, --runner.…   settings that the run's state does not depend on; train --help lists all",
      "  --logger LIST          where else metrics go: tensorboard,wandb; none: nowhere (as before)",
      "  --wandb-project NAME   the project on Weights & Biases (as before)",
      "  --dashboard            opens the dashboard for it",
      "  --import FILE …        what registers the environment, if it is not where it was",
      "  --base-dir DIR         the directory of all runs (runs)",
    ],
  },
  eval: {
    usage: "eval <run> [--step N] [--episodes N] [--seed N]",
    lines: [
      "Plays the best checkpoint greedily.",
      "",
      "  --step N               that of a step instead",
      "  --episodes N           how many episodes (as many as the run's evaluations have)",
      "  --seed N               where everything random comes from (0)",
      "  --import FILE …        what registers the environment, if it is not where it was",
      "  --base-dir DIR         the directory of all runs (runs)",
    ],
  },
  video: {
    usage: "video <run> [--step N] [--seed N] [--fps N] [--output FILE.gif]",
    lines: [
      "One greedy episode of the best checkpoint as an animated GIF.",
      "",
      "  --step N               of the checkpoint of a step instead",
      "  --seed N               where everything random comes from (0)",
      "  --fps N                frames a second (30)",
      "  --output FILE          where it goes (videos/ of the run)",
      "  --import FILE …        what registers the environment, if it is not where it was",
      "  --base-dir DIR         the directory of all runs (runs)",
    ],
  },
  export: {
    usage: "export <run> --format onnx|js|safetensors [--step N] [--output FILE] [--sample]",
    lines: [
      "The policy of the best checkpoint as one file for other programs; also of a policy's file.",
      "",
      "  --format FORMAT        onnx: for every ONNX runtime; js: a module that needs nothing else, with",
      "                         types beside it; safetensors: for loadPolicy (as --output ends)",
      "  --step N               of the checkpoint of a step instead",
      "  --output FILE          where it goes (artifacts/policy.… of the run)",
      "  --sample               actions are sampled as in training, not the likeliest (onnx, js)",
      "  --batch N              takes N observations at once, not any number (onnx)",
      "  --value                has PPO's critic as well, as an output value (onnx)",
      "  --frame-stack N        observations are N frames side by side: act takes one at a time (js)",
      "  --member N             which agent of a sweep over seeds",
      "  --base-dir DIR         the directory of all runs (runs)",
    ],
  },
  plot: {
    usage: "plot [runs] [--compare A B …] [--output FILE]",
    lines: [
      "Reward curves of runs as PNG, SVG or PDF: training, and dashed the evaluations. Each environment",
      "has a panel of its own. Without runs: all of them.",
      "",
      "  --run-dirs A B …       runs, by directory or name",
      "  --experiment-name NAME all runs of that name",
      "  --compare A B …        experiments or runs to compare",
      "  --x-key, --y-key NAME  the metrics along the axes (step; episode_return and eval_return)",
      "  --output FILE          .png, .svg or .pdf (reward_curve.png)",
      "  --smooth-radius N      neighbours on each side that a point is smoothed with (one in forty)",
      "  --smooth-mode MODE     window or ema (window)",
      "  --shaded BAND          std, sem or none (std)",
      "  --figsize W H          inches of a panel (6.4 4)",
      "  --dpi N                pixels an inch (200)",
      "  --title TEXT           above the plot",
      "  --base-dir DIR         the directory of all runs (runs)",
    ],
  },
  dashboard: {
    usage: "dashboard [--base-dir DIR] [--port N] [--open]",
    lines: [
      "A page over all runs, live while they train: curves, configs, checkpoints, videos, and the agents",
      "themselves at play. For browsers on this machine only.",
      "",
      "  --port N               the port (6006, or the next one that is free; 0: any)",
      "  --open                 opens the browser",
      "  --base-dir DIR         the directory of all runs (runs)",
    ],
  },
  runs: {
    usage: "runs [--base-dir DIR]",
    lines: ["All runs with their steps, last returns and best evaluations."],
  },
  presets: {
    usage: "presets",
    lines: ["What can be trained: environments, algorithms, settings that learn."],
  },
  cache: {
    usage: "cache [clear]",
    lines: [
      "The programs that were built (--runner.device native and cuda): where they are, what each is, how large,",
      "and when it was used last. With clear they are removed.",
      "",
      "  VIBE_RL_CACHE_DIR      the folder, as an environment variable (where the system has its caches)",
      "  VIBE_RL_CACHE_SIZE     how many MiB they may take together (512)",
    ],
  },
};

/** All commands. */
export const help = `vibe-rl <command>

  train <preset> [--algo.lr 1e-3 …]      train; train <preset> --help lists every setting
  train <preset> --seeds 0..9 --sweep algo.lr=1e-4,1e-3
                                         a run for each seed and each value, and a comparison
  train <algorithm> --env_id ID --import FILE
                                         train ppo, dqn or sac on an environment of your own
  resume <run> [--runner.… …]            go on with a run that was stopped
  eval <run> [--step --episodes --seed]  play the best checkpoint, or that of a step, greedily
  video <run> [--step --seed --fps --output]
                                         an episode of it as an animated GIF
  export <run> --format onnx|js|safetensors [--step --output --sample]
                                         the policy as one file for other programs
  plot [runs] [--compare --y-key --output …]
                                         reward curves as PNG, SVG or PDF
  dashboard [--port --open]              a live page over all runs
  runs                                   all runs with their returns
  presets                                what can be trained
  cache [clear]                          built programs; clear removes them
  help <command>                         every flag of a command, as <command> --help
  --version                              which version this is

A run is a directory, or its name below --base-dir, which is runs/ unless told otherwise.`;

/** What a command does, with its flags. */
export function helpOf(command: string): string {
  const { usage, lines } = texts[command];
  return [`vibe-rl ${usage}`, "", ...lines].join("\n");
}

/** The version of the package. */
export function version(): string {
  const manifest = fs.readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(manifest) as { readonly version: string }).version;
}

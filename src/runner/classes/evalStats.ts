// The figures of an evaluation.
import { meanOf } from "./episodeBook.js";
import type { EpisodeResults } from "./rollouts.js";

/** What `eval` gives, by tags. */
export interface EvalStats {
  readonly "eval/mean_reward": number;
  readonly "eval/std_reward": number;
  readonly "eval/min_reward": number;
  readonly "eval/max_reward": number;
  readonly "eval/mean_length": number;
}

export function evalStats({ rewards, lengths }: EpisodeResults): EvalStats {
  const mean = meanOf(rewards);
  return {
    "eval/mean_reward": mean,
    "eval/std_reward": Math.sqrt(meanOf(rewards.map((reward) => (reward - mean) ** 2))),
    "eval/min_reward": Math.min(...rewards),
    "eval/max_reward": Math.max(...rewards),
    "eval/mean_length": meanOf(lengths),
  };
}

// A stage: one environment that is played step by step, in the page (localStage.ts) or in a worker.

/** What there is to see after some steps. */
export interface StageFrame {
  /** The picture, or null where the environment draws none. */
  readonly svg: string | null;
  /** What the last step saw, as text, for environments without a picture. */
  readonly seen: string;
  /** Of the episode that is under way or just over. */
  readonly steps: number;
  readonly return: number;
  /** Which episode it is, from 1 on. */
  readonly number: number;
  /** Whether the episode is over: the next step begins another. */
  readonly isOver: boolean;
}

/** How a stage's environment is played. */
export interface StageInfo {
  readonly name: string;
  /** How many choices there are; null for continuous actions. */
  readonly actionCount: number | null;
}

export interface Stage {
  readonly info: StageInfo;
  /** Starts over: episode 1 of a seed. */
  reset(seed: number): Promise<StageFrame>;
  /** Some steps with an action, or with the policy's own where it is null; fewer where the episode ends before. */
  advance(steps: number, action: number | null): Promise<StageFrame>;
  close(): void;
}

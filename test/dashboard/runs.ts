// Run directories for the dashboard's tests, written by hand.
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import path from "node:path";

export type PlainRecord = Readonly<Record<string, unknown>>;

/** A record as a line of a log. */
export const line = (record: PlainRecord): string => `${JSON.stringify(record)}\n`;

/** A record of training at a step. */
export const at = (step: number, episodeReturn: number): PlainRecord => ({
  step,
  episode_return: episodeReturn,
  critic_loss: 1 / (step + 1),
  wall_time: 1_790_000_000 + step / 1000,
});

export interface RunOnDisk {
  readonly id: string;
  readonly root: string;
  readonly log: string;
}

/** Writes a run with these records; `config` is added to what every run has. */
export function writeRun(
  base: string,
  id: string,
  records: readonly PlainRecord[] = [],
  config: PlainRecord = {},
): RunOnDisk {
  const root = path.join(base, id);
  for (const folder of ["checkpoints", "logs", "videos", "artifacts"])
    mkdirSync(path.join(root, folder), { recursive: true });
  const usual = {
    env_id: "CartPole-v1",
    env_params: {},
    algo: "ppo",
    algo_config: { lr: 0.001, n_steps: 32, num_envs: 8 },
    runner: { total_timesteps: 100_000, seed: 0 },
  };
  writeFileSync(path.join(root, "config.json"), JSON.stringify({ ...usual, ...config }));
  const log = path.join(root, "logs", "metrics.jsonl");
  writeFileSync(log, records.map(line).join(""));
  return { id, root, log };
}

/** Adds records to a run's log. */
export const grow = ({ log }: RunOnDisk, ...records: readonly PlainRecord[]): void =>
  appendFileSync(log, records.map(line).join(""));

/** Puts a lock on a run's logs, as the process that trains it has one. */
export function lock({ root }: RunOnDisk, owner: PlainRecord): void {
  const whole = { pid: process.pid, host: hostname(), began: null, since: "today", listens: true, ...owner };
  writeFileSync(path.join(root, "logs", ".lock"), JSON.stringify(whole));
}

// The agent of a checkpoint as the small file that the page plays: no optimiser, no replay buffer.
import "../device/index.js";
import { fs, path } from "../node/index.js";
import { loadPolicy } from "../policy/index.js";
import { Refusal } from "./errors.js";
import type { Fence } from "./fence.js";
import type { DashboardRun } from "./run.js";

/** A few are kept: pages ask again when they are loaded again. */
const mostKept = 32;

export class PolicyFiles {
  private readonly kept = new Map<string, Promise<Uint8Array>>();

  constructor(private readonly fence: Fence) {}

  /** The policy of a step of a run; of one that has several seeds, that of a member. */
  async of(run: DashboardRun, step: number, member: number | null): Promise<Uint8Array> {
    const folder = this.folderOf(run, step);
    const { mtimeMs } = fs.statSync(path.join(folder, "checkpoint.json"));
    const key = `${folder} ${mtimeMs} ${member}`;
    const found = this.kept.get(key) ?? this.load(folder, member);
    this.kept.delete(key);
    this.kept.set(key, found);
    for (const old of [...this.kept.keys()].slice(0, -mostKept)) this.kept.delete(old);
    try {
      return await found;
    } catch (error) {
      this.kept.delete(key);
      throw new Refusal(409, error instanceof Error ? error.message : String(error));
    }
  }

  private async load(folder: string, member: number | null): Promise<Uint8Array> {
    const policy = await loadPolicy(folder, member === null ? {} : { member });
    return policy.toSafetensors();
  }

  /** The folder of a step's checkpoint, all of whose files are inside the directory of all runs. */
  private folderOf(run: DashboardRun, step: number): string {
    const all = run.checkpointFolder;
    const folder = all === null ? null : this.inside(path.join(all, `step_${step}`));
    const isThere = folder !== null && run.checkpoints.some((checkpoint) => checkpoint.step === step);
    if (!isThere) throw new Refusal(404, `${run.id} has no checkpoint of step ${step}`);
    const outside = fs.readdirSync(folder).find((name) => this.inside(path.join(folder, name)) === null);
    if (outside !== undefined)
      throw new Refusal(403, `${outside} of step ${step} lies outside of the directory of all runs`);
    return folder;
  }

  private inside(place: string): string | null {
    return this.fence.inside(path.relative(this.fence.base, place));
  }
}

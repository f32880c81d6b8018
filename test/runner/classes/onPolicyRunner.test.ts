// OnPolicyRunner on environments that are objects.
import { describe, expect, it } from "vitest";
import { OnPolicyRunner, type EventName } from "vibe-rl/runner";
import { Corridor, smallConfig } from "./corridor.js";

describe("OnPolicyRunner", () => {
  it("learns to walk along a corridor", async () => {
    const env = new Corridor({ numEnvs: 4 });
    const runner = new OnPolicyRunner({ env, cfg: smallConfig });
    const before = await runner.eval({ numEpisodes: 8 });
    await runner.learn({ totalTimesteps: 4096 });
    const after = await runner.eval({ numEpisodes: 8 });
    expect(before["eval/mean_reward"]).toBeLessThan(1);
    expect(after["eval/mean_reward"]).toBeGreaterThan(1.2);
    expect(runner.iteration).toBe(64);
    expect(runner.totalTimesteps).toBe(4096);
  });
});
void (null as EventName | null);

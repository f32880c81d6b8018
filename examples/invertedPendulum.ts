// Balances MuJoCo's inverted pendulum with PPO. Needs the package @mujoco/mujoco.
import { mujocoFactory } from "vibe-rl/mujoco";
import { OnPolicyRunner } from "vibe-rl/runner";
import { SyncVecEnv } from "vibe-rl/vecEnv";

const pendulum = await mujocoFactory("InvertedPendulum");
const runner = new OnPolicyRunner({
  env: SyncVecEnv(Array.from({ length: 8 }, () => pendulum)),
  evalEnv: SyncVecEnv(Array.from({ length: 5 }, () => pendulum)),
  cfg: {
    ...{ nSteps: 128, nMinibatches: 8, nEpochs: 10, lr: 1e-3, entCoef: 0 },
    ...{ normalizeObs: true, normalizeReward: true },
  },
});

for (const totalTimesteps of [2_048, 10_240, 20_480]) {
  await runner.learn({ totalTimesteps });
  const stats = await runner.eval({ numEpisodes: 5 });
  console.log(`step ${totalTimesteps}: balanced for ${stats["eval/mean_length"].toFixed(0)} steps of 1000`);
}

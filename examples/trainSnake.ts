// Trains a game that is an ordinary class: Snake, eight boards side by side, with PPO.
import { OnPolicyRunner } from "vibe-rl/runner";
import { checkHostEnv, SyncVecEnv } from "vibe-rl/vecEnv";
import { Snake } from "./snake/snake.js";

await checkHostEnv(() => new Snake());

const env = SyncVecEnv(Array.from({ length: 8 }, () => () => new Snake()));
const runner = new OnPolicyRunner({
  env,
  actorCfg: { hiddenDims: [128, 128] },
  criticCfg: { hiddenDims: [128, 128] },
  cfg: { nSteps: 128, nMinibatches: 4, lr: 1e-3, entCoef: 0.01 },
});

runner.addCallback("post_iteration", ({ iteration, totalTimesteps }, stats) => {
  if (iteration % 20 !== 19) return;
  const [reward, length] = [stats["episode/mean_reward"], stats["snake/length"]];
  console.log(`step ${totalTimesteps}: reward ${reward.toFixed(1)}, length ${length.toFixed(1)}`);
});
await runner.learn({ totalTimesteps: 61_440 });
const stats = await runner.eval({ numEpisodes: 24 });
console.log(`at its best: reward ${stats["eval/mean_reward"].toFixed(1)}`);

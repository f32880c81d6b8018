// Environment steps a second: CartPole with a random policy, the whole run one program: npm run bench -- cartpole
import { jit, lax, np, random, vmap } from "vibe-rl/array";
import { reset, step } from "./cartPoleEnv.mjs";
import { compete, digits, row, timeOf } from "./measure.mjs";

/** A program that takes `length` steps in each environment and returns how many episodes ended. */
const rollout = (environments, length) =>
  jit((key) => {
    const [resetKey, runKey] = random.split(key);
    const state = vmap(reset)(random.split(resetKey, environments));
    const [{ episodes }] = lax.scan(
      (carry) => {
        const [next, actionKey, stepKey] = random.split(carry.key, 3);
        const actions = random.bernoulli(actionKey, 0.5, [environments]);
        const { state, done } = vmap(step)(random.split(stepKey, environments), carry.state, actions);
        return [{ state, key: next, episodes: carry.episodes.add(done.astype("int32").sum()) }, null];
      },
      { state, key: runKey, episodes: np.int32(0) },
      null,
      { length },
    );
    return episodes;
  });

const widths = [22, 14, 12, 14];
console.log(row(widths, ["CartPole", "env steps/s", "ready in ms", "episode length"]));
for (const [environments, length] of [
  [4, 250_000],
  [1024, 1000],
]) {
  const total = environments * length;
  // The same program with a single step: what its first call takes beyond its second is tracing and compiling.
  const short = rollout(environments, 1);
  const [first, second] = [1, 2].map((seed) => timeOf(() => short(random.key(seed))));
  const run = rollout(environments, length);
  const episodes = run(random.key(0)).item();
  // A random policy holds the pole up for 22 steps on average.
  if (Math.abs(total / episodes - 22.2) > 1) throw new Error(`episodes are ${total / episodes} steps long`);
  const [best] = await compete([() => run(random.key(0))], { rounds: 3 });
  const cells = [digits((total / best) * 1000), digits(first - second), (total / episodes).toFixed(1)];
  console.log(row(widths, [`${environments.toLocaleString("en")} environments`, ...cells]));
}

// Environment steps a second: MinAtar's games with a random policy, the whole run one program: npm run bench -- minatar
import { jit, lax, random, vmap } from "vibe-rl/array";
import { AutoResetWrapper, listEnvs, make } from "vibe-rl/env";
import { compete, digits, row } from "./measure.mjs";

const [environments, length] = [64, 128];

/** A program that takes `length` steps in each environment; it gives all observations, as an agent collects them. */
function rollout(id) {
  const [inner, params] = make(id);
  const env = AutoResetWrapper(inner);
  return jit((key) => {
    const [resetKey, runKey] = random.split(key);
    const [, state] = vmap((k) => env.reset(k, params))(random.split(resetKey, environments));
    const step = (stepKey, before) => {
      const [actionKey, envKey] = random.split(stepKey);
      const [next, after] = env.step(envKey, before, env.actionSpace(params).sample(actionKey), params);
      return [next, after];
    };
    const [, observations] = lax.scan(
      (carry) => {
        const [nextKey, stepKey] = random.split(carry.key);
        const [next, after] = vmap(step)(random.split(stepKey, environments), carry.state);
        return [{ state: after, key: nextKey }, next];
      },
      { state, key: runKey },
      null,
      { length },
    );
    return observations;
  });
}

const ids = ["CartPole-v1", ...listEnvs().filter((id) => id.endsWith("MinAtar"))];
const runs = ids.map((id) => {
  const run = rollout(id);
  return () => run(random.key(0));
});
const best = await compete(runs, { rounds: 5 });
const widths = [24, 14, 14];
console.log(row(widths, [`${environments} environments`, "env steps/s", "of CartPole's"]));
ids.forEach((id, at) => {
  const speed = ((environments * length) / best[at]) * 1000;
  console.log(row(widths, [id, digits(speed), (best[0] / best[at]).toFixed(2)]));
});

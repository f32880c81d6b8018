// What an action costs: of a loaded policy, of the agent's own function, and of the same network in plain JavaScript.
// npm run bench -- inference
import { np, random } from "../dist/exports/array.js";
import { DQN, DQNConfig } from "../dist/exports/algorithms/dqn.js";
import { PPO, PPOConfig } from "../dist/exports/algorithms/ppo.js";
import { SAC, SACConfig } from "../dist/exports/algorithms/sac.js";
import { Box } from "../dist/exports/env.js";
import { createPolicy, loadPolicy } from "../dist/exports/policy.js";
import { compete, digits, row } from "./measure.mjs";

const calls = 2000;
const hiddenSizes = [64, 64];
const obs = Float32Array.of(0.01, -0.3, 0.02, 0.4);

/** A tanh network of dense layers and the place of its largest output, as one would write it by hand. */
function byHand(layers) {
  const weights = layers.map(({ w, b }) => ({ w: w.data(), b: b.data(), width: b.shape[0] }));
  return (input) => {
    let values = input;
    weights.forEach(({ w, b, width }, at) => {
      const next = Float32Array.from(b);
      for (let i = 0; i < values.length; i++) {
        for (let j = 0; j < width; j++) next[j] += values[i] * w[i * width + j];
      }
      values = at < weights.length - 1 ? next.map(Math.tanh) : next;
    });
    return values.indexOf(Math.max(...values));
  };
}

const repeat = (act, input) => () => {
  for (let call = 0; call < calls; call++) act(input);
};

const ppoConfig = PPOConfig({ hiddenSizes });
const ppo = PPO.init(random.key(0), [4], 2, ppoConfig);
const dqnConfig = DQNConfig({ hiddenSizes });
const dqn = DQN.init(random.key(0), [4], 2, dqnConfig);
const sacConfig = SACConfig({ hiddenSizes });
const sac = SAC.init(random.key(0), [4], Box({ low: -1, high: 1, shape: [2] }), sacConfig);
const ppoPolicy = await loadPolicy((await createPolicy("ppo", ppo, { config: ppoConfig })).toSafetensors());
const sampling = await createPolicy("ppo", ppo, { config: ppoConfig, explore: true });
const dqnPolicy = await createPolicy("dqn", dqn, { config: dqnConfig });
const sacPolicy = await createPolicy("sac", sac, { config: sacConfig });
const batch = new Float32Array(256 * 4).fill(0.1);

const cases = [
  ["PPO, a loaded policy", ppoPolicy.act, obs],
  ["PPO, a loaded policy, from a list", ppoPolicy.act, [...obs]],
  ["PPO, by hand in JavaScript", byHand(ppo.params.actor), obs],
  ["PPO.act", (x) => PPO.act(ppo, np.array(x), { config: ppoConfig, explore: false }), obs],
  ["PPO, sampling", sampling.act, obs],
  ["DQN", dqnPolicy.act, obs],
  ["SAC", sacPolicy.act, obs],
  ["PPO, each of a batch of 256", (x) => ppoPolicy.actBatch(x), batch, 256],
];
const times = await compete(cases.map(([, act, input]) => repeat(act, input)));
const results = cases.map(([name, , , each = 1], at) => ({ name, us: (1000 * times[at]) / calls / each }));
if (process.argv.includes("--json")) console.log(JSON.stringify(results));
else {
  const widths = [36, 10];
  console.log(`Microseconds an action, networks of (${hiddenSizes.join(", ")}), the best of several rounds`);
  for (const { name, us } of results) console.log(row(widths, [name, digits(us)]));
}

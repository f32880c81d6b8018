// What an action costs: of a loaded policy, of an exported module, of the agent's own function, and of the same network in
// plain JavaScript; and how large exported files are.
// npm run bench -- inference
import { Buffer } from "node:buffer";
import { np, random } from "../dist/exports/array.js";
import { DQN, DQNConfig } from "../dist/exports/algorithms/dqn.js";
import { PPO, PPOConfig } from "../dist/exports/algorithms/ppo.js";
import { SAC, SACConfig } from "../dist/exports/algorithms/sac.js";
import { Box } from "../dist/exports/env.js";
import { createPolicy, exportPolicy, loadPolicy } from "../dist/exports/policy.js";
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
/** A policy as a module, with its size. */
async function exported(policy, options = {}) {
  const { bytes } = await exportPolicy(policy, { format: "js", ...options });
  const code = `data:text/javascript;base64,${Buffer.from(bytes).toString("base64")}`;
  return { ...(await import(code)), size: bytes.length };
}
const modules = {
  ppo: await exported(ppoPolicy),
  sampling: await exported(ppoPolicy, { sample: true }),
  dqn: await exported(dqnPolicy),
  sac: await exported(sacPolicy),
};
const batch = new Float32Array(256 * 4).fill(0.1);

const cases = [
  ["PPO, a loaded policy", ppoPolicy.act, obs],
  ["PPO, a loaded policy, from a list", ppoPolicy.act, [...obs]],
  ["PPO, an exported module", modules.ppo.act, obs],
  ["PPO, an exported module, from a list", modules.ppo.act, [...obs]],
  ["PPO, an exported module, sampling", modules.sampling.act, obs],
  ["DQN, an exported module", modules.dqn.act, obs],
  ["SAC, an exported module", modules.sac.act, obs],
  ["PPO, by hand in JavaScript", byHand(ppo.params.actor), obs],
  ["PPO.act", (x) => PPO.act(ppo, np.array(x), { config: ppoConfig, explore: false }), obs],
  ["PPO, sampling", sampling.act, obs],
  ["DQN", dqnPolicy.act, obs],
  ["SAC", sacPolicy.act, obs],
  ["PPO, each of a batch of 256", (x) => ppoPolicy.actBatch(x), batch, 256],
];
const times = await compete(cases.map(([, act, input]) => repeat(act, input)));
const results = cases.map(([name, , , each = 1], at) => ({ name, us: (1000 * times[at]) / calls / each }));
const sizes = {
  "js, PPO": modules.ppo.size,
  "js, PPO, sampling": modules.sampling.size,
  "js, DQN": modules.dqn.size,
  "js, SAC": modules.sac.size,
  "onnx, PPO": (await exportPolicy(ppoPolicy, { format: "onnx" })).bytes.length,
  "safetensors, PPO": (await exportPolicy(ppoPolicy, { format: "safetensors" })).bytes.length,
};
if (process.argv.includes("--json")) console.log(JSON.stringify({ results, sizes }));
else {
  const widths = [38, 10];
  console.log(`Microseconds an action, networks of (${hiddenSizes.join(", ")}), the best of several rounds`);
  for (const { name, us } of results) console.log(row(widths, [name, digits(us)]));
  console.log("\nBytes of exported files");
  for (const [name, bytes] of Object.entries(sizes))
    console.log(row(widths, [name, bytes.toLocaleString("en")]));
}

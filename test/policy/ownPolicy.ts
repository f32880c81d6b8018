// A PPO policy with what a test asks for, its file, and observations for it.
import { PPO, PPOConfig, type PPONetworks } from "vibe-rl/algorithms/ppo";
import { np, random, type Array, type Shape } from "vibe-rl/array";
import { Box, Image } from "vibe-rl/env";
import { createPolicy, type CreatePolicyOptions, type Policy } from "vibe-rl/policy";

interface Wanted {
  readonly networks?: PPONetworks;
  readonly images?: Shape;
  readonly actions?: Box | number;
  readonly metadata?: CreatePolicyOptions<PPOConfig>["metadata"];
}

export async function ownPolicy({ networks, images, actions = 3, metadata = {} }: Wanted = {}) {
  const config = networks === undefined ? PPOConfig({ hiddenSizes: [8] }) : PPOConfig();
  const obsShape = images ?? [4];
  const state = PPO.init(random.key(1), obsShape, actions, config, { networks });
  const observationSpace =
    images === undefined
      ? Box({ shape: [4] })
      : Image({ height: images[0], width: images[1], channels: images[2] });
  const policy: Policy = await createPolicy("ppo", state as never, {
    ...{ config, observationSpace, metadata, networks },
  });
  const size = obsShape.reduce((product, extent) => product * extent, 1);
  const numbers = globalThis.Array.from({ length: 6 }, (_, row) =>
    globalThis.Array.from({ length: size }, (_, at) => Math.sin(3 * row + 2 * at)),
  );
  const observations = numbers.map((row) =>
    images === undefined
      ? Float32Array.from(row)
      : (Uint8Array.from(row, (one) => 127 * (one + 1)) as unknown as Float32Array),
  );
  const obs: Array = np.array(numbers).astype("float32");
  return { policy, observations, obs, state, config };
}

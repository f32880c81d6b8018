// The environment that a visitor starts from: complete, small, and learned in seconds.

export const template = `// Stars fall, and a basket catches them. Change anything: it is checked as you type,
// played at random on the right, and learned when you press Train.
import { np, random, type Array } from "vibe-rl/array";
import { Box, Discrete, type Environment } from "vibe-rl/env";

interface State {
  readonly basket: Array; // from 0 (left) to 1 (right)
  readonly x: Array; // where the star is
  readonly y: Array; // 1 at the top, 0 at the bottom
  readonly stars: Array; // how many have fallen
}

interface Params {
  readonly fall: Array; // how far a star falls in a step
  readonly reach: Array; // how near the basket must be
}

const observe = ({ basket, x, y }: State): Array => np.stack([basket, x, y]).mul(2).sub(1);

const game: Environment<State, Params> = {
  name: "Catch-v0",
  defaultParams: () => ({ fall: np.float32(0.05), reach: np.float32(0.1) }),
  observationSpace: () => Box({ low: -1.1, high: 1, shape: [3] }),
  actionSpace: () => Discrete(3), // left, stay, right

  reset(key) {
    const x = random.uniform(key);
    const state = { basket: np.float32(0.5), x, y: np.float32(1), stars: np.int32(0) };
    return [observe(state), state];
  },

  // Nothing here may look at a value: np.where chooses where an if would.
  step(key, { basket, x, y, stars }, action, { fall, reach }) {
    const moved = basket.add(action.sub(1).mul(0.05)).clip(0, 1);
    const lower = y.sub(fall);
    const isDown = lower.lessEqual(0);
    const isCaught = np.abs(x.sub(moved)).lessEqual(reach);
    const reward = np.where(isDown, np.where(isCaught, 1, -1), 0).astype("float32");
    const next = {
      basket: moved,
      x: np.where(isDown, random.uniform(key), x),
      y: np.where(isDown, 1, lower),
      stars: stars.add(isDown.astype("int32")),
    };
    const terminated = next.stars.greaterEqual(10);
    const truncated = np.bool(false);
    return [observe(next), next, reward, terminated, { terminated, truncated }];
  },

  // A picture as SVG, for one state.
  render({ basket, x, y }) {
    const [left, star, height] = [basket, x, y].map((value) => 30 + 240 * value.item());
    return \`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 300">
      <rect width="300" height="300" fill="#0f172a"/>
      <circle cx="\${star}" cy="\${300 - height}" r="9" fill="#facc15"/>
      <rect x="\${left - 26}" y="280" width="52" height="12" rx="6" fill="#38bdf8"/>
    </svg>\`;
  },
};

export default game;
`;

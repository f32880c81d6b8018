// An environment of one's own: land a probe on the Moon. It is checked, and then flown by two pilots, 1,024 landings
// at once, in one compiled program each.
import { jit, lax, np, random, vmap, type Array } from "vibe-rl/array";
import {
  AutoResetWrapper,
  Box,
  checkEnv,
  Discrete,
  EpisodeStatsWrapper,
  type Environment,
} from "vibe-rl/env";

interface ProbeState {
  readonly height: Array;
  readonly velocity: Array;
  readonly time: Array;
}
interface ProbeParams {
  readonly gravity: Array;
  readonly thrust: Array;
  readonly safeSpeed: Array;
}

const observe = ({ height, velocity }: ProbeState): Array => np.stack([height, velocity]);

const probe: Environment<ProbeState, ProbeParams> = {
  name: "Probe-v0",
  defaultParams: () => ({ gravity: np.float32(1.6), thrust: np.float32(2.8), safeSpeed: np.float32(2) }),
  observationSpace: () => Box({ low: [0, -Infinity], high: Infinity }),
  actionSpace: () => Discrete(2),
  reset(key) {
    const state = {
      height: random.uniform(key, [], { minval: 80, maxval: 120 }),
      velocity: np.float32(0),
      time: np.int32(0),
    };
    return [observe(state), state];
  },
  step(_key, state, action, { gravity, thrust, safeSpeed }) {
    const push = np.where(action.equal(1), thrust, 0).sub(gravity);
    const velocity = state.velocity.add(push.mul(0.1));
    const height = np.maximum(state.height.add(velocity.mul(0.1)), 0);
    const next = { height, velocity, time: state.time.add(1) };
    const terminated = height.equal(0);
    const truncated = next.time.greaterEqual(400).and(terminated.not());
    // A soft landing is worth 1, a crash −1, and fuel costs a little.
    const landing = np.where(velocity.abs().lessEqual(safeSpeed), 1, -1);
    const reward = np.where(terminated, landing, 0).sub(action.astype("float32").mul(0.001));
    return [observe(next), next, reward, terminated.or(truncated), { terminated, truncated }];
  },
};

checkEnv(probe);
console.log(`${probe.name} is sound`);

const env = EpisodeStatsWrapper(AutoResetWrapper(probe));
const params = env.defaultParams();

/** The mean return of the first landing of 1,024 probes. */
const meanReturn = (pilot: (key: Array, obs: Array) => Array): number => {
  const fly = (key: Array): Array => {
    const [start, flight] = random.split(key);
    const [obs, state] = env.reset(start, params);
    const first = { obs, state, result: np.float32(0), landed: np.bool(false) };
    const [last] = lax.scan(
      (before: typeof first, turn: Array) => {
        const action = pilot(turn, before.obs);
        const [nextObs, next, , done, info] = env.step(turn, before.state, action, params);
        const isFirst = done.and(before.landed.not());
        const result = np.where(isFirst, info.episodeReturn, before.result);
        return [{ obs: nextObs, state: next, result, landed: before.landed.or(done) }, null];
      },
      first,
      random.split(flight, 400),
    );
    return last.result;
  };
  return jit((keys: Array) => vmap(fly)(keys).mean())(random.split(random.key(0), 1024)).item();
};

const guess = (key: Array): Array => env.actionSpace(params).sample(key);
/** Brakes as late as it can: when stopping takes all the height that is left, and a little more. */
const brake = (_key: Array, obs: Array): Array => {
  const [height, velocity] = obs;
  const stopping = np.square(velocity).div(params.thrust.sub(params.gravity).mul(2));
  return velocity
    .less(-1)
    .and(stopping.greater(height.mul(0.9)))
    .astype("int32");
};

console.log(`random pilot: ${meanReturn(guess).toFixed(3)}`);
console.log(`braking pilot: ${meanReturn(brake).toFixed(3)}`);

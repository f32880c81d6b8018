// Probe environments: tiny ones whose values are known, each of which needs one more thing to be right. They are
// one environment with parameters, so that one compiled training run serves them all.
import { np, random, type Array } from "vibe-rl/array";
import { AutoResetWrapper, Box, Discrete, Image, type Environment } from "vibe-rl/env";

export interface ProbeParams {
  /** Steps of an episode. The reward comes with the last one. */
  readonly length: Array;
  /** Parts of the reward: always, by the sign that is observed, by how well the first action fits. */
  readonly constant: Array;
  readonly bySign: Array;
  readonly byAction: Array;
  /** 1 if the sign decides which action fits, 0 if it is always the same. */
  readonly fitsSign: Array;
}

interface ProbeState {
  readonly sign: Array;
  readonly firstAction: Array;
  readonly time: Array;
}

const params = (given: Partial<Record<keyof ProbeParams, number>>): ProbeParams => {
  const { length = 1, constant = 0, bySign = 0, byAction = 0, fitsSign = 0 } = given;
  return {
    length: np.int32(length),
    constant: np.float32(constant),
    bySign: np.float32(bySign),
    byAction: np.float32(byAction),
    fitsSign: np.float32(fitsSign),
  };
};

export const gamma = 0.5;

/** A probe, and the value of its first observation for either sign. */
export interface Probe {
  readonly fact: string;
  readonly params: ProbeParams;
  readonly value: (sign: number) => number;
  /** Whether the first action matters. */
  readonly hasBestAction: boolean;
}

export const probes: readonly Probe[] = [
  { fact: "a constant reward", params: params({ constant: 1 }), value: () => 1, hasBestAction: false },
  {
    fact: "a reward that depends on the observation",
    params: params({ bySign: 1 }),
    value: (sign) => sign,
    hasBestAction: false,
  },
  {
    fact: "a reward that depends on the action",
    params: params({ byAction: 1 }),
    value: () => 1,
    hasBestAction: true,
  },
  {
    fact: "a reward that depends on observation and action",
    params: params({ byAction: 1, fitsSign: 1 }),
    value: () => 1,
    hasBestAction: true,
  },
  {
    fact: "credit over one step",
    params: params({ byAction: 1, length: 2 }),
    value: () => gamma,
    hasBestAction: true,
  },
  {
    fact: "credit over two steps",
    params: params({ byAction: 1, length: 3 }),
    value: () => gamma ** 2,
    hasBestAction: true,
  },
];

export const observe = (sign: number): Array => np.array([sign, 0, 0]);

/** The best first action: 0 or 1, or a number. */
export const bestAction = (kind: "discrete" | "continuous", { params: p }: Probe, sign: number): number => {
  const signed = p.fitsSign.item() === 1 ? sign : 1;
  return kind === "discrete" ? (signed + 1) / 2 : signed / 2;
};

/** How well an action fits, 1 at best. */
function fit(kind: "discrete" | "continuous", action: Array, sign: Array, { fitsSign }: ProbeParams): Array {
  const signed = np.where(fitsSign.greater(0), sign, 1);
  return kind === "discrete"
    ? action.equal(signed.add(1).mul(0.5)).astype("float32")
    : np.subtract(1, np.square(action.sub(signed.mul(0.5))));
}

export function probe(kind: "discrete" | "continuous"): Environment<ProbeState, ProbeParams> {
  const obsOf = ({ sign, firstAction, time }: ProbeState) =>
    np.stack([sign, firstAction, time.astype("float32")]);
  return AutoResetWrapper({
    name: `Probe-${kind}`,
    defaultParams: () => params({}),
    observationSpace: () => Box({ shape: [3] }),
    actionSpace: () => (kind === "discrete" ? Discrete(2) : Box({ low: -1, high: 1, shape: [1] })),
    reset(key) {
      const sign = np.where(random.bernoulli(key), 1, -1).astype("float32");
      const state = { sign, firstAction: np.float32(0), time: np.int32(0) };
      return [obsOf(state), state];
    },
    step(_key, { sign, firstAction, time }, action, p) {
      const taken = action.reshape([]).astype("float32");
      const first = np.where(time.equal(0), taken, firstAction);
      const state = { sign, firstAction: first, time: time.add(1) };
      const terminated = state.time.greaterEqual(p.length);
      const parts = [p.constant, p.bySign.mul(sign), p.byAction.mul(fit(kind, first, sign, p))];
      const reward = np.where(
        terminated,
        parts.reduce((sum, part) => sum.add(part)),
        0,
      );
      return [obsOf(state), state, reward, terminated, { terminated, truncated: np.bool(false) }];
    },
  });
}

/** The probe seen as a picture of 6×6 bytes: bright on the left for −1, on the right for 1. */
export function imageProbe(kind: "discrete" | "continuous"): Environment<ProbeState, ProbeParams> {
  const env = probe(kind);
  const paint = (obs: Array): Array => paintSign(obs.slice(0));
  return {
    ...env,
    observationSpace: () => Image({ height: 6, width: 6, channels: 1 }),
    reset(key, p) {
      const [obs, state] = env.reset(key, p);
      return [paint(obs), state];
    },
    step(key, state, action, p) {
      const [obs, next, reward, done, info] = env.step(key, state, action, p);
      return [paint(obs), next, reward, done, { ...info, terminalObs: paint(info.terminalObs as Array) }];
    },
  };
}

export function paintSign(sign: Array): Array {
  const isRight = np.arange(6).greaterEqual(3);
  const bright = isRight.equal(sign.greater(0));
  return np.broadcastTo(np.where(bright, 255, 0).astype("uint8").slice(null, ":", null), [6, 6, 1]);
}

/** Rewards of 1 without end, in episodes that are cut off after two steps. The value is 1 / (1 − gamma). */
export const endless = (): Environment<{ time: Array }, null> =>
  AutoResetWrapper({
    name: "Endless",
    defaultParams: () => null,
    observationSpace: () => Box({ shape: [1] }),
    actionSpace: () => Discrete(2),
    reset: () => [np.ones([1]), { time: np.int32(0) }],
    step(_key, { time }) {
      const truncated = time.equal(1);
      const info = { terminated: np.bool(false), truncated };
      return [np.ones([1]), { time: time.add(1) }, np.float32(1), truncated, info];
    },
  });

// CartPole-v1 as pure functions of one environment, with Gymnasium's constants.
import { np, random, tree } from "vibe-rl/array";

const gravity = 9.8;
const massCart = 1;
const massPole = 0.1;
const totalMass = massCart + massPole;
const halfLength = 0.5;
const force = 10;
const tau = 0.02;
const angleLimit = (12 * 2 * Math.PI) / 360;
const positionLimit = 2.4;
const episodeLimit = 500;

/** A fresh state: everything uniform in ±0.05. */
export function reset(key) {
  const [x, speed, angle, spin] = random.uniform(key, [4], { minval: -0.05, maxval: 0.05 });
  return { x, speed, angle, spin, time: np.int32(0) };
}

export const observe = ({ x, speed, angle, spin }) => np.stack([x, speed, angle, spin]);

/** The next state after an action (true: push to the right) and whether the episode ended; a new one begins then. */
export function step(key, { x, speed, angle, spin, time }, action) {
  const push = np.where(action, force, -force);
  const [sin, cos] = [np.sin(angle), np.cos(angle)];
  const pull = push
    .add(
      spin
        .mul(spin)
        .mul(sin)
        .mul(massPole * halfLength),
    )
    .div(totalMass);
  const spinUp = sin
    .mul(gravity)
    .sub(cos.mul(pull))
    .div(np.subtract(4 / 3, cos.mul(cos).mul(massPole / totalMass)).mul(halfLength));
  const speedUp = pull.sub(spinUp.mul(cos).mul((massPole * halfLength) / totalMass));
  const next = {
    x: x.add(speed.mul(tau)),
    speed: speed.add(speedUp.mul(tau)),
    angle: angle.add(spin.mul(tau)),
    spin: spin.add(spinUp.mul(tau)),
    time: time.add(1),
  };
  const done = np
    .abs(next.x)
    .greater(positionLimit)
    .or(np.abs(next.angle).greater(angleLimit))
    .or(next.time.greaterEqual(episodeLimit));
  const state = tree.map((fresh, old) => np.where(done, fresh, old), reset(key), next);
  return { state, done };
}

// Finds the torques that swing a pendulum up by differentiating through its simulation.
import { jit, lax, np, valueAndGrad, type Array } from "vibe-rl/array";

const turns = 60;

/** The pendulum hanging down, pushed by each torque for a twentieth of a second; returns all angles. */
function simulate(torques: Array): Array {
  const start = { angle: np.float32(Math.PI), speed: np.float32(0) };
  const [, angles] = lax.scan(
    ({ angle, speed }: typeof start, torque: Array) => {
      const push = np.tanh(torque).mul(3);
      const nextSpeed = speed.add(np.sin(angle).mul(15).add(push.mul(3)).mul(0.05));
      const nextAngle = angle.add(nextSpeed.mul(0.05));
      return [{ angle: nextAngle, speed: nextSpeed }, nextAngle];
    },
    start,
    torques,
  );
  return angles;
}

/** How far from upright the pendulum is in its last ten steps, 0 to 1. */
const cost = (torques: Array): Array => np.cos(simulate(torques).slice("-10:")).neg().add(1).mean().div(2);

const improve = jit((torques: Array) => {
  const [value, gradient] = valueAndGrad(cost)(torques);
  return { torques: torques.sub(gradient.mul(5)), value };
});

let torques = np.sin(np.arange(turns).mul(0.3));
let value = cost(torques);
console.log(`before: ${value.item().toFixed(4)}`);
for (let round = 0; round < 150; round++) ({ torques, value } = improve(torques));
console.log(`after: ${value.item().toFixed(4)}`);

// The valley that both mountain cars drive in: its motion, its start and its picture.
import { np, random, type Array } from "../../array/index.js";
import { circle, colors, line, numbersIn, picture, polyline, shape, type Point } from "../svg.js";

export interface MountainState {
  readonly position: Array;
  readonly velocity: Array;
  readonly time: Array;
}

export interface MountainLimits {
  readonly minPosition: Array;
  readonly maxPosition: Array;
  readonly maxSpeed: Array;
  readonly goalPosition: Array;
  readonly goalVelocity: Array;
  readonly gravity: Array;
}

export const observe = ({ position, velocity }: MountainState): Array => np.stack([position, velocity]);

/** At rest, somewhere in the valley. */
export function start(key: Array): readonly [obs: Array, state: MountainState] {
  const state = {
    position: random.uniform(key, [], { minval: -0.6, maxval: -0.4 }),
    velocity: np.float32(0),
    time: np.int32(0),
  };
  return [observe(state), state];
}

/** The state after an engine's push; the wall on the left stops the car. */
export function drive(state: MountainState, push: Array, limits: MountainLimits): MountainState {
  const { minPosition, maxPosition, maxSpeed, gravity } = limits;
  const speed = state.velocity
    .add(push)
    .sub(np.cos(state.position.mul(3)).mul(gravity))
    .clip(maxSpeed.neg(), maxSpeed);
  const position = state.position.add(speed).clip(minPosition, maxPosition);
  const atWall = position.equal(minPosition).and(speed.less(0));
  return { position, velocity: np.where(atWall, 0, speed), time: state.time.add(1) };
}

export const atGoal = ({ position, velocity }: MountainState, limits: MountainLimits): Array =>
  position.greaterEqual(limits.goalPosition).and(velocity.greaterEqual(limits.goalVelocity));

const height = (position: number): number => Math.sin(3 * position) * 0.45 + 0.55;

export function draw(state: MountainState, limits: MountainLimits): string {
  const { position } = numbersIn("state", state, "position");
  const { minPosition, maxPosition, goalPosition } = numbersIn(
    "params",
    limits,
    "minPosition",
    "maxPosition",
    "goalPosition",
  );
  const scale = 600 / (maxPosition - minPosition);
  const at = (x: number): Point => [(x - minPosition) * scale, 370 - height(x) * 270];
  const track = globalThis.Array.from({ length: 101 }, (_, i) =>
    at(minPosition + ((maxPosition - minPosition) * i) / 100),
  );
  const [x, y] = at(position);
  const slope = (Math.atan2(Math.cos(3 * position) * 1.35 * 270, scale) * 180) / Math.PI;
  const flag = at(goalPosition);
  return picture(600, 400, [
    polyline([[0, 400], ...track, [600, 400]], { fill: colors.shade }),
    polyline(track, { stroke: colors.faint, "stroke-width": 4 }),
    line(flag, [flag[0], flag[1] - 50], colors.ink, 3),
    polyline(
      [
        [flag[0], flag[1] - 50],
        [flag[0] + 26, flag[1] - 41],
        [flag[0], flag[1] - 32],
      ],
      { fill: colors.green },
    ),
    `<g transform="translate(${x.toFixed(2)} ${y.toFixed(2)}) rotate(${(-slope).toFixed(2)})">`,
    shape("rect", { x: -22, y: -26, width: 44, height: 18, rx: 6, fill: colors.blue }),
    circle([-12, -7], 7, colors.ink),
    circle([12, -7], 7, colors.ink),
    "</g>",
  ]);
}

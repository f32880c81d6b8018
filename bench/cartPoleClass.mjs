// CartPole-v1 as a plain class with Gymnasium's constants: an environment that is an object, in a file of its own for
// workers.
import { Box, Discrete } from "../dist/exports/env.js";

export class CartPole {
  observationSpace = Box({ low: -Infinity, high: Infinity, shape: [4] });
  actionSpace = Discrete(2);
  state = [0, 0, 0, 0];
  steps = 0;
  seed = 1;

  random() {
    this.seed = (Math.imul(this.seed, 1664525) + 1013904223) >>> 0;
    return this.seed / 2 ** 32;
  }

  reset(seed) {
    if (seed !== undefined) this.seed = Math.imul(seed + 1, 2654435761) >>> 0;
    this.state = this.state.map(() => this.random() / 10 - 0.05);
    this.steps = 0;
    return [this.state];
  }

  step(action) {
    const [x, speed, angle, turn] = this.state;
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    const push = ((action === 1 ? 10 : -10) + 0.05 * turn * turn * sin) / 1.1;
    const bend = (9.8 * sin - cos * push) / (0.5 * (4 / 3 - (0.1 * cos * cos) / 1.1));
    const pull = push - (0.05 * bend * cos) / 1.1;
    this.state = [x + 0.02 * speed, speed + 0.02 * pull, angle + 0.02 * turn, turn + 0.02 * bend];
    const isOver = Math.abs(this.state[0]) > 2.4 || Math.abs(this.state[2]) > (12 * Math.PI) / 180;
    return [this.state, 1, isOver, ++this.steps >= 500];
  }
}

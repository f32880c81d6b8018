// An environment that workers of a page import, and what can go wrong with one. Import maps do not reach workers, so it
// imports by address.
import { Box, Discrete } from "/dist/exports/env.js";

export class Walk {
  observationSpace = Box({ low: -100, high: 100, shape: [2] });
  actionSpace = Discrete(2);
  random = 1;
  place = 0;
  steps = 0;

  /** `trouble` is what happens on the third step. */
  constructor({ trouble = null } = {}) {
    this.trouble = trouble;
  }

  reset(seed) {
    if (seed !== undefined) this.random = seed + 1;
    this.random = (Math.imul(this.random, 1664525) + 1013904223) >>> 0;
    this.place = this.random / 2 ** 32;
    this.steps = 0;
    return [[this.place, this.steps]];
  }

  step(action) {
    this.place += action === 1 ? 1 : -1;
    this.steps += 1;
    if (this.steps === 3 && this.trouble === "throws") throw new RangeError("off the board");
    while (this.steps === 3 && this.trouble === "hangs");
    const info = { log: { "/walk/place": this.place } };
    return [[this.place, this.steps], this.place - 0.5, this.place > 3, this.steps >= 6, info];
  }

  getState() {
    return { random: this.random, place: this.place, steps: this.steps };
  }

  setState(state) {
    Object.assign(this, state);
  }
}

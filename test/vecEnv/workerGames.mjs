// Environments that workers import: the walk, and what can go wrong in a worker.
import { setTimeout } from "node:timers";
import { Box, Discrete } from "../../dist/env/index.js";
import { registerHost } from "../../dist/vecEnv/registry.js";

const nextRandom = (state) => (Math.imul(state, 1664525) + 1013904223) >>> 0;

/** A walk from a random place, as that of games.ts. `trouble` is what happens on the third step. */
export class Walk {
  observationSpace = Box({ low: -100, high: 100, shape: [2] });
  actionSpace = Discrete(2);
  random = 1;
  place = 0;
  steps = 0;

  constructor({ limit = 6, trouble = null } = {}) {
    this.limit = limit;
    this.trouble = trouble;
  }

  reset(seed) {
    if (seed !== undefined) this.random = seed + 1;
    this.random = nextRandom(this.random);
    this.place = Math.fround(this.random / 2 ** 32);
    this.steps = 0;
    return [[this.place, this.steps], {}];
  }

  step(action) {
    this.place += action === 1 ? 1 : -1;
    this.steps += 1;
    if (this.steps === 3 && this.trouble !== null) return troubles[this.trouble](this);
    const info = {
      rewardComponents: { place: this.place, ...(this.steps > 3 && { late: -0 }) },
      log: { "/walk/place": this.place, ...(this.place < -1 && { "/walk/left": 0.1 }) },
    };
    return [[this.place, this.steps], this.place - 0.5, this.place > 3, this.steps >= this.limit, info];
  }

  getState() {
    return { random: this.random, place: this.place, steps: this.steps };
  }

  setState(state) {
    Object.assign(this, state);
  }

  render() {
    return `<svg><text>${this.place}</text></svg>`;
  }
}

const troubles = {
  throws: () => {
    throw new RangeError("off the board");
  },
  rejects: () => Promise.reject(new RangeError("off the board")),
  nan: () => [[0, NaN], 0, false, false],
  exits: () => process.exit(3),
  hangs: () => {
    for (;;);
  },
  waits: () => new Promise(() => undefined),
  crashes: () => {
    setTimeout(() => {
      throw new Error("in a timer");
    }, 0);
    return new Promise(() => undefined);
  },
};

export default (options) => new Walk(options);

/** The walk that answers later, from a factory that takes its time, too. */
export async function later(options) {
  await Promise.resolve();
  const walk = new Walk(options);
  const wait = () => new Promise((resolve) => setTimeout(resolve, 0));
  return {
    observationSpace: walk.observationSpace,
    actionSpace: walk.actionSpace,
    reset: (seed) => wait().then(() => walk.reset(seed)),
    step: (action) => wait().then(() => walk.step(action)),
  };
}

export const noFactory = 3;

export const failing = () => {
  throw new Error("no licence");
};

registerHost("Walk-v0", (options) => new Walk(options));

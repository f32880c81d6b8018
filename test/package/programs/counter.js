// An environment that counts actions from its seed on.
import { Box, Discrete } from "vibe-rl/env";

export class Counter {
  observationSpace = Box({ shape: [1] });
  actionSpace = Discrete(2);
  count = 0;

  reset(seed = 0) {
    this.count = seed;
    return [[this.count]];
  }

  step(action) {
    this.count += action;
    return [[this.count], action, this.count > 8, false];
  }
}

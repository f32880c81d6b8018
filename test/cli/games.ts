// A module that registers environments that are objects, as the command line imports it.

/** A walk along a line that ends at its right end, drawn in three ways; test files in one process need names apart. */
export const games = (prefix: string): string => `
import { Box, Discrete } from "vibe-rl/env";
import { registerHost } from "vibe-rl/vecEnv";

class Walk {
  observationSpace = Box({ low: -10, high: 10, shape: [1] });
  actionSpace = Discrete(2);
  at = 0;
  steps = 0;
  reset() {
    [this.at, this.steps] = [0, 0];
    return [[0], {}];
  }
  step(action) {
    this.at += action === 1 ? 1 : -1;
    this.steps++;
    const isThere = this.at >= 3;
    return [[this.at], isThere ? 1 : 0, isThere, !isThere && this.steps >= 8, {}];
  }
  getState() {
    return [this.at, this.steps];
  }
  setState([at, steps]) {
    [this.at, this.steps] = [at, steps];
  }
}
class Drawn extends Walk {
  render() {
    return \`<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect x="\${this.at}" width="4" height="4"/></svg>\`;
  }
}
class Pixels extends Walk {
  actionSpace = Box({ low: -1, high: 1, shape: [1] });
  step([action]) {
    return super.step(action > 0 ? 1 : 0);
  }
  render() {
    return { width: 2, height: 1, data: Uint8Array.of(255, 0, 0, 0, 0, 8 * (10 + this.at)) };
  }
}
class Broken extends Walk {
  step(action) {
    if (this.steps === 5) throw new Error("the dice are lost");
    return super.step(action);
  }
}
registerHost("${prefix}Drawn-v0", () => new Drawn());
registerHost("${prefix}Pixels-v0", async () => new Pixels());
registerHost("${prefix}Blind-v0", () => new Walk());
registerHost("${prefix}Broken-v0", () => new Broken());
`;

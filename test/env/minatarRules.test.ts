// The rules of Breakout, Asterix and Freeway, each as a fact about one step or a few.
import { describe, expect, it } from "vitest";
import { np } from "vibe-rl/array";
import {
  asterix,
  breakout,
  freeway,
  type AsterixState,
  type BreakoutState,
  type FreewayState,
} from "vibe-rl/env";
import { asterixGame } from "../../src/env/builtin/minatar/asterix.js";
import { breakoutGame } from "../../src/env/builtin/minatar/breakout.js";
import { freewayGame } from "../../src/env/builtin/minatar/freeway.js";
import { down, left, none, right, up } from "./minatar/reference.js";
import { table } from "./minatar/table.js";

const all = { useMinimalActionSet: false };
const int = np.int32;

describe("Breakout-MinAtar", () => {
  const { start, step } = table(breakout(all), breakoutGame);
  const wall = [1, 2, 3].flatMap((y) => [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((x) => `${x},${y}`));
  const ball = (x: number, y: number, stepX: number, stepY: number): BreakoutState => ({
    ...start(),
    ballX: int(x),
    ballY: int(y),
    stepX: int(stepX),
    stepY: int(stepY),
  });

  it("starts with a full wall and a ball that comes down from either side of it", () => {
    const starts = [0, 1, 2, 3, 4, 5].map((seed) => start(seed));
    expect(new Set(starts.map(({ ballX }) => ballX.item()))).toEqual(new Set([0, 9]));
    for (const state of starts) {
      const fromLeft = state.ballX.item() === 0;
      const turn = step(state, none);
      expect(turn.cells("ball")).toEqual([fromLeft ? "1,4" : "8,4"]);
      expect(turn.cells("trail")).toEqual([fromLeft ? "0,3" : "9,3"]);
      expect(turn.cells("paddle")).toEqual(["4,9"]);
      expect(turn.cells("brick")).toEqual(wall);
    }
  });

  it("moves the paddle left and right and keeps it on the board", () => {
    expect(step(start(), left).cells("paddle")).toEqual(["3,9"]);
    expect(step(start(), right).cells("paddle")).toEqual(["5,9"]);
    expect(step(start(), up).cells("paddle")).toEqual(["4,9"]);
    expect(step({ ...start(), paddle: int(0) }, left).cells("paddle")).toEqual(["0,9"]);
    expect(step({ ...start(), paddle: int(9) }, right).cells("paddle")).toEqual(["9,9"]);
  });

  it("reflects the ball from the sides and from the top", () => {
    const aside = step(ball(9, 5, 1, 1), none);
    expect(aside.cells("ball")).toEqual(["9,6"]);
    expect(step(aside.state, none).cells("ball")).toEqual(["8,7"]);
    const top = step({ ...ball(4, 0, 1, -1), bricks: int(0) }, none);
    expect(top.cells("ball")).toEqual(["5,0"]);
    expect(step(top.state, none).cells("ball")).toEqual(["6,1"]);
  });

  it("breaks a brick for a reward of 1 and turns the ball back", () => {
    const turn = step(ball(4, 4, 1, -1), none);
    expect(turn.reward).toBe(1);
    expect(turn.cells("brick")).toEqual(wall.filter((cell) => cell !== "5,3"));
    expect(turn.cells("ball")).toEqual(["5,4"]);
    expect(step(turn.state, none).cells("ball")).toEqual(["6,5"]);
  });

  it("breaks no second brick before the ball has left the wall", () => {
    const turn = step({ ...ball(4, 0, 1, 1), isInWall: np.bool(true) }, none);
    expect(turn.reward).toBe(0);
    expect(turn.cells("ball")).toEqual(["5,1"]);
    expect(turn.cells("brick")).toEqual(wall);
    expect(step(turn.state, none).reward).toBe(0);
  });

  it("mirrors the ball above the paddle, and sends it back from the paddle's edge", () => {
    const above = step({ ...ball(4, 8, 1, 1), paddle: int(4) }, none);
    expect([above.cells("ball"), above.terminated]).toEqual([["5,8"], false]);
    expect(step(above.state, none).cells("ball")).toEqual(["6,7"]);
    const edge = step({ ...ball(4, 8, 1, 1), paddle: int(5) }, none);
    expect([edge.cells("ball"), edge.terminated]).toEqual([["5,8"], false]);
    expect(step(edge.state, none).cells("ball")).toEqual(["4,7"]);
  });

  it("ends without a reward when the paddle misses the ball", () => {
    const turn = step({ ...ball(4, 8, 1, 1), paddle: int(7) }, none);
    expect([turn.terminated, turn.reward, turn.cells("ball")]).toEqual([true, 0, ["5,9"]]);
    // The paddle moves first.
    expect(step({ ...ball(4, 8, 1, 1), paddle: int(6) }, left).terminated).toBe(false);
  });

  it("puts the wall up again when the ball comes down and no brick is left", () => {
    const lastBrick = { ...ball(4, 4, 1, -1), bricks: int(1 << 25) };
    const broken = step(lastBrick, none);
    expect([broken.reward, broken.cells("brick")]).toEqual([1, []]);
    const bottom = { ...ball(4, 8, 1, 1), paddle: int(4), bricks: int(0) };
    expect(step(bottom, none).cells("brick")).toEqual(wall);
  });
});

describe("Asterix-MinAtar", () => {
  const { start, step, repeat } = table(asterix(all), asterixGame);
  const perRow = (row: number, value: number, rest: number): number[] =>
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((at) => (at === row ? value : rest));
  /** Something in a row, which moves to the right. */
  const crossing = (x: number, row: number, isGold: boolean, isRight = true): AsterixState => ({
    ...start(),
    x: int(perRow(row, x, -1)),
    isRight: np.bool(perRow(row, Number(isRight), 0)),
    isGold: np.bool(perRow(row, Number(isGold), 0)),
  });

  it("gives 1 for treasure, which is gone then, and ends at an enemy", () => {
    const gold = step(crossing(4, 5, true), left);
    expect([gold.reward, gold.terminated, gold.cells("gold")]).toEqual([1, false, []]);
    const enemy = step(crossing(4, 5, false), left);
    expect([enemy.reward, enemy.terminated]).toEqual([0, true]);
    const met = { ...crossing(4, 5, true), moveTimer: int(0) };
    expect(step(met, none).reward).toBe(1);
    expect(step({ ...met, isGold: np.bool(perRow(0, 0, 0)) }, none).terminated).toBe(true);
  });

  it("keeps the player between the rows 1 and 8", () => {
    expect(step({ ...start(), playerY: int(1) }, up).cells("player")).toEqual(["5,1"]);
    expect(step({ ...start(), playerY: int(8) }, down).cells("player")).toEqual(["5,8"]);
    expect(step({ ...start(), playerX: int(9) }, right).cells("player")).toEqual(["9,5"]);
  });

  it("moves everything every five steps, with a trail behind it, and off the board", () => {
    const state = { ...crossing(3, 2, false), moveTimer: int(0) };
    const moved = step(state, none);
    expect([moved.cells("enemy"), moved.cells("trail")]).toEqual([["4,2"], ["3,2"]]);
    expect(repeat(moved.state, none, 4).cells("enemy")).toEqual(["4,2"]);
    expect(repeat(moved.state, none, 5).cells("enemy")).toEqual(["5,2"]);
    const leaving = step({ ...crossing(9, 2, true), moveTimer: int(0) }, none);
    expect([leaving.cells("gold"), leaving.cells("trail")]).toEqual([[], []]);
    const leftward = step({ ...crossing(3, 2, true, false), moveTimer: int(0) }, none);
    expect([leftward.cells("gold"), leftward.cells("trail")]).toEqual([["2,2"], ["3,2"]]);
  });

  it("sends something in from a side every ten steps, into a row that is empty", () => {
    expect(repeat(start(), none, 10).state.x.toArray()).toEqual(perRow(0, -1, -1));
    const kinds = new Set<string>();
    for (let seed = 0; seed < 40; seed++) {
      const turn = step({ ...start(), spawnTimer: int(0) }, none, seed);
      const [cell, ...more] = [...turn.cells("enemy"), ...turn.cells("gold")];
      expect(more).toEqual([]);
      expect(cell).toMatch(/^[09],[1-8]$/);
      kinds.add(`${turn.cells("gold").length} ${cell}`);
    }
    expect(kinds.size).toBeGreaterThan(15);
    const full = { ...start(), playerY: int(1), x: int([-1, 4, 4, 4, 4, 4, 4, 4, 4, -1]) };
    const turn = step({ ...full, x: int([-1, 4, 4, 4, 4, 4, 4, -1, 4, -1]), spawnTimer: int(0) }, none);
    expect(["0,7", "9,7"]).toContain(`${turn.state.x.slice(7).item()},7`);
    expect(step({ ...full, spawnTimer: int(0) }, none).state.x.toArray()).toEqual(full.x.toArray());
  });

  it("becomes faster every 102 steps, down to one step, unless ramping is off", () => {
    const at = (time: number, game = step): number[] => {
      const due = { ...start(), time: int(time), spawnTimer: int(0), moveTimer: int(0) };
      const { state } = game(due, none);
      return [state.spawnTimer.item() + 1, state.moveTimer.item() + 1];
    };
    expect(at(101)).toEqual([10, 5]);
    expect(at(102)).toEqual([9, 5]);
    expect(at(204)).toEqual([8, 4]);
    expect(at(9 * 102)).toEqual([1, 1]);
    expect(at(5000)).toEqual([1, 1]);
    expect(at(5000, table(asterix(all), asterixGame, { ramping: np.bool(false) }).step)).toEqual([10, 5]);
  });
});

describe("Freeway-MinAtar", () => {
  const { start, step, repeat } = table(freeway(all), freewayGame);
  const cars = (x: number, pace: number, isRight: boolean): FreewayState => ({
    ...start(),
    carX: int([-1, x, x, x, x, x, x, x, x, -1]),
    carPace: np.full([10], int(pace)),
    carTimer: np.full([10], int(pace)),
    isRight: np.full([10], np.bool(isRight)),
  });

  it("lets the chicken walk every third step, up and down only", () => {
    const ready = { ...cars(0, 5, true), moveTimer: int(0) };
    const first = step(ready, up);
    expect(first.cells("chicken")).toEqual(["4,8"]);
    expect(repeat(first.state, up, 2).cells("chicken")).toEqual(["4,8"]);
    expect(repeat(first.state, up, 3).cells("chicken")).toEqual(["4,7"]);
    expect(step({ ...ready, y: int(5) }, down).cells("chicken")).toEqual(["4,6"]);
    expect(step(ready, down).cells("chicken")).toEqual(["4,9"]);
    expect(step(ready, left).cells("chicken")).toEqual(["4,9"]);
  });

  it("gives 1 at the top, puts the chicken back and sends the cars at new speeds from where they are", () => {
    const top = { ...cars(7, 5, true), y: int(1), moveTimer: int(0) };
    const turn = step(top, up);
    expect([turn.reward, turn.terminated, turn.cells("chicken")]).toEqual([1, false, ["4,9"]]);
    expect(turn.cells("car")).toEqual([1, 2, 3, 4, 5, 6, 7, 8].map((y) => `7,${y}`));
    expect(new Set(turn.state.carPace.toArray() as number[]).size).toBeGreaterThan(1);
    const other = step(top, up, 1).state.carPace.toArray();
    expect(other).not.toEqual(turn.state.carPace.toArray());
  });

  it("puts the chicken back without a reward when a car hits it, before or after the car's move", () => {
    const parked = { ...cars(4, 5, true), y: int(9), moveTimer: int(0) };
    expect(step(parked, up)).toMatchObject({ reward: 0, terminated: false });
    expect(step(parked, up).cells("chicken")).toEqual(["4,9"]);
    const arriving = { ...cars(3, 1, true), y: int(5), carTimer: np.full([10], int(0)) };
    expect(step(arriving, none).cells("chicken")).toEqual(["4,9"]);
    expect(step({ ...arriving, carX: cars(2, 1, true).carX }, none).cells("chicken")).toEqual(["4,5"]);
  });

  it("moves cars after as many steps of waiting as their pace, round the board, with a trail for the pace", () => {
    for (const pace of [1, 3, 5]) {
      const state = cars(9, pace, true);
      const waited = repeat(state, none, pace);
      expect(waited.cells("car")[0]).toBe("9,1");
      const moved = step(waited.state, none);
      expect(moved.cells("car")[0]).toBe("0,1");
      expect(moved.cells(`trail of a car of pace ${pace}`)[0]).toBe("9,1");
    }
    expect(step({ ...cars(0, 2, false), carTimer: np.full([10], int(0)) }, none).cells("car")[0]).toBe("9,1");
  });

  it("starts with cars of all paces, and ends after 2,500 steps", () => {
    const paces = [0, 1, 2, 3, 4].flatMap((seed) => start(seed).carPace.toArray() as number[]);
    expect(new Set(paces)).toEqual(new Set([1, 2, 3, 4, 5]));
    expect(step({ ...start(), time: int(2498) }, none).terminated).toBe(false);
    expect(step({ ...start(), time: int(2499) }, none).terminated).toBe(true);
  });
});

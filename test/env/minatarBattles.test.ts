// The rules of Space Invaders and Seaquest, each as a fact about one step or a few.
import { describe, expect, it } from "vitest";
import { np } from "vibe-rl/array";
import { seaquest, spaceInvaders, type SeaquestState, type SpaceInvadersState } from "vibe-rl/env";
import { seaquestGame } from "../../src/env/builtin/minatar/seaquest.js";
import { spaceInvadersGame } from "../../src/env/builtin/minatar/spaceInvaders.js";
import { down, fire, left, none, right, up } from "./minatar/reference.js";
import { table } from "./minatar/table.js";

const all = { useMinimalActionSet: false };
const int = np.int32;
const ten = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

describe("SpaceInvaders-MinAtar", () => {
  const { start, step, repeat } = table(spaceInvaders(all), spaceInvadersGame);
  /** Bits of rows by column. */
  const board = (...cells: (readonly [x: number, y: number])[]) =>
    int(ten.map((column) => cells.reduce((bits, [x, y]) => (x === column ? bits | (1 << y) : bits), 0)));
  const wave = [0, 1, 2, 3].flatMap((y) => [2, 3, 4, 5, 6, 7].map((x) => `${x},${y}`));

  it("starts with four rows of six aliens that move to the left every twelve steps", () => {
    const before = repeat(start(), none, 12);
    expect(before.cells("alien")).toEqual(wave);
    expect(before.cells("alien that moves left")).toEqual(wave);
    expect(before.cells("alien that moves right")).toEqual([]);
    expect(step(before.state, none).cells("alien")[0]).toBe("1,0");
  });

  it("fires a bullet upwards, and the next one five steps later", () => {
    const first = step(start(), fire);
    expect(first.cells("bullet of the cannon")).toEqual(["5,8"]);
    expect(repeat(first.state, fire, 4).cells("bullet of the cannon")).toEqual(["5,4"]);
    expect(repeat(first.state, fire, 5).cells("bullet of the cannon")).toEqual(["5,8"]);
    expect(step(start(), left).cells("cannon")).toEqual(["4,9"]);
    expect(step(start(), right).cells("cannon")).toEqual(["6,9"]);
    expect(step({ ...start(), cannon: int(9) }, right).cells("cannon")).toEqual(["9,9"]);
  });

  it("gives 1 for an alien that a bullet meets; both are gone", () => {
    const turn = step({ ...start(), bullets: board([5, 4], [2, 4], [8, 4]) }, none);
    expect([turn.reward, turn.cells("bullet of the cannon")]).toEqual([2, ["8,3"]]);
    expect(turn.cells("alien")).toEqual(wave.filter((cell) => cell !== "5,3" && cell !== "2,3"));
  });

  it("turns the aliens round at an edge, one row lower", () => {
    const edge = { ...start(), aliens: board([0, 2], [3, 1]), moveTimer: int(0) };
    const turn = step(edge, none);
    expect(turn.cells("alien that moves right")).toEqual(["3,2", "0,3"]);
    const other = step({ ...edge, aliens: board([9, 2]), isRight: np.bool(true) }, none);
    expect(other.cells("alien that moves left")).toEqual(["9,3"]);
    expect(step({ ...edge, isRight: np.bool(true) }, none).cells("alien")).toEqual(["4,1", "1,2"]);
  });

  it("lets few aliens move faster: one of them at every step", () => {
    const pause = (state: SpaceInvadersState) => step(state, none).state.moveTimer.item() + 1;
    const due = { ...start(), moveTimer: int(0) };
    expect(pause(due)).toBe(12);
    expect(pause({ ...due, aliens: board([3, 1], [4, 1], [5, 2]) })).toBe(3);
    expect(pause({ ...due, aliens: board([3, 1]) })).toBe(1);
  });

  it("sends a new wave when all are shot, which is faster by a step, six times, if ramping is on", () => {
    const nearlyDone = { ...start(), aliens: board([5, 3]), bullets: board([5, 4]), moveTimer: int(7) };
    const turn = step(nearlyDone, none);
    expect([turn.reward, turn.cells("alien")]).toEqual([1, wave]);
    const pause = ({ state }: typeof turn, game = step) =>
      game({ ...state, moveTimer: int(0) }, none).state.moveTimer.item() + 1;
    expect(pause(turn)).toBe(11);
    expect(pause(step({ ...nearlyDone, level: int(5) }, none))).toBe(6);
    expect(pause(step({ ...nearlyDone, level: int(6) }, none))).toBe(6);
    const flat = table(spaceInvaders(all), spaceInvadersGame, { ramping: np.bool(false) });
    expect(pause(flat.step(nearlyDone, none), flat.step)).toBe(12);
  });

  it("lets the lowest alien of the nearest column shoot every ten steps, the left one of two", () => {
    const shots = (aliens: ReturnType<typeof board>) =>
      step({ ...start(), aliens, alienShotTimer: int(0) }, none).cells("bullet of an alien");
    expect(shots(start().aliens)).toEqual(["5,3"]);
    expect(shots(board([4, 0], [6, 2]))).toEqual(["4,0"]);
    expect(shots(board([1, 0], [7, 2], [7, 1]))).toEqual(["7,2"]);
    const turn = step({ ...start(), alienShotTimer: int(0) }, none);
    expect(step(turn.state, none).cells("bullet of an alien")).toEqual(["5,4"]);
    expect([9, 10].map((count) => repeat(turn.state, none, count).cells("bullet of an alien"))).toEqual([
      [],
      ["5,3"],
    ]);
  });

  it("ends when a bullet or an alien reaches the cannon, or the aliens the bottom", () => {
    const ends = (changes: Partial<SpaceInvadersState>, action = none) =>
      step({ ...start(), ...changes }, action).terminated;
    expect(ends({ alienBullets: board([5, 8]) })).toBe(true);
    expect(ends({ alienBullets: board([5, 8]) }, left)).toBe(false);
    expect(ends({ alienBullets: board([5, 7]) })).toBe(false);
    expect(ends({ aliens: board([6, 9]), moveTimer: int(0) })).toBe(true);
    expect(ends({ aliens: board([6, 9]) }, right)).toBe(true);
    expect(ends({ aliens: board([0, 9]), moveTimer: int(0) })).toBe(true);
    expect(ends({ aliens: board([0, 8]), moveTimer: int(0) })).toBe(false);
  });
});

describe("Seaquest-MinAtar", () => {
  const { start, step, repeat } = table(seaquest(all), seaquestGame);
  /** Below the surface, far from the next arrival. */
  const dive = (changes: Partial<SeaquestState> = {}): SeaquestState => ({
    ...start(),
    y: int(4),
    isUp: np.bool(false),
    time: int(1),
    ...changes,
  });
  const swimmer = (x: number, y: number, isRight = true) => ({
    x: int(x),
    y: int(y),
    isRight: np.bool(isRight),
  });
  const nobody = swimmer(-1, 0);
  /** An enemy in a cell that moves to the right (or left) after `wait` steps: a fish, or a submarine by its phase. */
  const enemy = (
    x: number,
    y: number,
    { wait = 3, kind = 15, isRight = true } = {},
  ): SeaquestState["fleet"] => ({
    enemies: int(ten.map((row) => ten.map((column) => (row === y && column === x ? kind << (4 * wait) : 0)))),
    isRight: np.bool(ten.map((row) => row === y && isRight)),
  });

  it("moves in four directions, with the back behind the front, and stays between the surface and row 8", () => {
    const turn = step(dive(), right);
    expect([turn.cells("front of the submarine"), turn.cells("back of the submarine")]).toEqual([
      ["6,4"],
      ["5,4"],
    ]);
    expect(step(dive(), left).cells("back of the submarine")).toEqual(["5,4"]);
    expect(step(dive(), up).cells("front of the submarine")).toEqual(["5,3"]);
    expect(step(dive({ y: int(8) }), down).cells("front of the submarine")).toEqual(["5,8"]);
  });

  it("fires torpedoes the way it looks, at most one in five steps", () => {
    const first = step(dive(), fire);
    expect(first.cells("torpedo")).toEqual(["4,4"]);
    expect(repeat(first.state, fire, 4).cells("torpedo")).toEqual(["0,4"]);
    expect(repeat(first.state, fire, 5).cells("torpedo")).toEqual(["4,4"]);
    expect(step(dive({ isRight: np.bool(true) }), fire).cells("torpedo")).toEqual(["6,4"]);
  });

  it("gives 1 for a fish or a submarine that a torpedo meets, whichever of them moves", () => {
    const torpedoes = [nobody, swimmer(1, 6)] as const;
    for (const kind of [15, 4]) {
      const hit = step(dive({ torpedoes, fleet: enemy(2, 6, { kind }) }), none);
      expect([hit.reward, hit.cells("torpedo"), hit.cells("trail")]).toEqual([1, [], []]);
      expect([...hit.cells("fish"), ...hit.cells("enemy submarine")]).toEqual([]);
      const meets = enemy(3, 6, { kind, wait: 0, isRight: false });
      expect(step(dive({ torpedoes, fleet: meets }), none).reward).toBe(1);
    }
  });

  it("hits the fish before the submarine, and the one ahead before the other", () => {
    const torpedoes = [nobody, swimmer(1, 6)] as const;
    const both = enemy(2, 6, { wait: 1, kind: 4 });
    const mixed = { ...both, enemies: both.enemies.or(enemy(2, 6, { wait: 4 }).enemies) };
    const turn = step(dive({ torpedoes, fleet: mixed }), none);
    expect([turn.reward, turn.cells("fish"), turn.cells("enemy submarine")]).toEqual([1, [], ["2,6"]]);
    const two = enemy(2, 6, { wait: 4 });
    const pair = { ...two, enemies: two.enemies.or(enemy(2, 6, { wait: 1 }).enemies) };
    const rest = step(dive({ torpedoes, fleet: pair }), none);
    expect(rest.state.fleet.enemies.slice(6, 2).item()).toBe(15 << (4 * 3));
  });

  it("ends when a fish, a submarine or a bullet reaches it", () => {
    expect(step(dive({ fleet: enemy(5, 4) }), none).terminated).toBe(true);
    expect(step(dive({ fleet: enemy(4, 4, { wait: 0 }) }), none).terminated).toBe(true);
    expect(step(dive({ fleet: enemy(4, 4, { wait: 1 }) }), none).terminated).toBe(false);
    expect(step(dive({ fleet: enemy(6, 4, { wait: 1, kind: 4 }) }), right).terminated).toBe(true);
    const bullet = (x: number) => dive({ bullets: enemy(x, 4, { wait: 0, kind: 2 }).enemies });
    expect([3, 4, 5, 6].map((x) => step(bullet(x), none).terminated)).toEqual([false, true, true, false]);
  });

  it("lets a submarine shoot ten steps after it came, and every eleven steps from then on", () => {
    const shooting = (time: number) => {
      const turn = step(dive({ time: int(time), fleet: enemy(2, 6, { kind: (23 % 11) + 1 }) }), none);
      return turn.cells("enemy bullet");
    };
    expect([32, 33, 34, 44].map(shooting)).toEqual([[], ["3,6"], [], ["3,6"]]);
    expect(step(dive({ time: int(33), fleet: enemy(2, 6) }), none).cells("enemy bullet")).toEqual([]);
  });

  it("sends an enemy in after 20 steps, but not against those in its row", () => {
    const seen = new Set<string>();
    for (let seed = 0; seed < 30; seed++) {
      const turn = step(dive({ spawnTimer: int(0), y: int(0), isUp: np.bool(true) }), none, seed);
      const kinds = [turn.cells("fish"), turn.cells("enemy submarine")];
      expect(kinds.flat()).toEqual([expect.stringMatching(/^[09],[1-8]$/)]);
      expect(turn.state.spawnTimer.item()).toBe(19);
      seen.add(`${kinds[0].length} ${kinds.flat().join()}`);
      const [x, y] = kinds.flat()[0].split(",").map(Number);
      const against = dive({ spawnTimer: int(0), y: int(0), fleet: enemy(5, y, { isRight: x === 9 }) });
      const blocked = step({ ...against, isUp: np.bool(true) }, none, seed);
      expect(blocked.cells("fish")).toEqual([`5,${y}`]);
      expect(blocked.state.spawnTimer.item()).toBe(19);
    }
    expect(seen.size).toBeGreaterThan(12);
  });

  it("sends a diver in every 30 steps, which moves every six and can be taken on board, up to six", () => {
    const before = dive({ time: int(29), y: int(0), isUp: np.bool(true) });
    expect(step(before, none).cells("diver")).toEqual([]);
    const came = step({ ...before, time: int(30) }, none);
    expect(came.cells("diver")).toEqual([expect.stringMatching(/^[09],[1-8]$/)]);
    expect(repeat(came.state, none, 4).cells("diver")).toEqual(came.cells("diver"));
    expect(repeat(came.state, none, 5).cells("diver")).not.toEqual(came.cells("diver"));

    const met = { divers: [nobody, swimmer(4, 4)] as const };
    const taken = step(dive(met), left);
    expect([taken.cells("diver"), taken.cells("diver on board")]).toEqual([[], ["8,9"]]);
    const full = step(dive({ ...met, rescued: int(6) }), left);
    expect(full.cells("diver")).toEqual(["4,4"]);
    expect(full.cells("diver on board")).toEqual([3, 4, 5, 6, 7, 8].map((x) => `${x},9`));
    // Of two at once, the one that came last has the place.
    const two = [swimmer(4, 4), swimmer(4, 4, false)] as const;
    const one = step(dive({ divers: two, rescued: int(5) }), left);
    expect([one.state.rescued.item(), one.state.divers[0].x.item()]).toEqual([6, 4]);
  });

  it("uses up oxygen below the surface and ends without it", () => {
    const turn = step(dive({ oxygen: int(101) }), none);
    expect(turn.cells("oxygen")).toEqual([0, 1, 2, 3, 4].map((x) => `${x},9`));
    expect(step(turn.state, none).cells("oxygen")).toHaveLength(4);
    expect(step(dive({ oxygen: int(1) }), none).terminated).toBe(false);
    expect(step(dive({ oxygen: int(0) }), none).terminated).toBe(true);
    expect(repeat(start(), none, 5).state.oxygen.item()).toBe(200);
  });

  it("ends when it comes up without divers, except at the start", () => {
    expect(step(start(), left).terminated).toBe(false);
    expect(step(dive({ y: int(1) }), up).terminated).toBe(true);
    expect(step(step(start(), down).state, up).terminated).toBe(true);
  });

  it("gives up a diver for air when it comes up, once until it has been below again", () => {
    const turn = step(dive({ y: int(1), rescued: int(3), oxygen: int(50) }), up);
    expect([turn.reward, turn.terminated]).toEqual([0, false]);
    expect([turn.state.rescued.item(), turn.state.oxygen.item()]).toEqual([2, 200]);
    expect(step(turn.state, none).state.rescued.item()).toBe(2);
    expect(step(step(turn.state, down).state, up).state.rescued.item()).toBe(1);
  });

  it("pays for six divers by the oxygen that is left", () => {
    const pay = (oxygen: number) =>
      step(dive({ y: int(1), rescued: int(6), oxygen: int(oxygen) }), up).reward;
    expect([200, 199, 100, 19].map(pay)).toEqual([10, 9, 5, 0]);
    const turn = step(dive({ y: int(1), rescued: int(6), oxygen: int(120) }), up);
    expect([turn.cells("diver on board"), turn.state.rescued.item()]).toEqual([[], -1]);
  });

  it("becomes harder whenever it comes up, to an enemy at every step that moves every third, if ramping is on", () => {
    const surface = dive({ y: int(1), rescued: int(3) });
    expect(step(surface, up).state.level.item()).toBe(1);
    expect(step({ ...surface, level: int(19) }, up).state.level.item()).toBe(19);
    const flat = table(seaquest(all), seaquestGame, { ramping: np.bool(false) });
    expect(flat.step(surface, up).state.level.item()).toBe(0);
    const speeds = (level: number): number[] => {
      const { state } = step(
        dive({ level: int(level), spawnTimer: int(0), fleet: enemy(2, 6, { wait: 0 }) }),
        none,
      );
      const wait = Math.log2(state.fleet.enemies.slice(6, 3).item() / 15) / 4;
      return [state.spawnTimer.item() + 1, wait + 1];
    };
    expect([0, 1, 2, 6, 18, 19].map(speeds)).toEqual([
      [20, 6],
      [19, 6],
      [18, 5],
      [14, 3],
      [2, 3],
      [1, 3],
    ]);
  });
});

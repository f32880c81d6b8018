// Seaquest-MinAtar: a submarine rescues divers, shoots at fish and submarines, and comes up for air.
import { np, type Array } from "../../../array/index.js";
import type { Environment } from "../../environment.js";
import { colors } from "../../svg.js";
import { Action, behind, cellAt, columns, countedDown, last, pick, rows, side, walked } from "./board.js";
import { advanced, fired, flown, isAt, joined, seen, struck, type Fleet } from "./fleet.js";
import {
  defaultRampingParams,
  minAtar,
  type Game,
  type MinAtarOptions,
  type MinAtarState,
  type RampingParams,
} from "./game.js";
import { markSize } from "./picture.js";
import {
  boardOf,
  followed,
  isAtCell,
  noPair,
  swum,
  trailOf,
  without,
  type Pair,
  type Swimmer,
} from "./swimmers.js";

export interface SeaquestState extends MinAtarState {
  /** The cell of the submarine's front. */
  readonly x: Array;
  readonly y: Array;
  readonly isRight: Array;
  readonly torpedoes: Pair;
  readonly divers: Pair;
  readonly fleet: Fleet;
  /** Bullets of the submarines in each cell, [10, 10]: 1 for one to the left, 2 to the right, 3 for both. */
  readonly bullets: Array;
  /** Steps' worth of air, 200 when full. */
  readonly oxygen: Array;
  /** Divers on board, up to 6; −1 after six were delivered. */
  readonly rescued: Array;
  /** Whether it is at the surface and its coming up has been counted; so it is at the start. */
  readonly isUp: Array;
  /** Times that it came up and made the game harder, 0 to 19. */
  readonly level: Array;
  /** Steps until the next enemy, and until the next torpedo. */
  readonly spawnTimer: Array;
  readonly shotTimer: Array;
}

const fullOxygen = 200;
const capacity = 6;
const maxLevel = 19;
const shotInterval = 5;
const spawnInterval = 20;
/** Divers come every 30 steps and move every 6: those on the board move together. */
const [diverInterval, diverPace] = [30, 6];

/** A row below the surface and above the bottom, by a random number. */
const anyRow = (chance: Array): Array => pick(chance, side - 2).add(1);

const pace = (level: Array): Array => np.maximum(np.subtract(5, np.rightShift(level, 1)), 2);

/** Enemies and divers that appear at this step. */
function spawned(state: SeaquestState, chances: Array): { readonly fleet: Fleet; readonly divers: Pair } {
  const { time, level } = state;
  const fleet = joined(state.fleet, {
    isDue: state.spawnTimer.equal(0),
    isRight: chances.slice(0).less(1 / 2),
    isSub: chances.slice(1).less(1 / 3),
    row: anyRow(chances.slice(2)),
    time,
    pace: pace(level),
  });
  const isRight = chances.slice(3).less(1 / 2);
  const diver = { x: np.where(isRight, np.int32(0), np.int32(last)), y: anyRow(chances.slice(4)), isRight };
  const isDue = time.greater(0).and(time.mod(diverInterval).equal(0));
  return { fleet, divers: followed(state.divers, diver, isDue) };
}

/** A diver after a step, with the number on board: taken in where it meets the submarine, if there is room. */
function rescue(diver: Swimmer, rescued: Array, { x, y, time }: Pick<SeaquestState, "x" | "y" | "time">) {
  const hasRoom = rescued.less(capacity);
  const isMet = isAtCell(diver, x, y).and(hasRoom);
  const isTime = time.mod(diverPace).equal(diverPace - 1);
  const moved = swum(diver, isTime.and(isMet.not()));
  const isTaken = isMet.or(isAtCell(moved, x, y).and(hasRoom));
  return { diver: without(moved, isTaken), rescued: rescued.add(isTaken.astype("int32")) };
}

/** Air, divers and difficulty after what is left of a step, at the surface or below. */
function breathe(state: SeaquestState, { ramping }: RampingParams) {
  const { oxygen, rescued, level } = state;
  const isBelow = state.y.greater(0);
  const comesUp = isBelow.or(state.isUp).not();
  const isSafe = comesUp.and(rescued.notEqual(0));
  const isFull = isSafe.and(rescued.equal(capacity));
  const isHarder = isSafe.and(ramping).and(level.less(maxLevel));
  return {
    state: {
      ...state,
      oxygen: np.where(isSafe, fullOxygen, oxygen.sub(isBelow.astype("int32"))),
      // A delivery leaves −1, as in the original: published results have it.
      rescued: np.where(isFull, 0, rescued).sub(isSafe.astype("int32")),
      isUp: isSafe.or(state.isUp.and(isBelow.not())),
      level: level.add(isHarder.astype("int32")),
    },
    reward: np.where(isFull, oxygen.floorDivide(fullOxygen / side), 0),
    terminated: oxygen.lessEqual(0).or(comesUp.and(rescued.equal(0))),
  };
}

export const seaquestGame: Game<SeaquestState, RampingParams> = {
  name: "Seaquest-MinAtar",
  channels: [
    { name: "front of the submarine", color: colors.blue },
    { name: "back of the submarine", color: "#93c5fd" },
    { name: "torpedo", color: colors.ink, size: 0.5 },
    { name: "trail", color: colors.faint, size: markSize },
    { name: "enemy bullet", color: "#991b1b", size: 0.5 },
    { name: "fish", color: colors.red },
    { name: "enemy submarine", color: "#7c3aed" },
    { name: "oxygen", color: "#06b6d4" },
    { name: "diver on board", color: colors.green, size: 0.5 },
    { name: "diver", color: colors.orange },
  ],
  minimalActions: Object.values(Action),
  chances: 5,
  defaultParams: defaultRampingParams,
  start: (_chances, common) => ({
    ...common,
    x: np.int32(5),
    y: np.int32(0),
    isRight: np.bool(false),
    torpedoes: noPair(),
    divers: noPair(),
    fleet: {
      enemies: np.zeros([side, side], { dtype: "int32" }),
      isRight: np.full([side], false, { dtype: "bool" }),
    },
    bullets: np.zeros([side, side], { dtype: "int32" }),
    oxygen: np.int32(fullOxygen),
    rescued: np.int32(0),
    isUp: np.bool(true),
    level: np.int32(0),
    spawnTimer: np.int32(spawnInterval),
    shotTimer: np.int32(0),
  }),
  advance(state, action, chances, params) {
    const { time } = state;
    const { fleet, divers } = spawned(state, chances);

    const shoots = action.equal(Action.fire).and(state.shotTimer.equal(0));
    const torpedo = { x: state.x, y: state.y, isRight: state.isRight };
    const [older, newer] = followed(state.torpedoes, torpedo, shoots);
    const x = walked(state.x, action, [Action.left, Action.right]);
    const y = walked(state.y, action, [Action.up, Action.down], [0, last - 1]);
    const isRight = action.equal(Action.right).or(state.isRight.and(action.notEqual(Action.left)));

    // Torpedoes fly into enemies, the newer one first; then enemies swim into what is left of them, the older first.
    const torpedoes = { newer: swum(newer, np.bool(true)), older: swum(older, np.bool(true)) };
    const newerHit = struck(fleet, torpedoes.newer);
    const olderHit = struck(newerHit.fleet, torpedoes.older);
    const afterHits = {
      newer: without(torpedoes.newer, newerHit.isHit),
      older: without(torpedoes.older, olderHit.isHit),
    };
    const moved = advanced(olderHit.fleet, pace(state.level));
    const olderMet = struck(moved, afterHits.older);
    const newerMet = struck(olderMet.fleet, afterHits.newer);

    const here = { x, y, time };
    const newerDiver = rescue(divers[1], state.rescued, here);
    const olderDiver = rescue(divers[0], newerDiver.rescued, here);

    // Even a submarine that swims into a torpedo has its shot.
    const flying = state.bullets.or(fired(moved, time));
    const bullets = flown(flying);
    const isCaught = isAt(olderHit.fleet.enemies.or(moved.enemies).or(flying).or(bullets), x, y);

    const air = breathe(
      {
        ...state,
        x,
        y,
        isRight,
        torpedoes: [without(afterHits.older, olderMet.isHit), without(afterHits.newer, newerMet.isHit)],
        divers: [olderDiver.diver, newerDiver.diver],
        fleet: newerMet.fleet,
        bullets,
        rescued: olderDiver.rescued,
        spawnTimer: countedDown(
          np.where(state.spawnTimer.equal(0), np.subtract(spawnInterval, state.level), state.spawnTimer),
        ),
        shotTimer: countedDown(np.where(shoots, shotInterval, state.shotTimer)),
      },
      params,
    );
    const hits = [newerHit, olderHit, olderMet, newerMet];
    return {
      state: air.state,
      reward: hits.reduce((sum, { isHit }) => sum.add(isHit.astype("int32")), air.reward),
      terminated: air.terminated.or(isCaught),
    };
  },
  observe({ x, y, isRight, torpedoes, divers, fleet, bullets, oxygen, rescued }) {
    const { isFish, isSub, isTrail } = seen(fleet);
    const isGauge = rows().equal(last);
    const filled = oxygen.floorDivide(fullOxygen / side);
    return [
      cellAt(x, y),
      cellAt(behind(x, isRight), y),
      boardOf(torpedoes),
      isTrail.or(trailOf(divers)),
      bullets.notEqual(0),
      isFish,
      isSub,
      isGauge.and(columns().less(filled)),
      isGauge.and(columns().less(last)).and(columns().greaterEqual(np.subtract(last, rescued))),
      boardOf(divers),
    ];
  },
};

/** Seaquest-MinAtar: +1 for each enemy, and up to 10 for six divers, by the air that is left. */
export const seaquest = (options: MinAtarOptions = {}): Environment<SeaquestState, RampingParams> =>
  minAtar(seaquestGame, options);

// Breakout-MinAtar: a paddle keeps a ball in play, which breaks a wall of three rows of bricks.
import { np, type Array } from "../../../array/index.js";
import type { Environment } from "../../environment.js";
import { colors } from "../../svg.js";
import { Action, cellAt, columns, isOnBoard, last, rows, side, walked } from "./board.js";
import {
  defaultParams,
  minAtar,
  type Game,
  type MinAtarOptions,
  type MinAtarParams,
  type MinAtarState,
} from "./game.js";
import { markSize } from "./picture.js";

export interface BreakoutState extends MinAtarState {
  /** Column of the paddle, which is in the last row. */
  readonly paddle: Array;
  readonly ballX: Array;
  readonly ballY: Array;
  /** Where the ball was a step ago. */
  readonly trailX: Array;
  readonly trailY: Array;
  /** Columns and rows that the ball moves in a step: 1 or −1. */
  readonly stepX: Array;
  readonly stepY: Array;
  /** A bit for each brick: ten for row 1, ten for row 2, ten for row 3. */
  readonly bricks: Array;
  /** Whether the ball met a brick in the last step; it breaks no other until it has left the wall. */
  readonly isInWall: Array;
}

const fullWall = 2 ** 30 - 1;

/** The bit of the brick at a cell, and whether there is one. */
function brickAt(bricks: Array, x: Array, y: Array): { readonly bit: Array; readonly isThere: Array } {
  const place = y.sub(1).mul(side).add(x);
  const bit = np.leftShift(np.int32(1), place.clip(0, 29));
  const isThere = y.greaterEqual(1).and(y.lessEqual(3)).and(bricks.and(bit).notEqual(0));
  return { bit, isThere };
}

export const breakoutGame: Game<BreakoutState, MinAtarParams> = {
  name: "Breakout-MinAtar",
  channels: [
    { name: "paddle", color: colors.blue },
    { name: "ball", color: colors.orange },
    { name: "trail", color: colors.faint, size: markSize },
    { name: "brick", color: colors.red },
  ],
  minimalActions: [Action.none, Action.left, Action.right],
  chances: 1,
  defaultParams,
  start(chances, common) {
    const startsLeft = chances.slice(0).less(0.5);
    const ballX = np.where(startsLeft, np.int32(0), np.int32(last));
    const ballY = np.int32(3);
    return {
      ...common,
      paddle: np.int32(4),
      ballX,
      ballY,
      trailX: ballX,
      trailY: ballY,
      stepX: np.where(startsLeft, np.int32(1), np.int32(-1)),
      stepY: np.int32(1),
      bricks: np.int32(fullWall),
      isInWall: np.bool(false),
    };
  },
  advance(state, action) {
    const { ballX, ballY, isInWall } = state;
    const paddle = walked(state.paddle, action, [Action.left, Action.right]);
    const beyond = ballX.add(state.stepX);
    const x = beyond.clip(0, last);
    const sideways = np.where(isOnBoard(beyond), state.stepX, state.stepX.neg());
    const y = ballY.add(state.stepY);
    const isAtTop = y.less(0);
    const isAtBottom = y.equal(last);

    const brick = brickAt(state.bricks, x, y);
    const isBroken = brick.isThere.and(isInWall.not());
    const left = np.where(isBroken, state.bricks.xor(brick.bit), state.bricks);
    const bricks = np.where(isAtBottom.and(left.equal(0)), np.int32(fullWall), left);

    // Above the paddle the ball is mirrored, at its edge it goes back where it came from.
    const isOnPaddle = isAtBottom.and(ballX.equal(paddle));
    const isOnEdge = isAtBottom.and(x.equal(paddle)).and(isOnPaddle.not());
    const isReturned = isOnPaddle.or(isOnEdge);
    const bouncesBack = isBroken.or(isReturned);
    return {
      state: {
        ...state,
        paddle,
        ballX: x,
        ballY: np.where(bouncesBack, ballY, np.maximum(y, 0)),
        trailX: ballX,
        trailY: ballY,
        stepX: np.where(isOnEdge, sideways.neg(), sideways),
        stepY: np.where(bouncesBack.or(isAtTop), state.stepY.neg(), state.stepY),
        bricks,
        isInWall: brick.isThere,
      },
      reward: isBroken,
      terminated: isAtBottom.and(isReturned.not()),
    };
  },
  observe({ paddle, ballX, ballY, trailX, trailY, bricks }) {
    return [
      cellAt(paddle, last),
      cellAt(ballX, ballY),
      cellAt(trailX, trailY),
      brickAt(bricks, columns(), rows()).isThere,
    ];
  },
};

/** Breakout-MinAtar: +1 for each brick. */
export const breakout = (options: MinAtarOptions = {}): Environment<BreakoutState, MinAtarParams> =>
  minAtar(breakoutGame, options);

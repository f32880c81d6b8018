// Breakout's rules: the ball, the wall and the paddle.
import { between, left, right, type Outcome, type Reference } from "./reference.js";

const newWall = (): Set<string> =>
  new Set([1, 2, 3].flatMap((y) => [...Array(10).keys()].map((x) => `${x},${y}`)));

export function breakoutReference([chance]: readonly number[]): Reference {
  let wall = newWall();
  let paddle = 4;
  let isCutting = false;
  const ball = chance < 0.5 ? { x: 0, y: 3, dx: 1, dy: 1 } : { x: 9, y: 3, dx: -1, dy: 1 };
  let trail = { x: ball.x, y: ball.y };

  function step(action: number): Outcome {
    if (action === left) paddle = between(0, paddle - 1, 9);
    if (action === right) paddle = between(0, paddle + 1, 9);

    const from = { x: ball.x, y: ball.y };
    trail = from;
    ball.x += ball.dx;
    ball.y += ball.dy;
    if (ball.x < 0 || ball.x > 9) {
      ball.x = between(0, ball.x, 9);
      ball.dx *= -1;
    }
    const turnBack = (): void => {
      ball.y = from.y;
      ball.dy *= -1;
    };

    let reward = 0;
    let terminated = false;
    let isBrick = false;
    if (ball.y < 0) {
      ball.y = 0;
      ball.dy *= -1;
    } else if (wall.has(`${ball.x},${ball.y}`)) {
      isBrick = true;
      if (!isCutting) {
        wall.delete(`${ball.x},${ball.y}`);
        reward = 1;
        turnBack();
      }
    } else if (ball.y === 9) {
      if (wall.size === 0) wall = newWall();
      if (from.x === paddle) {
        turnBack();
      } else if (ball.x === paddle) {
        turnBack();
        ball.dx *= -1;
      } else {
        terminated = true;
      }
    }
    isCutting = isBrick;
    return { reward, terminated };
  }

  return {
    step,
    draw(mark) {
      mark(0, paddle, 9);
      mark(1, ball.x, ball.y);
      mark(2, trail.x, trail.y);
      for (const brick of wall) {
        const [x, y] = brick.split(",").map(Number);
        mark(3, x, y);
      }
    },
  };
}

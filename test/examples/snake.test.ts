// The rules of the game Snake, and that it is an environment.
import { describe, expect, it } from "vitest";
import { np } from "vibe-rl/array";
import { Snake, type SnakeState } from "../../examples/snake/snake.js";
import type { HostEnv } from "../../src/vecEnv/index.js";

const [up, right, down, left] = [0, 1, 2, 3];

/** A game of 8 × 8 in which the snake lies at (4, 4), (3, 4), (2, 4) and goes right, with some things changed. */
function game(change: Partial<SnakeState> = {}): Snake {
  const snake = new Snake();
  snake.reset(0);
  snake.setState({ ...snake.getState(), apple: [0, 0], ...change });
  return snake;
}

const headOf = (snake: Snake) => snake.getState().body[0];

describe("Snake", () => {
  it("is an environment that is an object, whose observations are in its space", () => {
    const snake = new Snake();
    const env: HostEnv = snake;
    expect(env.actionSpace.toString()).toBe("Discrete(4)");
    let [obs] = snake.reset(3);
    for (let step = 0; step < 50; step++) {
      expect(snake.observationSpace.contains(np.array(obs)).item()).toBe(true);
      const [next, , terminated] = snake.step(step % 4);
      obs = terminated ? snake.reset()[0] : next;
    }
  });

  it("moves one cell each step, and never back on itself", () => {
    const snake = game();
    expect(snake.step(right)[2]).toBe(false);
    expect(snake.getState().body).toEqual([
      [5, 4],
      [4, 4],
      [3, 4],
    ]);
    snake.step(left);
    expect(headOf(snake)).toEqual([6, 4]);
    snake.step(up);
    snake.step(left);
    snake.step(down);
    expect(headOf(snake)).toEqual([5, 4]);
  });

  it("grows by an apple, which is worth 1, and then there is another one on a free cell", () => {
    const snake = game({ apple: [5, 4], hunger: 30 });
    const [, reward, terminated, , info] = snake.step(right);
    const { body, apple, hunger } = snake.getState();
    expect(body).toHaveLength(4);
    expect([reward, terminated, hunger]).toEqual([0.99, false, 0]);
    expect(info.rewardComponents).toEqual({ apple: 1, death: 0, time: -0.01 });
    expect(info.log).toEqual({ "snake/length": 4 });
    expect(body).not.toContainEqual(apple);
  });

  it("dies at a wall", () => {
    const snake = game({
      body: [
        [7, 4],
        [6, 4],
      ],
    });
    const [, reward, terminated, truncated] = snake.step(right);
    expect([reward, terminated, truncated]).toEqual([-1.01, true, false]);
  });

  it("dies of its own body, but may follow the end of its tail", () => {
    const ring = [
      [3, 3],
      [3, 4],
      [4, 4],
      [4, 3],
    ] as const;
    expect(game({ body: ring, heading: up }).step(right)[2]).toBe(false);
    expect(game({ body: [...ring, [5, 3]], heading: up }).step(right)[2]).toBe(true);
  });

  it("starves without apples", () => {
    expect(game({ hunger: 126 }).step(right)[2]).toBe(false);
    const [, reward, terminated] = game({ hunger: 127 }).step(right);
    expect([reward, terminated]).toEqual([-1.01, true]);
  });

  it("is broken off at its time limit", () => {
    expect(game({ steps: 998 }).step(right).slice(2, 4)).toEqual([false, false]);
    expect(game({ steps: 999 }).step(right).slice(2, 4)).toEqual([false, true]);
  });

  it("is won when the snake fills the board", () => {
    const size = 4;
    const winding = Array.from({ length: size ** 2 }, (_, at) => {
      const row = Math.floor(at / size);
      return [row % 2 === 0 ? at % size : size - 1 - (at % size), row] as const;
    });
    const snake = new Snake({ size });
    snake.reset(0);
    const [apple, ...body] = winding;
    snake.setState({ ...snake.getState(), body, apple, heading: left });
    const [, reward, terminated] = snake.step(left);
    expect([reward, terminated, snake.getState().apple]).toEqual([0.99, true, null]);
  });

  it("sees what would kill, where it goes and where the apple is", () => {
    const snake = game({
      body: [
        [7, 0],
        [6, 0],
        [5, 0],
      ],
      apple: [7, 6],
    });
    const [obs] = snake.step(down);
    // At (7, 1) now: only the wall on the right and the body above kill.
    expect([...obs.slice(0, 4)]).toEqual([1, 1, 0, 0]);
    expect([...obs.slice(4, 8)]).toEqual([0, 0, 1, 0]);
    expect([...obs.slice(8, 12)]).toEqual([0, 1, 0, 0.625]);
    const board = obs.slice(14);
    expect([board[8 + 7], board[7], board[6]].map((value) => value.toFixed(2))).toEqual([
      "1.00",
      "0.67",
      "0.33",
    ]);
    expect(board.filter((value) => value !== 0)).toHaveLength(3);
  });

  it("repeats itself from a seed, and differs from another's", () => {
    const apples = (seed: number) => {
      const snake = new Snake();
      return Array.from({ length: 20 }, (_, at) => {
        snake.reset(at === 0 ? seed : undefined);
        return snake.getState().apple;
      });
    };
    expect(apples(1)).toEqual(apples(1));
    expect(apples(1)).not.toEqual(apples(2));
  });

  it("goes on from a state that went through JSON", () => {
    const snake = game({ apple: [5, 4] });
    const other = new Snake();
    other.setState(JSON.parse(JSON.stringify(snake.getState())) as SnakeState);
    const play = (each: Snake) => [right, up, up, left].map((action) => each.step(action));
    expect(play(other)).toEqual(play(snake));
    expect(other.reset()).toEqual(snake.reset());
    expect(other.render()).toBe(snake.render());
  });

  it("is drawn with its apple and its head", () => {
    const svg = game().render();
    expect(svg).toMatch(/^<svg .*<\/svg>$/);
    expect(svg).toContain('points="180,180 140,180 100,180"');
    expect(svg.match(/<circle/g)).toHaveLength(4);
  });

  it("refuses actions, sizes and steps that make no sense", () => {
    expect(() => new Snake({ size: 3 })).toThrow("size must be a whole number of at least 4, got 3");
    expect(() => game().step(4)).toThrow("an action must be 0 (up), 1 (right), 2 (down) or 3 (left), got 4");
    expect(() => new Snake().step(0)).toThrow("call reset() before the first step()");
  });
});

// The game Snake as an ordinary class, which knows nothing of arrays or tracing: it has a state, and changes it. This is
// all that a game needs to be trained: spaces, reset and step. The rest is for pictures and for going on later.
import { Box, Discrete } from "vibe-rl/env";

type Cell = readonly [x: number, y: number];

export interface SnakeOptions {
  /** Cells from side to side, both ways (8). */
  readonly size?: number;
  /** Steps after which a game is broken off (1000). */
  readonly maxSteps?: number;
}

/** Everything that the future of a game depends on. */
export interface SnakeState {
  /** Cells from the head to the tail. */
  readonly body: readonly Cell[];
  readonly heading: number;
  /** None once the snake fills the board. */
  readonly apple: Cell | null;
  readonly steps: number;
  /** Steps since the last apple. */
  readonly hunger: number;
  readonly random: number;
}

/** What the actions 0 to 3 do: up, right, down, left. */
const moves: readonly Cell[] = [
  [0, -1],
  [1, 0],
  [0, 1],
  [-1, 0],
];

const isSame = (a: Cell, b: Cell): boolean => a[0] === b[0] && a[1] === b[1];

export class Snake {
  readonly observationSpace;
  readonly actionSpace = Discrete(moves.length);
  readonly #size: number;
  readonly #maxSteps: number;
  #body: Cell[] = [];
  #heading = 1;
  #apple: Cell | null = null;
  #steps = 0;
  #hunger = 0;
  #random = Math.floor(Math.random() * 2 ** 32);

  constructor({ size = 8, maxSteps = 1000 }: SnakeOptions = {}) {
    if (!Number.isInteger(size) || size < 4) {
      throw new Error(`Snake: size must be a whole number of at least 4, got ${size}`);
    }
    this.#size = size;
    this.#maxSteps = maxSteps;
    this.observationSpace = Box({ low: -1, high: 1, shape: [4 + 4 + 4 + 2 + size * size] });
  }

  /** Starts a game. With a seed, its apples and those of all later games follow from it. */
  reset(seed?: number): [obs: Float32Array, info: Record<string, never>] {
    if (seed !== undefined) this.#random = seed >>> 0;
    const middle = Math.floor(this.#size / 2);
    this.#body = [0, 1, 2].map((back): Cell => [middle - back, middle]);
    this.#heading = 1;
    this.#steps = 0;
    this.#hunger = 0;
    this.#apple = this.#newApple();
    return [this.#observe(), {}];
  }

  /** Moves the snake by one cell: 0 up, 1 right, 2 down, 3 left. It cannot turn back on itself, and goes on instead. */
  step(action: number) {
    if (moves[action] === undefined) {
      throw new Error(`Snake: an action must be 0 (up), 1 (right), 2 (down) or 3 (left), got ${action}`);
    }
    if (this.#body.length === 0) throw new Error("Snake: call reset() before the first step()");
    if ((action + 2) % 4 !== this.#heading) this.#heading = action;
    this.#steps++;
    this.#hunger++;
    const head = this.#ahead(this.#heading);
    const eats = this.#apple !== null && isSame(head, this.#apple);
    const crashes = this.#isDeadly(head);
    if (!crashes) {
      this.#body.unshift(head);
      if (!eats) this.#body.pop();
    }
    if (eats) {
      this.#apple = this.#newApple();
      this.#hunger = 0;
    }
    const wins = eats && this.#apple === null;
    const starves = this.#hunger >= 2 * this.#size ** 2;
    const terminated = crashes || starves || wins;
    const truncated = !terminated && this.#steps >= this.#maxSteps;
    // Parts of the reward are logged by name.
    const rewardComponents = {
      apple: eats ? 1 : 0,
      death: crashes || starves ? -1 : 0,
      time: -0.01,
    };
    const reward = rewardComponents.apple + rewardComponents.death + rewardComponents.time;
    const info = { rewardComponents, log: { "snake/length": this.#body.length } };
    return [this.#observe(), reward, terminated, truncated, info] as const;
  }

  /** The board as SVG. */
  render(): string {
    const scale = 320 / this.#size;
    const middle = ([x, y]: Cell): string => `${(x + 0.5) * scale},${(y + 0.5) * scale}`;
    const dot = (cell: Cell, radius: number, fill: string, [dx, dy]: Cell = [0, 0]): string =>
      `<circle cx="${(cell[0] + 0.5 + dx) * scale}" cy="${(cell[1] + 0.5 + dy) * scale}" r="${radius * scale}" fill="${fill}"/>`;
    const squares = Array.from({ length: this.#size ** 2 }, (_, at): Cell => {
      return [at % this.#size, Math.floor(at / this.#size)];
    })
      .filter(([x, y]) => (x + y) % 2 === 1)
      .map(
        ([x, y]) =>
          `<rect x="${x * scale}" y="${y * scale}" width="${scale}" height="${scale}" fill="#e9eff5"/>`,
      );
    const [head] = this.#body;
    const [dx, dy] = moves[this.#heading];
    return [
      `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 320" width="320" height="320">`,
      `<rect width="320" height="320" fill="#f8fafc"/>`,
      ...squares,
      this.#apple === null ? "" : dot(this.#apple, 0.32, "#ef4444"),
      `<polyline points="${this.#body.map(middle).join(" ")}" fill="none" stroke="#10b981" stroke-width="${0.7 * scale}" stroke-linecap="round" stroke-linejoin="round"/>`,
      dot(head, 0.35, "#047857"),
      dot(head, 0.08, "#f8fafc", [0.12 * dx - 0.16 * dy, 0.12 * dy + 0.16 * dx]),
      dot(head, 0.08, "#f8fafc", [0.12 * dx + 0.16 * dy, 0.12 * dy - 0.16 * dx]),
      "</svg>",
    ].join("");
  }

  getState(): SnakeState {
    return {
      body: [...this.#body],
      heading: this.#heading,
      apple: this.#apple,
      steps: this.#steps,
      hunger: this.#hunger,
      random: this.#random,
    };
  }

  setState({ body, heading, apple, steps, hunger, random }: SnakeState): void {
    this.#body = [...body];
    this.#heading = heading;
    this.#apple = apple;
    this.#steps = steps;
    this.#hunger = hunger;
    this.#random = random;
  }

  /** What would kill where; the way it goes; where the apple is; how hungry and how long it is; the board. */
  #observe(): Float32Array {
    const [x, y] = this.#body[0];
    const [appleX, appleY] = this.#apple ?? [x, y];
    const board = new Float32Array(this.#size ** 2);
    // The head is 1, and the nearer the tail, the sooner a cell is free again.
    this.#body.forEach(([column, row], at) => {
      board[row * this.#size + column] = 1 - at / this.#body.length;
    });
    return Float32Array.of(
      ...moves.map((_, direction) => (this.#isDeadly(this.#ahead(direction)) ? 1 : 0)),
      ...moves.map((_, direction) => (direction === this.#heading ? 1 : 0)),
      Math.sign(appleX - x),
      Math.sign(appleY - y),
      (appleX - x) / this.#size,
      (appleY - y) / this.#size,
      this.#hunger / (2 * this.#size ** 2),
      this.#body.length / this.#size ** 2,
      ...board,
    );
  }

  /** The cell that the head would come to. */
  #ahead(direction: number): Cell {
    const [[x, y], [dx, dy]] = [this.#body[0], moves[direction]];
    return [x + dx, y + dy];
  }

  /** Whether the head must not come there: a wall, or the body but for the end of its tail, which moves away. */
  #isDeadly([x, y]: Cell): boolean {
    const isOutside = x < 0 || y < 0 || x >= this.#size || y >= this.#size;
    return isOutside || this.#body.slice(0, -1).some((cell) => isSame(cell, [x, y]));
  }

  /** A free cell, each as likely as any other; none if the snake fills the board. */
  #newApple(): Cell | null {
    const cells = Array.from({ length: this.#size ** 2 }, (_, at): Cell => {
      return [at % this.#size, Math.floor(at / this.#size)];
    });
    const free = cells.filter((cell) => !this.#body.some((part) => isSame(part, cell)));
    return free.length === 0 ? null : free[Math.floor(this.#draw() * free.length)];
  }

  /** A random number in [0, 1) whose whole state is one number (mulberry32): JavaScript's own has no seed. */
  #draw(): number {
    this.#random = (this.#random + 0x6d2b79f5) >>> 0;
    let bits = this.#random;
    bits = Math.imul(bits ^ (bits >>> 15), bits | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  }
}

// Space Invaders' rules: lists of aliens and bullets by their cells.
import { between, fire, left, right, type Outcome, type Reference } from "./reference.js";

interface Cell {
  readonly x: number;
  readonly y: number;
}

const wave = (): Cell[] => [0, 1, 2, 3].flatMap((y) => [2, 3, 4, 5, 6, 7].map((x) => ({ x, y })));

const areEqual = (a: Cell, b: Cell): boolean => a.x === b.x && a.y === b.y;

export function spaceInvadersReference({ level = 0 } = {}): Reference {
  let cannon = 5;
  let aliens = wave();
  let bullets: Cell[] = [];
  let alienBullets: Cell[] = [];
  let direction = -1;
  let moveInterval = 12 - level;
  let [moveTimer, alienShotTimer, shotTimer] = [12, 10, 0];

  function act(action: number): void {
    if (action === fire && shotTimer === 0) {
      bullets.push({ x: cannon, y: 9 });
      shotTimer = 5;
    }
    if (action === left) cannon = between(0, cannon - 1, 9);
    if (action === right) cannon = between(0, cannon + 1, 9);
  }

  /** Whether the aliens have landed. */
  function march(): boolean {
    moveTimer = Math.min(aliens.length, moveInterval);
    const edge = direction < 0 ? 0 : 9;
    if (aliens.every(({ x }) => x !== edge)) {
      aliens = aliens.map(({ x, y }) => ({ x: x + direction, y }));
      return false;
    }
    direction *= -1;
    const hasLanded = aliens.some(({ y }) => y === 9);
    aliens = aliens.map(({ x, y }) => ({ x, y: (y + 1) % 10 }));
    return hasLanded;
  }

  function answer(): void {
    alienShotTimer = 10;
    const distance = Math.min(...aliens.map(({ x }) => Math.abs(x - cannon)));
    const column = Math.min(...aliens.map(({ x }) => x).filter((x) => Math.abs(x - cannon) === distance));
    const lowest = Math.max(...aliens.filter(({ x }) => x === column).map(({ y }) => y));
    alienBullets.push({ x: column, y: lowest });
  }

  function step(action: number): Outcome {
    act(action);
    bullets = bullets.map(({ x, y }) => ({ x, y: y - 1 })).filter(({ y }) => y >= 0);
    alienBullets = alienBullets.map(({ x, y }) => ({ x, y: y + 1 })).filter(({ y }) => y <= 9);
    const isHere = (cell: Cell): boolean => areEqual(cell, { x: cannon, y: 9 });
    let terminated = alienBullets.some(isHere) || aliens.some(isHere);
    if (moveTimer === 0) {
      const hasLanded = march();
      terminated ||= hasLanded || aliens.some(isHere);
    }
    if (alienShotTimer === 0) answer();

    const shot = aliens.filter((alien) => bullets.some((bullet) => areEqual(bullet, alien)));
    aliens = aliens.filter((alien) => !shot.includes(alien));
    bullets = bullets.filter((bullet) => !shot.some((alien) => areEqual(alien, bullet)));

    if (shotTimer > 0) shotTimer--;
    moveTimer--;
    alienShotTimer--;
    if (aliens.length === 0) {
      if (moveInterval > 6) moveInterval--;
      aliens = wave();
    }
    return { reward: shot.length, terminated };
  }

  return {
    step,
    draw(mark) {
      mark(0, cannon, 9);
      for (const { x, y } of aliens) {
        mark(1, x, y);
        mark(direction < 0 ? 2 : 3, x, y);
      }
      for (const { x, y } of bullets) mark(4, x, y);
      for (const { x, y } of alienBullets) mark(5, x, y);
    },
  };
}

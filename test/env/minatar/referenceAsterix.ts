// Asterix's rules: a list of things, at most one in each of the rows 1 to 8.
import {
  between,
  choice,
  down,
  isInside,
  left,
  right,
  up,
  type Outcome,
  type Reference,
} from "./reference.js";

interface Thing {
  x: number;
  readonly y: number;
  readonly dx: number;
  readonly isGold: boolean;
}

export function asterixReference(): Reference {
  const player = { x: 5, y: 5 };
  let things: Thing[] = [];
  let [spawnSpeed, spawnTimer] = [10, 10];
  let [moveSpeed, moveTimer] = [5, 5];
  let [rampTimer, rampCount] = [100, 0];

  function spawn([direction, gold, row]: readonly number[]): void {
    const free = [1, 2, 3, 4, 5, 6, 7, 8].filter((y) => things.every((thing) => thing.y !== y));
    if (free.length === 0) return;
    const dx = direction < 1 / 2 ? 1 : -1;
    const y = free[choice(row, free.length)];
    things.push({ x: dx > 0 ? 0 : 9, y, dx, isGold: gold < Math.fround(1 / 3) });
  }

  function ramp(): void {
    if (spawnSpeed === 1 && moveSpeed === 1) return;
    if (rampTimer >= 0) {
      rampTimer--;
      return;
    }
    if (moveSpeed > 1 && rampCount % 2 === 1) moveSpeed--;
    if (spawnSpeed > 1) spawnSpeed--;
    rampCount++;
    rampTimer = 100;
  }

  function step(action: number, chances: readonly number[]): Outcome {
    let reward = 0;
    let terminated = false;
    const meet = (): void => {
      const met = things.filter(({ x, y }) => x === player.x && y === player.y);
      if (met.some(({ isGold }) => !isGold)) terminated = true;
      const taken = met.filter(({ isGold }) => isGold);
      reward += taken.length;
      things = things.filter((thing) => !taken.includes(thing));
    };

    if (spawnTimer === 0) {
      spawn(chances);
      spawnTimer = spawnSpeed;
    }
    if (action === left) player.x = between(0, player.x - 1, 9);
    if (action === right) player.x = between(0, player.x + 1, 9);
    if (action === up) player.y = between(1, player.y - 1, 8);
    if (action === down) player.y = between(1, player.y + 1, 8);
    meet();
    if (moveTimer === 0) {
      moveTimer = moveSpeed;
      for (const thing of things) thing.x += thing.dx;
      things = things.filter(({ x }) => isInside(x));
      meet();
    }
    spawnTimer--;
    moveTimer--;
    ramp();
    return { reward, terminated };
  }

  return {
    step,
    draw(mark) {
      mark(0, player.x, player.y);
      for (const { x, y, dx, isGold } of things) {
        mark(isGold ? 3 : 1, x, y);
        if (isInside(x - dx)) mark(2, x - dx, y);
      }
    },
  };
}

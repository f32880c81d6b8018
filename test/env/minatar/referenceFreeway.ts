// Freeway's rules: eight cars, one after the other, and a chicken.
import { choice, down, up, type Outcome, type Reference } from "./reference.js";

interface Car {
  x: number;
  readonly y: number;
  dx: number;
  pace: number;
  timer: number;
}

export function freewayReference(chances: readonly number[]): Reference {
  let y = 9;
  let moveTimer = 3;
  let steps = 0;
  const cars: Car[] = [1, 2, 3, 4, 5, 6, 7, 8].map((row) => ({ x: 0, y: row, dx: 1, pace: 1, timer: 1 }));
  hurry(chances);

  function hurry(luck: readonly number[]): void {
    for (const car of cars) {
      const chosen = choice(luck[car.y], 10);
      car.dx = chosen < 5 ? 1 : -1;
      car.pace = (chosen % 5) + 1;
      car.timer = car.pace;
    }
  }

  function drive(car: Car): void {
    if (car.timer > 0) {
      car.timer--;
      return;
    }
    car.timer = car.pace;
    car.x = (car.x + car.dx + 10) % 10;
  }

  function step(action: number, luck: readonly number[]): Outcome {
    let reward = 0;
    if (moveTimer === 0 && (action === up || action === down)) {
      moveTimer = 3;
      y = action === up ? y - 1 : Math.min(y + 1, 9);
    }
    if (y === 0) {
      reward = 1;
      hurry(luck);
      y = 9;
    }
    for (const car of cars) {
      if (car.x === 4 && car.y === y) y = 9;
      drive(car);
      if (car.x === 4 && car.y === y) y = 9;
    }
    if (moveTimer > 0) moveTimer--;
    steps++;
    return { reward, terminated: steps >= 2500 };
  }

  return {
    step,
    draw(mark) {
      mark(0, 4, y);
      for (const car of cars) {
        mark(1, car.x, car.y);
        mark(1 + car.pace, (car.x - car.dx + 10) % 10, car.y);
      }
    },
  };
}

// Seaquest's rules: growing lists of fish, submarines, bullets and divers, each with timers of its own.
import {
  between,
  choice,
  down,
  fire,
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
}

interface Swimmer extends Thing {
  moveTimer: number;
}

interface Submarine extends Swimmer {
  shotTimer: number;
}

const areEqual = (a: { x: number; y: number }, b: { x: number; y: number }): boolean =>
  a.x === b.x && a.y === b.y;

const newestFirst = <T>(list: readonly T[]): T[] => [...list].reverse();

/** Takes a member out of a list. */
function remove<T>(list: T[], member: T): void {
  list.splice(list.indexOf(member), 1);
}

export class SeaquestReference implements Reference {
  private readonly player = { x: 5, y: 0 };
  private dx = -1;
  private readonly torpedoes: Thing[] = [];
  private readonly bullets: Thing[] = [];
  private readonly fish: Swimmer[] = [];
  private readonly submarines: Submarine[] = [];
  private readonly divers: Swimmer[] = [];
  private oxygen = 200;
  private rescued = 0;
  private isUp = true;
  private shotTimer = 0;
  private spawnSpeed = 20;
  private spawnTimer = 20;
  private moveSpeed = 5;
  private surfacings = 0;
  private diverTimer = 30;
  private reward = 0;
  private terminated = false;

  /** Level: how often the submarine has come up. */
  constructor({ level = 0 } = {}) {
    for (let at = 0; at < level; at++) this.harden();
  }

  /** The most enemies in one cell. */
  get crowd(): number {
    const enemies = [...this.fish, ...this.submarines];
    return Math.max(0, ...enemies.map((enemy) => enemies.filter((other) => areEqual(other, enemy)).length));
  }

  get level(): number {
    return this.surfacings;
  }

  get counts(): { torpedoes: number; divers: number } {
    return { torpedoes: this.torpedoes.length, divers: this.divers.length };
  }

  step(action: number, chances: readonly number[]): Outcome {
    [this.reward, this.terminated] = [0, false];
    this.spawn(chances);
    this.act(action);
    this.flyTorpedoes();
    this.moveDivers();
    this.moveSubmarines();
    this.flyBullets();
    for (const fish of newestFirst(this.fish)) this.swim(fish, this.fish);
    if (this.spawnTimer > 0) this.spawnTimer--;
    if (this.diverTimer > 0) this.diverTimer--;
    if (this.shotTimer > 0) this.shotTimer--;
    this.breathe();
    return { reward: this.reward, terminated: this.terminated };
  }

  private spawn([direction, kind, row, diverDirection, diverRow]: readonly number[]): void {
    if (this.spawnTimer === 0) {
      this.spawnTimer = this.spawnSpeed;
      const dx = direction < 1 / 2 ? 1 : -1;
      const y = 1 + choice(row, 8);
      const isBlocked = [...this.fish, ...this.submarines].some((other) => other.y === y && other.dx !== dx);
      const enemy = { x: dx > 0 ? 0 : 9, y, dx, moveTimer: this.moveSpeed };
      if (!isBlocked && kind < Math.fround(1 / 3)) this.submarines.push({ ...enemy, shotTimer: 10 });
      else if (!isBlocked) this.fish.push(enemy);
    }
    if (this.diverTimer === 0) {
      this.diverTimer = 30;
      const dx = diverDirection < 1 / 2 ? 1 : -1;
      this.divers.push({ x: dx > 0 ? 0 : 9, y: 1 + choice(diverRow, 8), dx, moveTimer: 5 });
    }
  }

  private act(action: number): void {
    const { player } = this;
    if (action === fire && this.shotTimer === 0) {
      this.torpedoes.push({ ...player, dx: this.dx });
      this.shotTimer = 5;
    }
    if (action === left || action === right) {
      this.dx = action === right ? 1 : -1;
      player.x = between(0, player.x + this.dx, 9);
    }
    if (action === up) player.y = between(0, player.y - 1, 8);
    if (action === down) player.y = between(0, player.y + 1, 8);
  }

  private flyTorpedoes(): void {
    for (const torpedo of newestFirst(this.torpedoes)) {
      torpedo.x += torpedo.dx;
      const isHit = (enemy: Thing): boolean => areEqual(enemy, torpedo);
      const [fish, submarine] = [this.fish.find(isHit), this.submarines.find(isHit)];
      if (fish !== undefined) remove(this.fish, fish);
      else if (submarine !== undefined) remove(this.submarines, submarine);
      const hasHit = fish !== undefined || submarine !== undefined;
      if (hasHit) this.reward++;
      if (hasHit || !isInside(torpedo.x)) remove(this.torpedoes, torpedo);
    }
  }

  private moveDivers(): void {
    for (const diver of newestFirst(this.divers)) {
      const isTaken = (): boolean => areEqual(diver, this.player) && this.rescued < 6;
      let isAboard = isTaken();
      if (!isAboard && diver.moveTimer > 0) {
        diver.moveTimer--;
      } else if (!isAboard) {
        diver.moveTimer = 5;
        diver.x += diver.dx;
        isAboard = isTaken();
      }
      if (isAboard) this.rescued++;
      if (isAboard || !isInside(diver.x)) remove(this.divers, diver);
    }
  }

  private moveSubmarines(): void {
    for (const submarine of newestFirst(this.submarines)) {
      this.swim(submarine, this.submarines);
      // Even one that was just hit has its shot.
      if (submarine.shotTimer > 0) {
        submarine.shotTimer--;
      } else {
        submarine.shotTimer = 10;
        this.bullets.push({ x: submarine.x, y: submarine.y, dx: submarine.dx });
      }
    }
  }

  /** An enemy's step: it catches the player, leaves the sea or runs into a torpedo. */
  private swim<T extends Swimmer>(enemy: T, list: T[]): void {
    if (areEqual(enemy, this.player)) this.terminated = true;
    if (enemy.moveTimer > 0) {
      enemy.moveTimer--;
      return;
    }
    enemy.moveTimer = this.moveSpeed;
    enemy.x += enemy.dx;
    const torpedo = this.torpedoes.find((other) => areEqual(other, enemy));
    if (!isInside(enemy.x)) {
      remove(list, enemy);
    } else if (areEqual(enemy, this.player)) {
      this.terminated = true;
    } else if (torpedo !== undefined) {
      remove(list, enemy);
      remove(this.torpedoes, torpedo);
      this.reward++;
    }
  }

  private flyBullets(): void {
    for (const bullet of newestFirst(this.bullets)) {
      if (areEqual(bullet, this.player)) this.terminated = true;
      bullet.x += bullet.dx;
      if (areEqual(bullet, this.player)) this.terminated = true;
      if (!isInside(bullet.x)) remove(this.bullets, bullet);
    }
  }

  private breathe(): void {
    if (this.oxygen <= 0) this.terminated = true;
    if (this.player.y > 0) {
      this.oxygen--;
      this.isUp = false;
    } else if (!this.isUp && this.rescued === 0) {
      this.terminated = true;
    } else if (!this.isUp) {
      this.isUp = true;
      if (this.rescued === 6) {
        this.rescued = 0;
        this.reward += Math.floor((this.oxygen * 10) / 200);
      }
      this.rescued--;
      this.oxygen = 200;
      this.harden();
    }
  }

  private harden(): void {
    if (this.spawnSpeed === 1 && this.moveSpeed === 2) return;
    if (this.moveSpeed > 2 && this.surfacings % 2 === 1) this.moveSpeed--;
    if (this.spawnSpeed > 1) this.spawnSpeed--;
    this.surfacings++;
  }

  draw(mark: (channel: number, x: number, y: number) => void): void {
    const { x, y } = this.player;
    mark(0, x, y);
    mark(1, x - this.dx, y);
    for (const torpedo of this.torpedoes) mark(2, torpedo.x, torpedo.y);
    for (const bullet of this.bullets) mark(4, bullet.x, bullet.y);
    const kinds = [
      [5, this.fish],
      [6, this.submarines],
      [9, this.divers],
    ] as const;
    for (const [channel, list] of kinds) {
      for (const thing of list) {
        mark(channel, thing.x, thing.y);
        if (isInside(thing.x - thing.dx)) mark(3, thing.x - thing.dx, thing.y);
      }
    }
    for (let at = 0; at < Math.floor((Math.max(0, this.oxygen) * 10) / 200); at++) mark(7, at, 9);
    for (let at = 0; at < this.rescued; at++) mark(8, 8 - at, 9);
  }
}

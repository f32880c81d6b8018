// Which keys take over from the agent, where actions are choices.

export interface KeyMap {
  /** Actions by `KeyboardEvent.key`. */
  readonly actions: Readonly<Record<string, number>>;
  /** What is done while no key is down: an action, the last one again, or nothing at all until a key goes down. */
  readonly idle: number | "last" | "wait";
}

const minAtarNames = ["none", "ArrowLeft", "ArrowUp", "ArrowRight", "ArrowDown", " "];
/** The actions that do something in each game, by their numbers in MinAtar's full set. */
const minAtarActions: Readonly<Record<string, readonly number[]>> = {
  "Breakout-MinAtar": [0, 1, 3],
  "Asterix-MinAtar": [0, 1, 2, 3, 4],
  "Freeway-MinAtar": [0, 2, 4],
  "SpaceInvaders-MinAtar": [0, 1, 3, 5],
  "Seaquest-MinAtar": [0, 1, 2, 3, 4, 5],
};

const arrows: Readonly<Partial<Record<number, KeyMap>>> = {
  2: { actions: { ArrowLeft: 0, ArrowRight: 1 }, idle: "last" },
  3: { actions: { ArrowLeft: 0, ArrowDown: 1, ArrowRight: 2 }, idle: 1 },
  4: { actions: { ArrowUp: 0, ArrowRight: 1, ArrowDown: 2, ArrowLeft: 3 }, idle: "wait" },
};

/** The keys of an environment with so many choices: digits always, arrows where they have a meaning. */
export function keysFor(name: string, actionCount: number): KeyMap {
  const digits = Object.fromEntries(
    Array.from({ length: Math.min(10, actionCount) }, (_, action) => [String(action), action]),
  );
  const chosen = minAtarActions[name];
  if (chosen !== undefined) {
    const own = chosen.map((action, index) => [minAtarNames[action], index] as const).slice(1);
    return { actions: { ...digits, ...Object.fromEntries(own) }, idle: 0 };
  }
  const own = arrows[actionCount];
  return { actions: { ...digits, ...own?.actions }, idle: own?.idle ?? "wait" };
}

/** Steps a second at normal speed: boards are watched move by move, physics at the rate of the screen. */
export const usualRate = (name: string): number => (/MinAtar|Grid/.test(name) ? 12 : 60);

const signs: Readonly<Record<string, string>> = {
  ArrowLeft: "←",
  ArrowRight: "→",
  ArrowUp: "↑",
  ArrowDown: "↓",
  " ": "space",
};

/** A key as it is printed on a keyboard. */
export const keySign = (key: string): string => signs[key] ?? key;

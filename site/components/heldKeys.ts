// The visitor's hands on the keys: which action they hold now.
import type { KeyMap } from "./keys.js";

export interface HeldKeys {
  /** The action now; "wait" is none until a key goes down. */
  action(keys: KeyMap): number | "wait";
  /** Whether the key stands for an action; it is held from now on. */
  press(keys: KeyMap, key: string): boolean;
  release(key: string): void;
  clear(): void;
}

export function createHeldKeys(): HeldKeys {
  const held: string[] = [];
  let last: number | null = null;
  return {
    action({ actions, idle }) {
      const pressed = held.at(-1);
      if (pressed !== undefined) return (last = actions[pressed]);
      return idle === "last" ? (last ?? "wait") : idle;
    },
    press({ actions }, key) {
      if (!Object.hasOwn(actions, key)) return false;
      if (!held.includes(key)) held.push(key);
      return true;
    },
    release(key) {
      if (held.includes(key)) held.splice(held.indexOf(key), 1);
    },
    clear() {
      held.length = 0;
      last = null;
    },
  };
}

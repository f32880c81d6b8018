// What every emulated program brings along, as C.
import { fibers } from "./fibers.js";
import { functions } from "./functions.js";
import { launch } from "./launch.js";
import { meetings } from "./meetings.js";
import { memory } from "./memory.js";
import { races } from "./races.js";
import { warps } from "./warps.js";

/** The text before a program's own functions, and behind them. */
export const runtimeText = {
  head: [fibers, functions, races, memory, meetings, warps].join("\n"),
  tail: launch,
};

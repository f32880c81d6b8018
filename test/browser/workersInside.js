// A worker of a page that has environments in workers of its own.
import { train } from "./workers.js";

globalThis.postMessage(await train());

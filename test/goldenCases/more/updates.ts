// Reading and updating at indices, inside the array and outside.
import { np } from "vibe-rl/array";
import type { MoreCases } from "./cases.js";

const twice = np.int32([1, 3, 1, 0]);

export const updateCases: MoreCases = {
  "at divide power": (x, v) => [
    x.at("1:3").divide(v.slice(":2")),
    x.abs().at([0, 2]).power(v.slice(":2").abs()),
    x.at(twice).divide(v),
  ],
  "at divide'": (x, v) => x.at([1, 4]).divide(v.slice(":2")),
  "at apply": (x) => [x.at([0, 3]).apply(np.exp), x.at("1:").apply((y) => y.mul(y))],
  "at divide of integers": (x) => [x.at(0).divide(2), x.at([1, 2]).power(2)],
  "at max": (x, v) => x.at(twice).max(v),
  "at min": (x, v) => x.at(twice).min(v),
  "at max of ties": (x, v) => x.at(twice).max(v),
  "at min rows": (x, v) => x.at([2, 0, 2]).min(v),
  "at get modes": (x, i) => [
    x.at(i).get({ mode: "clip" }),
    x.at(i).get({ mode: "fill" }),
    x.at(i).get({ mode: "fill", fillValue: -1 }),
    x.at(i).get({ mode: "drop" }),
  ],
  "at get default": (x, i) => x.at(i).get(),
  "at get wrap": (x, i) => x.at(i).get({ mode: "wrap" as never }),
  "at get of integers": (x, f, i) => [
    x.at(i).get({ mode: "fill" }),
    f.at(i).get({ mode: "fill" }),
    x.at(i).get({ mode: "fill", fillValue: 3 }),
  ],
  "at get matrix": (x, i) => [
    x.at(i, 1).get({ mode: "fill" }),
    x.at(":", i).get({ mode: "fill", fillValue: 0 }),
    x.at(9).get({ mode: "clip" }),
    x.at(9, 1).get({ mode: "fill" }),
  ],
  "at set modes": (x, v, i) => [
    x.at(i).set(v, { mode: "clip" }),
    x.at(i).set(v, { mode: "drop" }),
    x.at(i).add(v, { mode: "clip" }),
    x.at(i).set(v, { mode: "fill" }),
    x.at(i).max(v, { mode: "drop" }),
  ],
  "at promise": (x, v, i) => [
    x.at(i).get({ mode: "promise_in_bounds" }),
    x.at(i).add(v, { mode: "promise_in_bounds" }),
  ],
};

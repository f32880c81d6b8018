// Which results are fetched together.
import { describe, expect, it } from "vitest";
import type { Slot } from "../../../src/compiler/index.js";
import { groupsOf } from "../../../src/device/cuda/together.js";

const bytes = (address: number, size: number): Slot => ({ address, dtype: "uint8", shape: [size] });

/** For each result: the spans that are fetched with it, and where it begins in them. */
const groupsFor = (slots: readonly Slot[]) => {
  const groups = groupsOf(slots);
  return slots.map((slot) => {
    const group = groups.get(slot);
    return group === undefined ? null : [group.spans, group.places.get(slot)];
  });
};

describe("results that are fetched together", () => {
  it("are copied as one where they are near, in any order, and as several where they are not", () => {
    const spans = [
      { address: 64, size: 140 },
      { address: 1_000_000, size: 8 },
    ];
    const slots = [bytes(1_000_000, 8), bytes(200, 4), bytes(64, 100), bytes(100, 64)];
    expect(groupsFor(slots)).toEqual([
      [spans, 140],
      [spans, 136],
      [spans, 0],
      [spans, 36],
    ]);
  });

  it("are small, and not of nothing", () => {
    const slots = [bytes(0, 2 ** 16 + 1), bytes(2 ** 17, 0), bytes(2 ** 18, 2 ** 16)];
    expect(groupsFor(slots)).toEqual([null, null, [[{ address: 2 ** 18, size: 2 ** 16 }], 0]]);
  });

  it("come to 256 KiB at most", () => {
    const slots = [0, 1, 2, 3, 4, 5].map((at) => bytes(at * 2 ** 16, 2 ** 16));
    const [first, second] = [[{ address: 0, size: 2 ** 18 }], [{ address: 2 ** 18, size: 2 ** 17 }]];
    expect(groupsFor(slots)).toEqual([
      ...[0, 1, 2, 3].map((at) => [first, at * 2 ** 16]),
      ...[0, 1].map((at) => [second, at * 2 ** 16]),
    ]);
  });
});

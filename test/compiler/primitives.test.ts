// The compiler knows every primitive of the array language, and none that is not there.
import { expect, it } from "vitest";
import { primitives } from "../../src/array/primitives/index.js";
import { primitiveEntries, type PrimitiveEntry } from "../../src/compiler/primitives/index.js";

const entries: readonly (readonly [string, PrimitiveEntry])[] = Object.entries(primitiveEntries);

it("has an entry for each primitive", () => {
  expect(entries.map(([name]) => name).sort()).toEqual(primitives.map(({ name }) => name).sort());
});

it("lowers all but those that are gone when programs are compiled", () => {
  const unknown = entries.filter(
    ([, { operation, written, form }]) => operation === null && written === null && form === null,
  );
  expect(unknown.map(([name]) => name).sort()).toEqual(
    ["call", "checkpoint", "constant", "reverseOnly", "shardMap", "shardingConstraint"].sort(),
  );
});

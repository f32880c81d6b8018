// What an array can do stands in docs/array.md, all of it and nothing else.
import { readFileSync } from "node:fs";
import { expect, expectTypeOf, it } from "vitest";
import { Array as ArrayClass, NDArray, np, type Array } from "vibe-rl/array";

/** What only the library itself uses. */
const internal = ["constructor", "elements", "withType"];

it("the table of methods in docs/array.md is the prototype's", () => {
  const page = readFileSync(new URL("../../docs/array.md", import.meta.url), "utf8");
  const section = /### Methods\n(?<text>[^]*?)\n## /.exec(page)?.groups?.text ?? "";
  const rows = section.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| ---"));
  const documented = rows.flatMap((row) => {
    const cell = row.split(/(?<!\\)\|/)[2] ?? "";
    return [...cell.matchAll(/`(?<name>\w+)[^`]*`/g)].map((match) => match.groups?.name ?? "");
  });
  const own = Object.getOwnPropertyNames(ArrayClass.prototype).filter((name) => !internal.includes(name));
  expect([...documented].sort()).toEqual([...own].sort());
});

it("NDArray is Array, as a value and as a type", () => {
  expect(NDArray).toBe(ArrayClass);
  expect(np.ones([2])).toBeInstanceOf(NDArray);
  expectTypeOf<NDArray>().toEqualTypeOf<Array>();
});
